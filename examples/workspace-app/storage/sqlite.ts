/**
 * Workspaces in a file of SQLite, shared by the processes of one machine. The package `better-sqlite3` is loaded when a
 * store is opened.
 */
import { loaded } from "./load.js";
import { changesOf, dueOf, revisionOf, type Sql, SqlReader, TABLES, written } from "./sql.js";
import type { Due, Reader, Scope, Storage, Stored, Transaction, WriteOptions, Written } from "./storage.js";

/** As much of a database of `better-sqlite3` as is used here. */
interface Database {
  prepare(text: string): {
    all(...values: unknown[]): unknown[];
    run(...values: unknown[]): { readonly changes: number };
  };
  exec(text: string): void;
  pragma(text: string): unknown;
  close(): void;
}

/** A transaction of SQLite has all of the file to itself: there is nothing to lock. */
const LOCK = "";
const CLOCK = "cast((julianday('now') - 2440587.5) * 86400000 as integer)";
/** How long it is waited for others to end, in milliseconds. */
const PATIENCE_MS = 60_000;

/** How a store is opened. */
export interface SqliteOptions {
  /** The file. */
  readonly path: string;
  /** Whether the results of commands are kept in the same file, so that their fence holds here. Default: no. */
  readonly fenced?: boolean;
}

/**
 * Opens a store, and makes its tables where there are none.
 * @throws {MissingPackageError} where `better-sqlite3` is not installed
 */
export async function openSqlite({ path, fenced = false }: SqliteOptions): Promise<Storage> {
  const { default: Sqlite } = (await loaded("better-sqlite3", () => import("better-sqlite3"))) as {
    default: new (path: string, options: object) => Database;
  };
  // Waiting inside SQLite would stop the loop, and with it the transaction that is waited for.
  const open = (): Database => new Sqlite(path, { timeout: 0 });
  const [writer, reader] = [open(), open()];
  await patiently(() => {
    writer.pragma("journal_mode = WAL");
    writer.pragma("synchronous = FULL");
    for (const text of TABLES) writer.exec(text);
  });
  return new SqliteStorage(writer, reader, fenced);
}

class SqliteStorage implements Storage {
  readonly #writer: Database;
  /** Sees what is kept, and nothing of a transaction that is under way. */
  readonly #reader: Database;
  readonly #fenced: boolean;
  /** The end of the last transaction: the connection has one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(writer: Database, reader: Database, fenced: boolean) {
    this.#writer = writer;
    this.#reader = reader;
    this.#fenced = fenced;
  }

  read<T>(scope: Scope, work: (reader: Reader) => Promise<T>): Promise<T> {
    return work(new SqlReader(sqlOf(this.#reader), scope));
  }

  write<T>(
    scope: Scope,
    work: (transaction: Transaction) => Promise<T>,
    { fence, result, signal }: WriteOptions<T> = {},
  ): Promise<Written<T>> {
    const effect = (handle: unknown): Promise<Written<T>> =>
      written(sqlOf(handle as Database), scope, { lock: LOCK, clock: CLOCK }, work, signal);
    if (this.#fenced && fence !== undefined)
      return fence.run(effect, result === undefined ? undefined : ({ value }) => result(value));
    const run = this.#last.then(() => this.#inTransaction(effect));
    this.#last = run.catch(() => undefined);
    return run;
  }

  revision(scope: Scope): Promise<number> {
    return revisionOf(sqlOf(this.#reader), scope);
  }

  changes(scope: Scope, after: number, limit: number): Promise<readonly Stored[]> {
    return changesOf(sqlOf(this.#reader), scope, after, limit);
  }

  due(limit: number): Promise<readonly Due[]> {
    return dueOf(sqlOf(this.#reader), CLOCK, limit);
  }

  async close(): Promise<void> {
    await this.#last;
    this.#reader.close();
    this.#writer.close();
  }

  async #inTransaction<T>(work: (handle: Database) => Promise<T>): Promise<T> {
    await patiently(() => this.#writer.exec("begin immediate"));
    try {
      const value = await work(this.#writer);
      await patiently(() => this.#writer.exec("commit"));
      return value;
    } catch (error) {
      this.#writer.exec("rollback");
      throw error;
    }
  }
}

function sqlOf(db: Database): Sql {
  return {
    all: (text, values) => patiently(() => db.prepare(text).all(...values) as never),
    run: (text, values) => patiently(() => db.prepare(text).run(...values).changes),
  };
}

/** Does something as soon as no other connection is in its way. */
async function patiently<T>(action: () => T): Promise<T> {
  for (const start = performance.now(); ; ) {
    try {
      return action();
    } catch (error) {
      const busy = String((error as { code?: unknown }).code).startsWith("SQLITE_BUSY");
      if (!busy || performance.now() - start > PATIENCE_MS) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 1 + Math.random() * 10));
  }
}
