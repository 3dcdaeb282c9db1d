/**
 * A transport over a WebSocket. An addition of ours: MSP v1 speaks stdio alone.
 *
 * One message holds one or more frames; the end of a message ends a frame, so that a peer may send a frame a message
 * with or without its line end. The platform's WebSocket and the one of `ws` both serve.
 */
import type { Receiver, Transport } from "./transport.js";

/** What is used of a WebSocket. */
export interface WebSocketLike {
  readonly readyState: number;
  readonly bufferedAmount: number;
  binaryType: string;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "message" | "close" | "error", listener: (event: unknown) => void): void;
  /** `ws` has these; a browser cannot be asked to wait. */
  pause?(): void;
  resume?(): void;
}

/** Bytes that may wait in the socket before writers are asked to. */
const HIGH_WATER_BYTES = 1024 * 1024;
/** How often a full socket is asked whether it takes more; milliseconds. The platform has no event for it. */
const POLL_MS = 10;
const OPEN = 1;
const CLOSED = 3;
/** How long the other side may take to answer a close; milliseconds. */
const CLOSE_MS = 10_000;

const encoder = new TextEncoder();
const LF = new Uint8Array([10]);

/** A connection that the other side, or the network, ended out of order. Told by `kind`. */
export class WebSocketClosedError extends Error {
  readonly kind = "webSocketClosed";
  /** The close code of RFC 6455. */
  readonly code: number;

  constructor(code: number, reason: string) {
    super(`the WebSocket was closed with ${code}${reason === "" ? "" : `: ${reason}`}`);
    this.name = "WebSocketClosedError";
    this.code = code;
  }
}

/** The connection over a WebSocket that is open, or that opens. What is written before it is open waits. */
export function webSocketTransport(socket: WebSocketLike): Transport {
  return new WebSocketTransport(socket);
}

class WebSocketTransport implements Transport {
  readonly #socket: WebSocketLike;
  #receiver: Receiver | undefined;
  #early: string[] = [];
  #poll: ReturnType<typeof setTimeout> | undefined;
  #ended = false;
  #closing = false;
  readonly #whenOver: Promise<void>;
  #settle!: () => void;

  constructor(socket: WebSocketLike) {
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    this.#whenOver = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  open(receiver: Receiver): void {
    if (this.#receiver !== undefined) throw new TypeError("a transport is opened once");
    this.#receiver = receiver;
    const socket = this.#socket;
    socket.addEventListener("open", () => {
      for (const frames of this.#early) socket.send(frames);
      this.#early = [];
      if (this.#closing) socket.close(1000);
      else receiver.drained();
    });
    socket.addEventListener("message", (event) => this.#message((event as { data: unknown }).data));
    socket.addEventListener("error", () => undefined); // a close follows, with a code
    socket.addEventListener("close", (event) => {
      const { code, reason } = event as { code: number; reason: string };
      // 1000: done; 1001: the page or server goes away; 1005: closed without saying why.
      this.#end([1000, 1001, 1005].includes(code) ? undefined : new WebSocketClosedError(code, reason));
    });
    if (socket.readyState === CLOSED) queueMicrotask(() => this.#end(new WebSocketClosedError(1006, "")));
  }

  write(frames: string): boolean {
    const socket = this.#socket;
    if (this.#ended || this.#closing) return true;
    if (socket.readyState < OPEN) {
      this.#early.push(frames);
      return false;
    }
    if (socket.readyState > OPEN) return true;
    socket.send(frames);
    if (socket.bufferedAmount < HIGH_WATER_BYTES) return true;
    this.#waitForRoom();
    return false;
  }

  pause(): void {
    this.#socket.pause?.();
  }

  resume(): void {
    this.#socket.resume?.();
  }

  close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = true;
      this.#socket.resume?.();
      if (this.#socket.readyState === OPEN) this.#socket.close(1000);
      const timer = setTimeout(() => this.#end(undefined), CLOSE_MS);
      void this.#whenOver.then(() => clearTimeout(timer));
    }
    return this.#whenOver;
  }

  #message(data: unknown): void {
    const receiver = this.#receiver;
    if (receiver === undefined || this.#ended) return;
    const bytes = typeof data === "string" ? encoder.encode(data) : bytesOf(data);
    if (bytes === undefined || bytes.length === 0) return;
    receiver.bytes(bytes);
    if (bytes[bytes.length - 1] !== LF[0]) receiver.bytes(LF);
  }

  #waitForRoom(): void {
    this.#poll ??= setTimeout(() => {
      this.#poll = undefined;
      if (this.#ended) return;
      if (this.#socket.bufferedAmount < HIGH_WATER_BYTES) this.#receiver?.drained();
      else this.#waitForRoom();
    }, POLL_MS);
  }

  #end(error: Error | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#poll);
    this.#receiver?.ended(error);
    this.#settle();
  }
}

function bytesOf(data: unknown): Uint8Array | undefined {
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : undefined;
}
