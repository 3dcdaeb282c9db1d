/**
 * What waits to be written: frames in order, written together, held back while the transport asks to wait.
 */
import type { Transport } from "./transport.js";

/** Units of text that are written at once; more only where one frame is longer. */
const PIECE = 65_536;

/** Units of text that are not kept until the end of the turn. */
const EARLY = 8_192;

/** The outgoing side of a peer. */
export class Outbox {
  readonly #transport: Transport;
  readonly #highWater: number;
  #frames: string[] = [];
  #length = 0;
  #blocked = false;
  #scheduled = false;
  #closed = false;
  #held = false;
  #accepted = 0;
  #waiting: (() => void)[] = [];
  readonly #onRelief: () => void;
  readonly #atTurnsEnd = (): void => {
    this.#scheduled = false;
    this.flush();
  };

  /** `highWater`: UTF-16 units that may wait before writers are asked to. `onRelief`: fewer wait again. */
  constructor(transport: Transport, highWater: number, onRelief: () => void) {
    this.#transport = transport;
    this.#highWater = highWater;
    this.#onRelief = onRelief;
  }

  /** UTF-16 units that wait to be handed to the transport. */
  get length(): number {
    return this.#length;
  }

  /** Whether writers should wait. */
  get congested(): boolean {
    return this.#length > this.#highWater;
  }

  /** How many frames were added so far: the number that the next one gets. */
  get added(): number {
    return this.#accepted;
  }

  /** How many of them were handed to the transport. */
  get handed(): number {
    return this.#accepted - this.#frames.length;
  }

  /** Adds a frame. It is written with the others of this turn. */
  add(frame: string): void {
    if (this.#closed) return;
    this.#frames.push(frame);
    this.#accepted++;
    this.#length += frame.length;
    if (this.#blocked) return;
    // Enough for a write of its own: the other side works on it while this one makes the rest.
    if (this.#length >= EARLY) {
      this.flush();
      return;
    }
    if (this.#scheduled || this.#held) return;
    this.#scheduled = true;
    queueMicrotask(this.#atTurnsEnd);
  }

  /** Until `release`, frames wait for each other: what answers one chunk leaves in one write. */
  hold(): void {
    this.#held = true;
  }

  /** Writes what was held. */
  release(): void {
    this.#held = false;
    if (this.#frames.length > 0) this.flush();
  }

  /** Resolves when writers need not wait any more, or nothing will be written. */
  relief(): Promise<void> {
    return this.congested && !this.#closed
      ? new Promise((resolve) => this.#waiting.push(resolve))
      : Promise.resolve();
  }

  /** Writes what waits, as far as the transport takes it. */
  flush(): void {
    if (this.#blocked || this.#closed) return;
    let from = 0;
    while (from < this.#frames.length && !this.#blocked) {
      let to = from;
      let length = 0;
      do length += this.#frames[to++]!.length;
      while (to < this.#frames.length && length + this.#frames[to]!.length <= PIECE);
      const piece = to === from + 1 ? this.#frames[from]! : this.#frames.slice(from, to).join("");
      from = to;
      this.#length -= length;
      this.#blocked = !this.#transport.write(piece);
    }
    this.#frames = from === this.#frames.length ? [] : this.#frames.slice(from);
    if (!this.congested) this.#relieve();
  }

  /** The transport takes more. */
  drained(): void {
    this.#blocked = false;
    this.flush();
  }

  /** Nothing is written any more; what waits is dropped, and counts as not handed over. */
  close(): void {
    this.#closed = true;
    this.#relieve();
  }

  /** Resolves when all was handed to the transport, or nothing will be any more. */
  async emptied(): Promise<void> {
    while (this.#length > 0 && !this.#closed) {
      this.flush();
      if (this.#length > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #relieve(): void {
    if (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const resolve of waiting) resolve();
    }
    this.#onRelief();
  }
}
