/** Deadlines by a clock that is moved by hand: each ends when it is due, in order, by one timer. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { Attempt } from "../../src/commands/attempt.js";
import type { Clock } from "../../src/commands/clock.js";
import { Deadlines } from "../../src/commands/deadlines.js";

/** Time that stands still until it is moved. */
class HandClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly action: () => void }[] = [];

  get timers(): number {
    return this.#timers.length;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  after(ms: number, action: () => void): () => void {
    const timer = { at: this.#now + ms, action };
    this.#timers.push(timer);
    return () => (this.#timers = this.#timers.filter((one) => one !== timer));
  }

  move(ms: number): void {
    this.#now += ms;
    for (;;) {
      const due = this.#timers.find(({ at }) => at <= this.#now);
      if (due === undefined) return;
      this.#timers = this.#timers.filter((one) => one !== due);
      due.action();
    }
  }
}

function attempt(clock: Clock, deadlines: Deadlines, at: number, told: (at: number) => void): Attempt {
  const made = new Attempt(undefined);
  made.ended = () => {
    made.ended = undefined;
    deadlines.remove(made);
    told(at);
  };
  deadlines.add(made, at, clock.elapsed());
  return made;
}

it("ends each that is not over when it is due, and none before, whatever the order they came in", () => {
  let ended = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.boolean()), { minLength: 1, maxLength: 30 }),
      fc.array(fc.integer({ min: 1, max: 15 }), { maxLength: 8 }),
      (list, moves) => {
        const clock = new HandClock();
        const deadlines = new Deadlines(clock);
        const told: number[] = [];
        const left: number[] = [];
        for (const [at, over] of list) {
          const made = attempt(clock, deadlines, at, (when) => told.push(when));
          expect(clock.timers).toBe(1);
          if (over) deadlines.remove(made);
          else left.push(at);
        }
        left.sort((a, b) => a - b);
        for (const ms of [...moves, 100]) {
          clock.move(ms);
          expect(told).toEqual(left.filter((at) => at <= clock.elapsed()));
        }
        ended += told.length;
        expect(clock.timers).toBe(0);
      },
    ),
    { numRuns: 200 },
  );
  expect(ended).toBeGreaterThan(500);
});

it("leaves no timer when it is closed", () => {
  const clock = new HandClock();
  const deadlines = new Deadlines(clock);
  deadlines.remove(attempt(clock, deadlines, 10, () => undefined));
  expect(clock.timers).toBe(1);
  deadlines.close();
  expect(clock.timers).toBe(0);
});
