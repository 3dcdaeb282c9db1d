/**
 * What waits to become durable, in one line. First the answers of what has become so, then, in a later turn, what
 * follows from it: a client that waits for its ack gets it before the events, and in a write of its own.
 */
import { LogWriter } from "../ledger/log-writer.js";
import type { Log } from "../ledger/store.js";

/** One thing in the line. */
export interface InLine {
  /** What must be durable before: a position of the log. */
  readonly position: number;
  /** Called as soon as it is durable. */
  readonly answer?: () => void;
  /** Called where that will never be known. */
  readonly failed?: (error: unknown) => void;
}

/** How a line tells. */
export interface LineOptions<Item extends InLine> {
  /** Runs something when the answers of this turn are on their way. */
  readonly defer: (run: () => void) => void;
  /** Gets what has become durable, in order, after its answers. */
  readonly ready: (items: readonly Item[]) => void;
  /** The log failed. Everything in the line was told so. */
  readonly lost: (error: unknown) => void;
}

/** The line of one log. */
export class DurableLine<Item extends InLine> {
  readonly #writer: LogWriter;
  readonly #options: LineOptions<Item>;
  #waiting: Item[] = [];
  #ready: Item[] = [];
  #scheduled = false;
  #lost: { readonly error: unknown } | undefined;

  constructor(log: Log, options: LineOptions<Item>) {
    this.#options = options;
    this.#writer = new LogWriter(
      log,
      (position) => this.#durable(position),
      (error) => this.#fail(error),
    );
  }

  /** The position of what was appended last. */
  get appended(): number {
    return this.#writer.appended;
  }

  /** The position up to which entries are durable. */
  get durable(): number {
    return this.#writer.durable;
  }

  /** How many entries wait to become durable. */
  get waiting(): number {
    return this.#writer.waiting;
  }

  /** Whether the log failed. */
  get lost(): boolean {
    return this.#lost !== undefined;
  }

  /** Appends an entry; its position. */
  append(entry: string): number {
    return this.#writer.append(entry);
  }

  /** Resolves when nothing waits to become durable. */
  settled(): Promise<void> {
    return this.#writer.settled();
  }

  /** Adds to the line. */
  add(item: Item): void {
    if (this.#lost !== undefined) item.failed?.(this.#lost.error);
    else if (this.#waiting.length > 0 || item.position > this.#writer.durable) this.#waiting.push(item);
    else {
      item.answer?.();
      this.#ready.push(item);
      this.#schedule();
    }
  }

  #durable(position: number): void {
    let count = 0;
    while (count < this.#waiting.length && this.#waiting[count]!.position <= position) count++;
    if (count === 0) return;
    const durable = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    for (const item of durable) {
      item.answer?.();
      this.#ready.push(item);
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#options.defer(() => {
      this.#scheduled = false;
      const ready = this.#ready;
      this.#ready = [];
      this.#options.ready(ready);
    });
  }

  #fail(error: unknown): void {
    this.#lost = { error };
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { failed } of waiting) failed?.(error);
    this.#options.lost(error);
  }
}
