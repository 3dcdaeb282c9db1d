/**
 * Those of one process that write to a database, one after the other. SQLite has one writer: two connections of a process
 * that waited for each other inside it would stop the loop that the first one needs to end.
 */
import { StoreError } from "../../../ledger/store.js";

/** See above. */
export class Turns {
  readonly #path: string;
  #last: Promise<unknown> = Promise.resolve();
  #broken: unknown;

  constructor(path: string) {
    this.#path = path;
  }

  /** Does something when all that was asked for before is over. Fails as `failed` where the database is spoilt. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      if (this.#broken !== undefined)
        throw new StoreError("failed", `${this.#path} takes nothing more since an error of the disk`, {
          cause: this.#broken,
        });
      return work();
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Notes what a transaction failed with: after a sync that failed, a later one would vouch for what may be lost. */
  failed(error: unknown): void {
    const cause = (error as { cause?: unknown } | null)?.cause ?? error;
    if (String((cause as { code?: unknown } | null)?.code).startsWith("SQLITE_IOERR")) this.#broken ??= cause;
  }
}
