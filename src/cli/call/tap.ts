/**
 * A transport that tells what passes: each message of the host in the order of its arrival, answers among them. A
 * promise would tell an answer only after what came behind it in the same piece.
 */
import { type ErrorObject, messageOf, type RequestId } from "../../wire/envelope.js";
import { FrameReader } from "../../wire/frames.js";
import type { ChildExit } from "../../wire/node.js";
import { parseFrame } from "../../wire/parse.js";
import type { Receiver, Transport } from "../../wire/transport.js";

/** A message of the host. `method` of an answer is that of its request. */
export type Arrival =
  | { readonly type: "notification"; readonly method: string; readonly params: unknown }
  | { readonly type: "request"; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly type: "result"; readonly method: string; readonly result: unknown }
  | { readonly type: "error"; readonly method: string; readonly error: ErrorObject };

/** A transport that may have started its host. */
export type HostTransport = Transport & {
  readonly exit?: Promise<ChildExit>;
  readonly stderrTail?: string;
  kill?(signal: NodeJS.Signals): void;
};

/** A transport in front of another. Frames that are no messages are left to the peer, which tells of them. */
export class Tap implements Transport {
  /** How the host ended, where it was started here. */
  readonly exit?: Promise<ChildExit>;
  readonly #inner: HostTransport;
  readonly #asked = new Map<RequestId, string>();
  readonly #reader: FrameReader;

  /** `arrived` must not throw. */
  constructor(inner: HostTransport, arrived: (arrival: Arrival) => void) {
    this.#inner = inner;
    if (inner.exit !== undefined) this.exit = inner.exit;
    this.#reader = new FrameReader({
      onFrame: (text) => {
        const arrival = this.#arrival(text);
        if (arrival !== undefined) arrived(arrival);
      },
      onFault: () => undefined,
    });
  }

  get stderrTail(): string {
    return this.#inner.stderrTail ?? "";
  }

  open(receiver: Receiver): void {
    this.#inner.open({
      bytes: (chunk) => {
        this.#reader.push(chunk);
        receiver.bytes(chunk);
      },
      drained: () => receiver.drained(),
      ended: (error) => receiver.ended(error),
    });
  }

  write(frames: string): boolean {
    for (const line of frames.split("\n")) {
      if (line === "") continue;
      const message = messageOf(JSON.parse(line));
      if (message.type === "request") this.#asked.set(message.id, message.method);
    }
    return this.#inner.write(frames);
  }

  pause(): void {
    this.#inner.pause();
  }

  resume(): void {
    this.#inner.resume();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Sends a signal to a host that was started here. */
  kill(signal: NodeJS.Signals): void {
    this.#inner.kill?.(signal);
  }

  #arrival(text: string): Arrival | undefined {
    const parsed = parseFrame(text);
    if ("fault" in parsed) return undefined;
    const message = messageOf(parsed.value);
    switch (message.type) {
      case "notification":
        return { type: "notification", method: message.method, params: message.params };
      case "request":
        return { type: "request", id: message.id, method: message.method, params: message.params };
      case "result":
      case "error": {
        const method = this.#asked.get(message.id);
        if (method === undefined) return undefined;
        this.#asked.delete(message.id);
        return message.type === "result"
          ? { type: "result", method, result: message.result }
          : { type: "error", method, error: message.error };
      }
      default:
        return undefined;
    }
  }
}
