/** Answers that do not come: what is asked ends in bounded time, also where the pool is another's and waits for ever. */

/** How often those that wait are looked at within the time that they may wait. */
const LOOKS = 15;

interface Waiting {
  readonly until: number;
  readonly late: () => void;
}

/** Waits for answers, each for so long at most. One timer serves all of them; it runs while anybody waits. */
export class Answers {
  readonly #ms: number;
  readonly #waiting = new Set<Waiting>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param ms how long an answer is waited for, in milliseconds; up to a fifteenth of that longer */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** The answer. Fails with an Error without a code where there is none in time: what was asked was done or not. */
  within<T>(asked: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        until: performance.now() + this.#ms,
        late: () => reject(new Error(`no answer within ${this.#ms} ms`)),
      };
      this.#begin(waiting);
      asked.then(
        (answer) => {
          this.#end(waiting);
          resolve(answer);
        },
        (error: unknown) => {
          this.#end(waiting);
          reject(error);
        },
      );
    });
  }

  #begin(waiting: Waiting): void {
    this.#waiting.add(waiting);
    if (this.#timer === undefined) this.#timer = setInterval(() => this.#look(), this.#ms / LOOKS);
    // Somebody waits: the process goes on until the answer is there.
    else if (this.#waiting.size === 1) this.#timer.ref();
  }

  #end(waiting: Waiting): void {
    if (this.#waiting.delete(waiting) && this.#waiting.size === 0) this.#timer?.unref();
  }

  #look(): void {
    const now = performance.now();
    for (const waiting of this.#waiting) {
      // In the order of their beginning, which is that of their end.
      if (waiting.until > now) break;
      this.#waiting.delete(waiting);
      waiting.late();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
