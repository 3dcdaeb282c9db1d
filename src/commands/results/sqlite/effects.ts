/**
 * Effects of one process in the database of its results: on a connection of their own, one after the other, each in a
 * transaction. A claim is over at its deadline, and so is the transaction of its effect: others wait for the database.
 */
import type { Database } from "better-sqlite3";
import { isStoreError, StoreError } from "../../../ledger/store.js";
import { patiently, told } from "../../../ledger/stores/sqlite/database.js";
import type { CommandResult } from "../../app.js";
import { carried } from "../../carried.js";
import { platformClock } from "../../clock.js";
import type { Claim } from "../../results.js";
import { fenced, inTime } from "../in-time.js";
import { resultText } from "../result-text.js";
import { storedKey } from "../stored-key.js";
import { type EffectStatements, openEffectsDatabase, prepareEffects } from "./tables.js";
import type { Turns } from "./turns.js";

/** The pause between trying to close a connection in which something is still read, in milliseconds. */
const PAUSE_MS = 10;

interface Open {
  readonly db: Database;
  readonly statements: EffectStatements;
}

/** See above. */
export class Effects {
  readonly #path: string;
  readonly #turns: Turns;
  /** Makes the tables where there are none. Fails where the results were closed. */
  readonly #prepare: () => Promise<unknown>;
  #last: Promise<unknown> = Promise.resolve();
  #open: Open | undefined;

  constructor(path: string, turns: Turns, prepare: () => Promise<unknown>) {
    this.#path = path;
    this.#turns = turns;
    this.#prepare = prepare;
  }

  /** Runs an effect under a claim; see `Fence`. */
  async run<T>(
    claim: Claim,
    effect: (handle: unknown) => Promise<T>,
    result?: (value: T) => CommandResult,
  ): Promise<T> {
    // Asked for at once: what runs when the results are closed is waited for, what comes later is refused.
    const prepared = this.#prepare();
    const running = this.#last
      .then(() => prepared)
      .then(() => this.#turns.run(() => this.#transact(claim, effect, result)));
    this.#last = running.catch(() => undefined);
    return running;
  }

  /** Waits for those that run, and closes the connection. */
  async close(): Promise<void> {
    for (let last: unknown; last !== this.#last; ) {
      last = this.#last;
      await last;
    }
    this.#open?.db.close();
    this.#open = undefined;
  }

  async #transact<T>(
    { key, token, epoch }: Claim,
    effect: (handle: unknown) => Promise<T>,
    result: ((value: T) => CommandResult) | undefined,
  ): Promise<T> {
    const doing = `writing an effect to ${this.#path}`;
    const row = [storedKey(key), token, epoch] as const;
    const { db, statements } = (this.#open ??= await this.#connect());
    await patiently(() => db.exec("begin immediate"), doing);
    try {
      const deadline = asked(() => statements.mark.get(...row, Date.now()), doing)?.deadline;
      if (deadline === undefined) throw fenced();
      const value = await inTime(deadline - Date.now(), () => effect(db));
      if (!db.inTransaction)
        throw new StoreError(
          "failed",
          "an effect has ended its transaction: what is kept of it is not known",
        );
      const settled = result === undefined ? undefined : resultText(carried(result(value)));
      // Nobody else could change the row since: only time could pass.
      const now = Date.now();
      if (now >= deadline) throw fenced();
      if (settled !== undefined) asked(() => statements.settle.run(settled, now, ...row, now), doing);
      await patiently(() => db.exec("commit"), doing);
      return value;
    } catch (error) {
      if (isStoreError(error)) this.#turns.failed(error);
      // Nothing is kept, and what is left of the effect finds no connection on which it could go on.
      this.#open = undefined;
      await closed(db);
      throw error;
    }
  }

  async #connect(): Promise<Open> {
    const db = await openEffectsDatabase(this.#path);
    return { db, statements: prepareEffects(db) };
  }
}

function asked<T>(action: () => T, doing: string): T {
  try {
    return action();
  } catch (error) {
    throw told(error, doing);
  }
}

/** Closes a connection; what is under way in it is rolled back. Waits for what reads in it step by step. */
async function closed(db: Database): Promise<void> {
  for (;;) {
    try {
      db.close();
      return;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    await new Promise<void>((resolve) => void platformClock.after(PAUSE_MS, resolve));
  }
}
