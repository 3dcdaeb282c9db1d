/** The store in one SQLite database, by the package better-sqlite3, which is loaded when it is used. */
import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { crc32 } from "node:zlib";
import type { Database } from "better-sqlite3";
import {
  type EntryText,
  type Log,
  type LogInfo,
  type OpenOptions,
  type Space,
  type Store,
  StoreError,
} from "../../store.js";
import { asking } from "../failed.js";
import { checkId } from "../ids.js";
import { InTurn } from "../in-turn.js";
import { makeOwner, type Owner, ownerLives } from "../owner.js";
import { storeUrl } from "../url.js";
import { type LogRow, openDatabase, patiently, prepareAll, type Statements, told } from "./database.js";
import { SqliteLog, type SqliteParts } from "./log.js";

/** How an SQLite store is opened. */
export interface SqliteStoreOptions {
  /**
   * As the pragma. `full`, the default: a write is done when it is on the disk. With `normal` and `off` a power cut may
   * lose what was written last, with `off` it may also damage the database.
   */
  readonly synchronous?: "full" | "normal" | "off";
}

/**
 * Keeps logs in an SQLite database on a local file system. It is made when it is first needed; without better-sqlite3
 * that fails with a MissingPackageError. A write blocks the loop for as long as the disk takes.
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  return new SqliteStore(resolve(path), options);
}

interface Ready extends SqliteParts {
  readonly statements: Statements;
}

class SqliteStore implements Store {
  readonly durability = "durable";
  readonly url: string;
  readonly #path: string;
  readonly #owners: string;
  readonly #synchronous: "full" | "normal" | "off";
  readonly #turns = new InTurn();
  readonly #open = new Map<string, SqliteLog>();
  readonly #dead = new Set<string>();
  #ready: Promise<Ready> | undefined;
  #owner: Promise<Owner> | undefined;
  #broken: unknown;
  #closed: Promise<void> | undefined;

  constructor(path: string, { synchronous = "full" }: SqliteStoreOptions) {
    this.#path = path;
    this.#owners = `${path}-owners`;
    this.#synchronous = synchronous;
    this.url = storeUrl("sqlite", path, synchronous === "full" ? {} : { synchronous });
  }

  async state(space: Space, id: string): Promise<"absent" | "free" | "held"> {
    this.#check();
    checkId(id);
    if (!this.#isThere()) return "absent";
    const row = await this.#do(({ statements }) => statements.find.get(space, id));
    if (row === undefined) return "absent";
    return this.#holds(space, id, row) || (await this.#isHeld(row)) ? "held" : "free";
  }

  async list(space: Space): Promise<readonly LogInfo[]> {
    this.#check();
    if (!this.#isThere()) return [];
    const rows = await this.#do(({ statements }) => statements.list.all(space));
    return rows.map(({ id, at }) => ({ id, updatedAtMs: at }));
  }

  open(space: Space, id: string, { expect }: OpenOptions): Promise<Log> {
    return this.#inTurn(space, id, async (key) => {
      const owner = await this.#makeOwner();
      for (;;) {
        const row = await this.#do(({ statements }) => statements.find.get(space, id));
        if (row !== undefined && expect === "new")
          throw new StoreError("exists", `the log ${id} is there already`);
        if (row === undefined && expect === "existing")
          throw new StoreError("notFound", `there is no log ${id}`);
        if (row !== undefined && (this.#holds(space, id, row) || (await this.#isHeld(row, owner))))
          throw new StoreError("inUse", `the log ${id} is held by another`);
        const taken = await this.#do((ready) => this.#take(ready, space, id, row, owner));
        // Another was faster: see who has it now.
        if (taken === undefined) continue;
        const log = new SqliteLog(await this.#prepare(), {
          id,
          ...taken,
          onClose: () => {
            // Where it was fenced, a later one may stand there.
            if (this.#open.get(key) === log) this.#open.delete(key);
          },
        });
        this.#open.set(key, log);
        return log;
      }
    });
  }

  async read(space: Space, id: string): Promise<readonly EntryText[] | undefined> {
    this.#check();
    checkId(id);
    if (!this.#isThere()) return undefined;
    return this.#do((ready) => {
      const row = ready.statements.find.get(space, id);
      return row === undefined ? undefined : this.#entries(ready, row.log);
    });
  }

  fence(space: Space, id: string): Promise<void> {
    return this.#inTurn(space, id, async () => {
      const changes = this.#isThere()
        ? await this.#do(({ statements }) => statements.fence.run(space, id).changes)
        : 0;
      if (changes === 0) throw new StoreError("notFound", `there is no log ${id}`);
    });
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#turns.idle();
    await Promise.all([...this.#open.values()].map((log) => log.close()));
    (await this.#ready?.catch(() => undefined))?.db.close();
    await (await this.#owner?.catch(() => undefined))?.close();
  }

  /** Takes a log as it was seen; undefined where it has changed since. The log is read in the same transaction. */
  #take(
    ready: Ready,
    space: Space,
    id: string,
    seen: LogRow | undefined,
    owner: Owner,
  ): { readonly log: number; readonly epoch: number; readonly entries: EntryText[] } | undefined {
    const { db, statements } = ready;
    const take = db.transaction(() => {
      if (seen === undefined) {
        if (statements.find.get(space, id) !== undefined) return undefined;
        const { lastInsertRowid } = statements.create.run(space, id, owner.token, Date.now());
        return { log: Number(lastInsertRowid), epoch: 1, entries: [] };
      }
      if (statements.take.run(owner.token, seen.log, seen.epoch).changes === 0) return undefined;
      return { log: seen.log, epoch: seen.epoch + 1, entries: this.#entries(ready, seen.log) };
    });
    return take.immediate();
  }

  #entries({ statements }: Ready, log: number): EntryText[] {
    const out: EntryText[] = [];
    for (const { seq, crc, text } of statements.entries.iterate(log, log)) {
      if (seq !== out.length + 1 || crc32(text) !== crc) {
        const place = `${this.#path}: table entries, log ${log}, seq ${out.length + 1}`;
        throw new StoreError("damaged", `the log is damaged at ${place}`, { place });
      }
      out.push(text);
    }
    return out;
  }

  async #isHeld({ owner: token }: LogRow, us?: Owner): Promise<boolean> {
    // Ours, and not open: it failed, and was given up without a word.
    const owner = us ?? (await this.#owner?.catch(() => undefined));
    if (token === null || token === owner?.token || this.#dead.has(token)) return false;
    const lives = await ownerLives(this.#owners, token);
    if (!lives) this.#dead.add(token);
    return lives;
  }

  /** Whether a log is open here, and was not taken since. */
  #holds(space: Space, id: string, row: LogRow): boolean {
    return this.#open.get(`${space}/${id}`)?.epoch === row.epoch;
  }

  async #do<T>(action: (ready: Ready) => T): Promise<T> {
    const ready = await this.#prepare();
    ready.check();
    try {
      return await patiently(() => action(ready), this.#path);
    } catch (error) {
      ready.note(error);
      throw error;
    }
  }

  #prepare(): Promise<Ready> {
    return (this.#ready ??= (async () => {
      asking(`making ${dirname(this.#path)}`, () =>
        mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 }),
      );
      const db = await openDatabase(this.#path, this.#synchronous);
      return this.#parts(db);
    })().catch((error: unknown) => {
      this.#ready = undefined;
      throw told(error, `opening ${this.#path}`);
    }));
  }

  #parts(db: Database): Ready {
    return {
      db,
      statements: prepareAll(db),
      path: this.#path,
      check: () => {
        if (this.#broken !== undefined)
          throw new StoreError("failed", `${this.#path} takes nothing more since an error of the disk`, {
            cause: this.#broken,
          });
      },
      note: (error) => {
        // All logs share one journal: after a sync that failed, a later one would vouch for what may be lost.
        const cause = (error as { cause?: unknown }).cause ?? error;
        if (String((cause as { code?: unknown }).code).startsWith("SQLITE_IOERR")) this.#broken ??= cause;
      },
    };
  }

  #makeOwner(): Promise<Owner> {
    return (this.#owner ??= (async () => {
      asking(`making ${this.#owners}`, () => mkdirSync(this.#owners, { recursive: true, mode: 0o700 }));
      return makeOwner(this.#owners);
    })().catch((error: unknown) => {
      this.#owner = undefined;
      throw error;
    }));
  }

  async #inTurn<T>(space: Space, id: string, action: (key: string) => Promise<T>): Promise<T> {
    this.#check();
    checkId(id);
    const key = `${space}/${id}`;
    return this.#turns.run(key, () => action(key));
  }

  /** Whether there is a database: to look into one that is not there makes none. */
  #isThere(): boolean {
    return this.#ready !== undefined || existsSync(this.#path);
  }

  #check(): void {
    if (this.#closed !== undefined) throw new StoreError("closed", "the store was closed");
  }
}
