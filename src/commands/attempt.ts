/** One attempt at a command in this process, and those that wait for what comes of it. */
import type { CommandResult } from "./app.js";
import type { Clock } from "./clock.js";
import type { ClaimContext } from "./context.js";
import { ABANDONED } from "./rejections.js";

/** What came of an attempt for those that wait: undefined where the id is as new again. */
export type Came = CommandResult | undefined;

/** See above. */
export class Attempt {
  /** Of the command that the id stands for; until that is known, of the one that asks. */
  signature: string | undefined;
  /** Whether it is known for which command the id stands. */
  decided = false;
  /** Whether another process carries it out. */
  foreign = false;
  /** What it is carried out with, and what is told how that ended; undefined where it is not, or not any more. */
  context: ClaimContext | undefined = undefined;
  ended: ((outcome: CommandResult) => void) | undefined = undefined;
  /** When it has to be over, by the monotonic clock, and those before and after it. See `Deadlines`. */
  expiresAt = 0;
  before: Attempt | undefined = undefined;
  after: Attempt | undefined = undefined;
  #waiting: Set<(came: Came) => void> | undefined = undefined;

  constructor(signature: string | undefined) {
    this.signature = signature;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting?.size ?? 0;
  }

  /** It has come to its deadline. */
  expire(): void {
    this.context?.abort();
    this.ended?.(ABANDONED);
  }

  /** It is over: tells all that wait. */
  end(came: Came): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    for (const told of waiting) told(came);
  }

  /** What comes of it, within some milliseconds; `late` where it takes longer. */
  within(ms: number, clock: Clock): Promise<Came | "late"> {
    return new Promise((resolve) => {
      const late = (): void => {
        this.#waiting?.delete(told);
        resolve("late");
      };
      const stop = clock.after(ms, late, true);
      const told = (came: Came): void => {
        stop();
        resolve(came);
      };
      (this.#waiting ??= new Set()).add(told);
    });
  }
}
