/** Ends what runs for too long. */
import type { Attempt } from "./attempt.js";
import type { Clock } from "./clock.js";

/** Attempts that are carried out, in the order of their deadlines. One timer is for all. */
export class Deadlines {
  readonly #clock: Clock;
  #first: Attempt | undefined;
  #last: Attempt | undefined;
  // The timer, and when it comes.
  #stop: (() => void) | undefined;
  #wakes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Has an attempt ended at its deadline, by the monotonic clock in milliseconds.
   * @param now the same clock
   */
  add(attempt: Attempt, at: number, now: number): void {
    attempt.expiresAt = at;
    // All have as long: it comes behind the others, but for those that got their claims sooner.
    let before = this.#last;
    while (before !== undefined && before.expiresAt > at) before = before.before;
    const after = before === undefined ? this.#first : before.after;
    attempt.before = before;
    attempt.after = after;
    if (before === undefined) this.#first = attempt;
    else before.after = attempt;
    if (after === undefined) this.#last = attempt;
    else after.before = attempt;
    if (this.#stop !== undefined && at >= this.#wakes) return;
    this.#stop?.();
    this.#wake(at, now);
  }

  /** An attempt is over. */
  remove(attempt: Attempt): void {
    const { before, after } = attempt;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    attempt.before = attempt.after = undefined;
  }

  /** Ends the timer: it would hold what nobody needs any more. */
  close(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #wake(at: number, now: number): void {
    this.#wakes = at;
    this.#stop = this.#clock.after(at - now, () => this.#sweep());
  }

  #sweep(): void {
    this.#stop = undefined;
    const now = this.#clock.elapsed();
    // What ends takes itself out.
    for (let attempt = this.#first; attempt !== undefined; attempt = this.#first) {
      if (attempt.expiresAt > now) {
        this.#wake(attempt.expiresAt, now);
        return;
      }
      attempt.expire();
    }
  }
}
