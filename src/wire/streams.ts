/**
 * A transport over a pair of Node streams.
 */
import type { Readable, Writable } from "node:stream";
import type { Receiver, Transport } from "./transport.js";

/** How long a side that takes nothing any more may go on writing before the connection counts as over; milliseconds. */
const GRACE_MS = 2_000;

/** Two streams. */
export interface StreamsOptions {
  /** What the other side writes. */
  readonly input: Readable;
  /** What the other side reads. */
  readonly output: Writable;
  /** Whether closing ends the input too, instead of waiting until the other side does. Default: false. */
  readonly endsInput?: boolean;
}

/** A transport that reads one stream and writes the other. */
export class StreamsTransport implements Transport {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #endsInput: boolean;
  #receiver: Receiver | undefined;
  #ended = false;
  #writeError: Error | undefined;
  #grace: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  readonly #whenEnded: Promise<void>;
  #settleEnded!: () => void;

  constructor({ input, output, endsInput = false }: StreamsOptions) {
    this.#input = input;
    this.#output = output;
    this.#endsInput = endsInput;
    this.#whenEnded = new Promise((resolve) => {
      this.#settleEnded = resolve;
    });
    // A reader that is gone is seen here; what it wrote before still arrives, so the input decides the end.
    output.on("error", (error) => this.#writeFailed(error));
  }

  open(receiver: Receiver): void {
    if (this.#receiver !== undefined) throw new TypeError("a transport is opened once");
    this.#receiver = receiver;
    const input = this.#input;
    input.on("data", (chunk: Uint8Array) => {
      this.#grace?.refresh();
      if (!this.#ended) receiver.bytes(chunk);
    });
    input.on("end", () => this.end());
    input.on("error", (error) => this.end(error));
    input.on("close", () => this.end());
    this.#output.on("drain", () => receiver.drained());
  }

  write(frames: string): boolean {
    if (this.#writeError !== undefined || !this.#output.writable) return true;
    return this.#output.write(frames);
  }

  pause(): void {
    this.#input.pause();
  }

  resume(): void {
    this.#input.resume();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.endOutput();
    if (this.#endsInput) this.#input.destroy();
    else this.#input.resume();
    await this.#whenEnded;
  }

  /** Ends the output; resolves when all was written or nobody reads it. */
  endOutput(): Promise<void> {
    const output = this.#output;
    // One that has failed says nothing more, not even that it was closed.
    if (output.writableFinished || output.destroyed || this.#writeError !== undefined)
      return Promise.resolve();
    return new Promise((resolve) => {
      output.once("finish", resolve);
      output.once("close", resolve);
      output.once("error", () => resolve());
      output.end();
    });
  }

  /** Ends the input, whatever it does; what comes later is dropped. */
  end(error: Error | undefined = undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#grace);
    this.#receiver?.ended(error ?? this.#writeError);
    this.#settleEnded();
  }

  #writeFailed(error: Error): void {
    if (this.#writeError !== undefined) return;
    this.#writeError = error;
    // Nothing that was asked from now on arrives; what is under way in the other direction still may.
    if (!this.#ended) this.#grace = setTimeout(() => this.end(), GRACE_MS);
    this.#receiver?.drained();
  }
}
