/** Changes that come in one turn of the loop, in one transaction: they share what the disk costs. */
import type { Database } from "better-sqlite3";
import { patiently, told } from "../../../ledger/stores/sqlite/database.js";
import type { Turns } from "./turns.js";

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
  readonly #doing: string;
  readonly #turns: Turns;
  #waiting: Change[] = [];
  #running: Promise<void> | undefined;
  /** Whether it was a change that threw the last time, and not what is around it. */
  #thrown = false;

  constructor(db: Database, path: string, turns: Turns) {
    this.#db = db;
    this.#doing = `writing to ${path}`;
    this.#turns = turns;
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
    // How many of those that wait were in a transaction in which one of them threw.
    let alone = 0;
    while (this.#waiting.length > 0) {
      let batch: readonly Change[] = [];
      try {
        await this.#turns.run(async () => {
          // What came while an effect had its turn comes along as well.
          batch = this.#waiting.splice(0, alone-- > 0 ? 1 : MOST);
          const values = await patiently(() => this.#transact(batch), this.#doing);
          for (const [i, { resolve }] of batch.entries()) resolve(values[i] as never);
        });
      } catch (error) {
        this.#turns.failed(error);
        if (batch.length > 1 && this.#thrown) {
          // Each is made again alone, so that only the one fails that throws.
          this.#waiting.unshift(...batch);
          alone = batch.length;
          continue;
        }
        const failed = told(error, this.#doing);
        if (batch.length === 0) batch = this.#waiting.splice(0, MOST);
        for (const { reject } of batch) reject(failed);
      }
    }
    this.#running = undefined;
  }

  #transact(batch: readonly Change[]): unknown[] {
    // Writing from the start: a transaction that begins by reading cannot wait for another writer.
    this.#thrown = false;
    this.#db.exec("begin immediate");
    try {
      this.#thrown = true;
      const values = batch.map(({ action }) => action());
      this.#thrown = false;
      this.#db.exec("commit");
      return values;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec("rollback");
      throw error;
    }
  }
}
