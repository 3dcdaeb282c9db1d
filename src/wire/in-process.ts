/**
 * A connection within one process, with the same bytes as on a pipe: what passes here passes there.
 */
import type { Receiver, Transport } from "./transport.js";

/** Settings of a pair. */
export interface InProcessOptions {
  /** Bytes that may be under way in each direction before a writer is asked to wait. Default: 65,536, as on a pipe. */
  readonly highWaterBytes?: number;
}

const encoder = new TextEncoder();

/** Two ends of one connection. */
export function inProcess({ highWaterBytes = 65_536 }: InProcessOptions = {}): [Transport, Transport] {
  const left = new End(highWaterBytes);
  const right = new End(highWaterBytes);
  left.other = right;
  right.other = left;
  return [left, right];
}

class End implements Transport {
  other!: End;
  readonly #highWater: number;
  #receiver: Receiver | undefined;
  /** What the other end wrote and this one has not got. */
  #inbox: Uint8Array[] = [];
  #inboxBytes = 0;
  #paused = false;
  #scheduled = false;
  #writerWaits = false;
  /** This end writes no more. */
  #closed = false;
  /** All that the other end wrote was delivered. */
  #ended = false;
  readonly #whenOver: Promise<void>;
  #settle!: () => void;

  constructor(highWater: number) {
    this.#highWater = highWater;
    this.#whenOver = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  open(receiver: Receiver): void {
    if (this.#receiver !== undefined) throw new TypeError("a transport is opened once");
    this.#receiver = receiver;
    this.#schedule();
  }

  write(frames: string): boolean {
    return this.#closed || this.other.#take(encoder.encode(frames));
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#schedule();
  }

  close(): Promise<void> {
    this.#closed = true;
    this.other.#schedule();
    this.#over();
    return this.#whenOver;
  }

  #take(bytes: Uint8Array): boolean {
    if (this.#ended) return true;
    this.#inbox.push(bytes);
    this.#inboxBytes += bytes.length;
    this.#schedule();
    this.#writerWaits = this.#inboxBytes >= this.#highWater;
    return !this.#writerWaits;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    const receiver = this.#receiver;
    if (receiver === undefined || this.#ended) return;
    while (!this.#paused) {
      const chunk = this.#inbox.shift();
      if (chunk === undefined) break;
      this.#inboxBytes -= chunk.length;
      receiver.bytes(chunk);
    }
    if (this.#writerWaits && this.#inboxBytes < this.#highWater) {
      this.#writerWaits = false;
      this.other.#receiver?.drained();
    }
    if (this.#inbox.length > 0 || !this.other.#closed) return;
    this.#ended = true;
    receiver.ended();
    this.#over();
  }

  #over(): void {
    if (this.#closed && this.#ended) this.#settle();
  }
}
