/**
 * Those of a process that wait for keys of a shared store: the store is asked for all their keys at once, and a bounded
 * number of times a second, however many wait.
 */
import { type Clock, platformClock } from "../clock.js";
import type { Standing } from "../results.js";

/** The pause between questions: the first since a key is waited for, doubled each time, and the longest. Milliseconds. */
const FIRST_MS = 10;
const LONGEST_MS = 250;

/** Asks the store for keys by their texts; in the same order. What is absent is so. */
export type Ask = (texts: readonly string[]) => Promise<readonly Standing[]>;

interface Key {
  readonly waiting: Set<Waiter>;
  pause: number;
  due: number;
}

interface Waiter {
  readonly told: (standing: Standing) => void;
  readonly failed: (error: unknown) => void;
}

/** See above. */
export class Poller {
  readonly #ask: Ask;
  readonly #clock: Clock;
  readonly #keys = new Map<string, Key>();
  #asking = false;
  #stop: (() => void) | undefined;
  #stopsAt = Number.POSITIVE_INFINITY;
  #closed = false;

  constructor(ask: Ask, clock: Clock = platformClock) {
    this.#ask = ask;
    this.#clock = clock;
  }

  /** How things stand with a key when it is pending no more, or after `waitMs`. */
  wait(text: string, waitMs: number): Promise<Standing> {
    return new Promise((resolve, reject) => {
      const key = this.#keys.get(text) ?? { waiting: new Set(), pause: FIRST_MS, due: this.#clock.elapsed() };
      this.#keys.set(text, key);
      let last: Standing = { kind: "pending", signature: undefined };
      const end = (): void => {
        stop();
        key.waiting.delete(waiter);
        if (key.waiting.size === 0 && this.#keys.get(text) === key) this.#keys.delete(text);
      };
      const waiter: Waiter = {
        told: (standing) => {
          last = standing;
          if (standing.kind === "pending" && !this.#closed) return;
          end();
          resolve(standing);
        },
        failed: (error) => {
          end();
          reject(error);
        },
      };
      const stop = this.#clock.after(waitMs, () => {
        end();
        resolve(last);
      });
      key.waiting.add(waiter);
      this.#next();
    });
  }

  /** Tells all that wait that it is pending. */
  close(): void {
    this.#closed = true;
    this.#stop?.();
    for (const key of [...this.#keys.values()])
      for (const { told } of [...key.waiting]) told({ kind: "pending", signature: undefined });
  }

  /** Sets the timer for the key that is due first. */
  #next(): void {
    if (this.#asking || this.#closed) return;
    let first = Number.POSITIVE_INFINITY;
    for (const { due } of this.#keys.values()) first = Math.min(first, due);
    if (first >= this.#stopsAt) return;
    this.#stop?.();
    this.#stop = undefined;
    this.#stopsAt = first;
    if (first === Number.POSITIVE_INFINITY) return;
    this.#stop = this.#clock.after(Math.max(0, first - this.#clock.elapsed()), () => void this.#poll());
  }

  async #poll(): Promise<void> {
    this.#asking = true;
    this.#stopsAt = Number.POSITIVE_INFINITY;
    // Those that are due soon are asked for as well: one question is as good as two.
    const soon = this.#clock.elapsed() + FIRST_MS;
    const due = [...this.#keys].filter(([, key]) => key.due <= soon);
    try {
      const standings = due.length === 0 ? [] : await this.#ask(due.map(([text]) => text));
      for (const [i, [, key]] of due.entries())
        for (const { told } of [...key.waiting]) told(standings[i] ?? { kind: "absent" });
    } catch (error) {
      for (const [, key] of due) for (const { failed } of [...key.waiting]) failed(error);
    }
    const now = this.#clock.elapsed();
    for (const [, key] of due) {
      key.due = now + key.pause;
      key.pause = Math.min(2 * key.pause, LONGEST_MS);
    }
    this.#asking = false;
    this.#next();
  }
}
