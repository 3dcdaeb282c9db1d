/** Changes that come in one turn of the loop, in one transaction: they share what the disk costs. */
import type { Database } from "better-sqlite3";
import { StoreError } from "../../../ledger/store.js";
import { patiently, told } from "../../../ledger/stores/sqlite/database.js";

/** The most changes of one transaction: the loop stands still for it. */
const MOST = 512;

interface Change {
  /** Done inside the transaction; done again where that met another. */
  readonly action: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** See above. */
export class Batches {
  readonly #db: Database;
  readonly #path: string;
  #waiting: Change[] = [];
  #running: Promise<void> | undefined;
  #broken: unknown;

  constructor(db: Database, path: string) {
    this.#db = db;
    this.#path = path;
  }

  /** Makes a change; resolves to what it gave when it is on the disk. */
  run<T>(action: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ action, resolve: resolve as (value: never) => void, reject });
      this.#running ??= this.#flush();
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #flush(): Promise<void> {
    // What this turn brings comes along.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MOST);
      try {
        if (this.#broken !== undefined)
          throw new StoreError("failed", `${this.#path} takes nothing more since an error of the disk`, {
            cause: this.#broken,
          });
        const values = await patiently(() => this.#transact(batch), `writing to ${this.#path}`);
        for (const [i, { resolve }] of batch.entries()) resolve(values[i] as never);
      } catch (error) {
        const cause = (error as { cause?: unknown }).cause ?? error;
        // After a sync that failed, a later one would vouch for what may be lost.
        if (String((cause as { code?: unknown }).code).startsWith("SQLITE_IOERR")) this.#broken ??= cause;
        const failed = told(error, `writing to ${this.#path}`);
        for (const { reject } of batch) reject(failed);
      }
    }
    this.#running = undefined;
  }

  #transact(batch: readonly Change[]): unknown[] {
    // Writing from the start: a transaction that begins by reading cannot wait for another writer.
    this.#db.exec("begin immediate");
    try {
      const values = batch.map(({ action }) => action());
      this.#db.exec("commit");
      return values;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec("rollback");
      throw error;
    }
  }
}
