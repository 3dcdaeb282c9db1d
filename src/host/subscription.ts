/**
 * One connection's view of one session. Events that are kept are read from the view itself when the connection takes
 * them: what waits for a slow reader is a number. Of one that is too far behind, a stretch is left out and told as a gap.
 */
import type { SessionViewLog, ToldEvent } from "./session/view.js";

/** Where a subscription sends. */
export interface Reader {
  /** Sends an event. A promise where the reader should be given time. */
  send(event: ToldEvent): void | Promise<void>;
  /** Tells that events are left out: those between two cursors, both of which it gets. */
  gap(after: string, next: string): void | Promise<void>;
  /** An event of this kind is never left out. */
  isProtected(method: string): boolean;
  /** An event was sent, or left out. */
  passed(event: ToldEvent, ordinal: number): void;
}

/** A subscription. */
export class Subscription {
  readonly #view: SessionViewLog;
  readonly #reader: Reader;
  readonly #maxBehind: number;
  /** The number of the event that is sent next. */
  #next: number;
  /** The cursor that the reader got last. */
  #last: string;
  #busy = false;
  #over = false;

  /**
   * @param after the number of the event after which it begins
   * @param cursor the cursor that the reader has: of that event, or of a reply
   * @param maxBehind how many events may wait
   */
  constructor(view: SessionViewLog, reader: Reader, after: number, cursor: string, maxBehind: number) {
    this.#view = view;
    this.#reader = reader;
    this.#next = after + 1;
    this.#last = cursor;
    this.#maxBehind = maxBehind;
  }

  /** Sends what the reader has not got, as far as it takes it. */
  pump(): void {
    while (!this.#busy && !this.#over && this.#next <= this.#view.ordinal) {
      this.#skip();
      const event = this.#view.event(this.#next);
      if (event === undefined) return;
      const ordinal = this.#next++;
      this.#send(event);
      this.#reader.passed(event, ordinal);
    }
  }

  /** Sends something that is not kept: now or never. */
  pass(event: ToldEvent): void {
    if (this.#busy || this.#over || this.#next <= this.#view.ordinal) return;
    this.#send(event);
  }

  /** Sends nothing more. */
  end(): void {
    this.#over = true;
  }

  #send(event: ToldEvent): void {
    this.#last = event.params.viewCursor;
    this.#await(this.#reader.send(event));
  }

  #await(wait: void | Promise<void>): void {
    if (wait === undefined) return;
    this.#busy = true;
    const go = () => {
      this.#busy = false;
      this.pump();
    };
    wait.then(go, () => this.end());
  }

  /** Leaves out what is too far behind; but not what is never left out. */
  #skip(): void {
    const { ordinal, first } = this.#view;
    const target = Math.max(first, ordinal - this.#maxBehind + 1);
    if (ordinal - this.#next < this.#maxBehind && this.#next >= first) return;
    const after = this.#last;
    for (let at = Math.max(this.#next, first); at < target; at++) {
      const event = this.#view.event(at)!;
      // It comes before its time and is read again with the hole: a reader knows it by its cursor.
      if (this.#reader.isProtected(event.method)) void this.#reader.send(event);
      this.#reader.passed(event, at);
    }
    this.#next = target;
    const next = this.#view.event(target);
    if (next !== undefined) this.#await(this.#reader.gap(after, next.params.viewCursor));
  }
}
