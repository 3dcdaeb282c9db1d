/**
 * What may be said to a peer, and what it says: options, listeners and answers.
 */
import type { ErrorObject, RequestId, Trace } from "./envelope.js";
import type { WireErrorRows } from "./errors.js";
import type { ProtocolFault } from "./faults.js";

/** What a caller may say about one request. */
export interface RequestOptions {
  /** Gives up the wait: the call rejects with `cancelled`, the late answer is dropped. Nothing is sent. */
  readonly signal?: AbortSignal | undefined;
  /** Tracing context, sent in the envelope. */
  readonly trace?: Trace | undefined;
}

/** What a caller may say about one notification. */
export interface NotifyOptions {
  /** When it was made, in Unix milliseconds. Stamped once, before a notification goes to several connections. */
  readonly emittedAtMs?: number | undefined;
}

/** What a request is answered. */
export type Answer = { readonly result: unknown } | { readonly error: ErrorObject };

/** What a listener may know of a request besides method and params. */
export interface RequestInfo {
  readonly id: RequestId;
  /** The tracing context as it came; not checked. */
  readonly trace: unknown;
}

/** Answers the requests of the other side. */
export type RequestListener = (
  method: string,
  params: unknown,
  info: RequestInfo,
) => Answer | Promise<Answer>;

/** Gets the notifications of the other side, in their order. */
export type NotificationListener = (
  method: string,
  params: unknown,
  info: { readonly emittedAtMs: unknown },
) => void;

/** How a peer behaves. */
export interface PeerOptions {
  /** The rows of the protocol's registry for what the peer answers of its own accord. Default: what JSON-RPC says. */
  readonly errors?: WireErrorRows;
  /** Bytes that a frame may have, each way. Default: 10,485,760. */
  readonly limitBytes?: number;
  /** Requests of the other side that are handled at once; more are answered `overloaded`. Default: 1,024. */
  readonly maxConcurrent?: number;
  /** Requests of this side that may wait for an answer; more are refused with `queueFull`. Default: 10,000. */
  readonly maxPending?: number;
  /** UTF-16 units that may wait to be written before a notification is refused with `queueFull`. Default: 64 Mi. */
  readonly maxQueued?: number;
  /** UTF-16 units that may wait to be written before `notify` waits. Default: 1 Mi. */
  readonly highWater?: number;
  /** UTF-16 units that may wait to be written before nothing more is read. Default: 8 Mi. */
  readonly pauseAbove?: number;
  /**
   * Milliseconds that closing waits for requests that are being handled, and for what waits to be written. What is
   * left then is dropped. Default: 30,000.
   */
  readonly drainTimeoutMs?: number;
  /**
   * Whether frames that are no messages are answered with an error, as a host does. A client does not: its host
   * asked nothing. Default: true.
   */
  readonly answerMalformed?: boolean;
  /** Gives the id of the next request of this side: an integer from 1 that is never used twice. Default: counts. */
  readonly nextId?: () => number;
  /** Gets what the other side sent against the protocol; the connection goes on. */
  readonly onProtocolFault?: (fault: ProtocolFault) => void;
  /** Gets what a listener threw. */
  readonly onError?: (error: unknown) => void;
  /**
   * Runs when the other side has ended, before this side closes: the time for last notifications. What it throws goes
   * to `onError`.
   */
  readonly onEnd?: () => void | Promise<void>;
}
