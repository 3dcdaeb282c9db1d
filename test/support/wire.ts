/** Parts for tests of the wire: a transport that a test plays by hand, and what the framing vectors say. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Receiver, Transport } from "../../src/wire/index.js";
import { ROOT } from "./repo.js";

/** A transport whose other side is the test. */
export class ManualTransport implements Transport {
  readonly written: string[] = [];
  receiver!: Receiver;
  paused = false;
  closed = false;
  /** What writes answer: false asks to wait. */
  takes = true;
  #settle!: () => void;
  readonly #over = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  open(receiver: Receiver): void {
    this.receiver = receiver;
  }

  write(frames: string): boolean {
    if (!this.closed) this.written.push(frames);
    return this.takes;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  close(): Promise<void> {
    this.closed = true;
    this.#settle();
    return this.#over;
  }

  /** Delivers bytes, or text as UTF-8. */
  feed(data: string | Uint8Array): void {
    this.receiver.bytes(typeof data === "string" ? Buffer.from(data) : data);
  }

  /** Delivers a message as a frame. */
  say(message: object): void {
    this.feed(`${JSON.stringify(message)}\n`);
  }

  /** What was written so far, parsed. */
  get frames(): Record<string, unknown>[] {
    const text = this.written.join("");
    if (text !== "" && !text.endsWith("\n")) throw new Error("what was written is not made of whole frames");
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

/** Lets everything run that was started: microtasks and what they start. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits until something holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** What must come of the bytes of a vector; see scripts/vectors/framing.mjs. */
export type Outcome =
  | { readonly type: "request"; readonly id: unknown; readonly method: string; readonly params?: unknown }
  | { readonly type: "notification"; readonly method: string; readonly params?: unknown }
  | { readonly type: "settled"; readonly id: number; readonly result?: unknown; readonly code?: number }
  | { readonly type: "unknown"; readonly id: number }
  | { readonly type: "refused"; readonly id: unknown; readonly code: number; readonly limitBytes?: number }
  | { readonly type: "dropped"; readonly reason: string };

/** A row of the framing vectors. */
export interface FramingRow {
  readonly name: string;
  readonly bytes: Buffer;
  readonly limitBytes?: number;
  readonly ends?: boolean;
  readonly outcomes: readonly Outcome[];
}

/** The committed framing vectors. */
export function framingRows(): FramingRow[] {
  return readFileSync(join(ROOT, "schema/msp/vectors/framing.ndjson"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const row = JSON.parse(line) as Omit<FramingRow, "bytes"> & { bytes: string };
      return { ...row, bytes: Buffer.from(row.bytes, "base64") };
    });
}
