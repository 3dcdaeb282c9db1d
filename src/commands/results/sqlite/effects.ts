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

/** The first pause before a connection in which something is still read is tried to be closed again, and the longest. */
const PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 1_000;

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
      requireNothingRead(db);
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
      end(db);
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

/** A transaction is not committed around a query that is read step by step, and that nobody may ever end. */
function requireNothingRead(db: Database): void {
  try {
    // Refused where there is such a query.
    db.exec("");
  } catch (cause) {
    throw new StoreError("failed", "an effect left a query open: an iterator that was not read to its end", {
      cause,
    });
  }
}

/**
 * Rolls back what is under way in a connection, and closes it. Where something in it is read step by step, that may go
 * on for as long as it likes, and is in nobody's way: nothing can be written by it.
 */
function end(db: Database): void {
  if (closes(db)) return;
  closeLater(db, PAUSE_MS);
  db.unsafeMode(true);
  try {
    if (db.inTransaction) db.exec("rollback");
    db.exec("pragma query_only = on");
  } finally {
    db.unsafeMode(false);
  }
}

function closeLater(db: Database, pauseMs: number): void {
  platformClock.after(pauseMs, () => {
    if (!closes(db)) closeLater(db, Math.min(2 * pauseMs, LONGEST_PAUSE_MS));
  });
}

/** Closes a connection, unless something is read in it. */
function closes(db: Database): boolean {
  try {
    db.close();
    return true;
  } catch {
    return false;
  }
}
