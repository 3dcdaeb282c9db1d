/**
 * Group commit: what is appended while a write runs is written together by the next one. In front of any store.
 */
import type { EntryText, Log } from "./store.js";

/** Writes to a log in groups. */
export class LogWriter {
  readonly #log: Log;
  readonly #onDurable: (position: number) => void;
  readonly #onFailure: (error: unknown) => void;
  #waiting: EntryText[] = [];
  #appended = 0;
  #durable = 0;
  #scheduled = false;
  #writing = false;
  #failed = false;
  #idle: (() => void)[] = [];
  readonly #turn = (): void => {
    this.#scheduled = false;
    this.#write();
  };

  /**
   * @param onDurable gets the position up to which entries are durable, each time that it moves
   * @param onFailure called once, when the log failed: what is not durable by then never will be known to be
   */
  constructor(log: Log, onDurable: (position: number) => void, onFailure: (error: unknown) => void) {
    this.#log = log;
    this.#onDurable = onDurable;
    this.#onFailure = onFailure;
  }

  /** How many entries were appended: the position that the last of them has. */
  get appended(): number {
    return this.#appended;
  }

  /** The position up to which entries are durable. */
  get durable(): number {
    return this.#durable;
  }

  /** How many wait to become durable. */
  get waiting(): number {
    return this.#appended - this.#durable;
  }

  /** Whether the log takes nothing more. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Adds an entry to the next group; its position. Nothing happens where the log failed. */
  append(entry: EntryText): number {
    if (this.#failed) return ++this.#appended;
    this.#waiting.push(entry);
    if (!this.#scheduled && !this.#writing) {
      // What one chunk of input asks for is decided in one turn: it makes one group.
      this.#scheduled = true;
      queueMicrotask(this.#turn);
    }
    return ++this.#appended;
  }

  /** Resolves when nothing waits any more, or the log failed. */
  settled(): Promise<void> {
    return this.waiting === 0 || this.#failed
      ? Promise.resolve()
      : new Promise((resolve) => this.#idle.push(resolve));
  }

  #write(): void {
    if (this.#writing || this.#failed || this.#waiting.length === 0) return;
    const group = this.#waiting;
    this.#waiting = [];
    this.#writing = true;
    let done: void | Promise<void>;
    try {
      done = this.#log.write(group);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (done === undefined) this.#written(group.length);
    else
      done.then(
        () => this.#written(group.length),
        (error: unknown) => this.#fail(error),
      );
  }

  #written(count: number): void {
    this.#writing = false;
    this.#durable += count;
    this.#onDurable(this.#durable);
    if (this.#waiting.length > 0) this.#write();
    else this.#rest();
  }

  #fail(error: unknown): void {
    this.#writing = false;
    this.#failed = true;
    this.#waiting = [];
    this.#onFailure(error);
    this.#rest();
  }

  #rest(): void {
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}
