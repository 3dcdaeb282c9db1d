/**
 * Workspaces in PostgreSQL, shared by any number of processes. Statements have no names and sessions no state, so that
 * a pooler in transaction mode may stand between. The package `pg` is loaded when a store is opened.
 */
import { loaded } from "./load.js";
import {
  type Cell,
  changesOf,
  dueOf,
  type Row,
  revisionOf,
  type Sql,
  SqlReader,
  TABLES,
  written,
} from "./sql.js";
import type { Due, Reader, Scope, Storage, Stored, Transaction, WriteOptions, Written } from "./storage.js";

/** As much of a client of `pg` as is used here. */
interface Client {
  query(
    text: string,
    values?: readonly Cell[],
  ): Promise<{ readonly rows: Row[]; readonly rowCount: number | null }>;
}
interface PooledClient extends Client {
  release(error?: Error | boolean): void;
}
interface Pool extends Client {
  connect(): Promise<PooledClient>;
  on(event: "error", listener: (error: Error) => void): void;
  end(): Promise<void>;
}

const LOCK = "for update";
const CLOCK = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint";
/** How often the tables are made anew where other processes make them at the same time. */
const TRIES = 20;

/** How a store is opened. */
export interface PostgresOptions {
  /** `postgres://...`. */
  readonly url: string;
  /** Whether the results of commands are kept in the same database, so that their fence holds here. Default: no. */
  readonly fenced?: boolean;
  /** The most connections. Default: 10. */
  readonly connections?: number;
}

/**
 * Opens a store, and makes its tables where there are none.
 * @throws {MissingPackageError} where `pg` is not installed, and what it throws where the database cannot be reached
 */
export async function openPostgres({
  url,
  fenced = false,
  connections = 10,
}: PostgresOptions): Promise<Storage> {
  const { default: pg } = (await loaded("pg", () => import("pg"))) as {
    default: { Pool: new (options: object) => Pool };
  };
  const pool = new pg.Pool({ connectionString: url, max: connections });
  // An idle connection that breaks is replaced by the pool; whoever used one was told already.
  pool.on("error", () => undefined);
  try {
    await makeTables(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return new PostgresStorage(pool, fenced);
}

/** Of two processes that create a table where there is none, one can be refused: the next time the table is there. */
async function makeTables(pool: Pool): Promise<void> {
  for (let left = TRIES; ; left--) {
    try {
      for (const text of TABLES) await pool.query(text);
      return;
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      const raced = code === "23505" || code === "42P07" || code === "42710";
      if (!raced || left === 0) throw error;
    }
  }
}

class PostgresStorage implements Storage {
  readonly #pool: Pool;
  readonly #fenced: boolean;

  constructor(pool: Pool, fenced: boolean) {
    this.#pool = pool;
    this.#fenced = fenced;
  }

  read<T>(scope: Scope, work: (reader: Reader) => Promise<T>): Promise<T> {
    return work(new SqlReader(sqlOf(this.#pool), scope));
  }

  write<T>(
    scope: Scope,
    work: (transaction: Transaction) => Promise<T>,
    { fence, result, signal }: WriteOptions<T> = {},
  ): Promise<Written<T>> {
    const effect = (handle: unknown): Promise<Written<T>> =>
      written(sqlOf(handle as Client), scope, { lock: LOCK, clock: CLOCK }, work, signal);
    if (!this.#fenced || fence === undefined) return inTransaction(this.#pool, effect);
    return fence.run(effect, result === undefined ? undefined : ({ value }) => result(value));
  }

  revision(scope: Scope): Promise<number> {
    return revisionOf(sqlOf(this.#pool), scope);
  }

  changes(scope: Scope, after: number, limit: number): Promise<readonly Stored[]> {
    return changesOf(sqlOf(this.#pool), scope, after, limit);
  }

  due(limit: number): Promise<readonly Due[]> {
    return dueOf(sqlOf(this.#pool), CLOCK, limit);
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

async function inTransaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("begin");
    const value = await work(client);
    await client.query("commit");
    return value;
  } catch (error) {
    // A connection that cannot even do this is not given to the next.
    await client.query("rollback").catch((cause: Error) => (broken = cause));
    throw error;
  } finally {
    client.release(broken);
  }
}

function sqlOf(client: Client): Sql {
  const numbered = (text: string): string => {
    let n = 0;
    return text.replaceAll("?", () => `$${++n}`);
  };
  return {
    all: async (text, values) => (await client.query(numbered(text), values)).rows,
    run: async (text, values) => (await client.query(numbered(text), values)).rowCount ?? 0,
  };
}
