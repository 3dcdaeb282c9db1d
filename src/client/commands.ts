/**
 * Sends commands so that each is carried out once: one id for all attempts, retries only where the host says that it
 * admitted nothing, and answers that must agree.
 */
import type { errors } from "../../generated/msp/experimental/tables.js";
import {
  isAnsweredError,
  isWireError,
  type Peer,
  type RequestOptions,
  type WireError,
} from "../wire/index.js";
import { ConnectionError, MspError, outcomeOf, ProtocolError } from "./errors.js";
import type { UsedId, UsedIds } from "./used-ids.js";

/** How often and how patiently a command is tried. */
export interface RetryOptions {
  /** Attempts in all, from 1. Default: 3. */
  readonly maxAttempts?: number | undefined;
  /**
   * Milliseconds before the next attempt; `attempt` is the one that failed, from 1. Default: full jitter, a whole
   * number from 0 to 50 doubled at each attempt, at most 2,000.
   */
  readonly retryDelay?: ((attempt: number, error: MspError) => number) | undefined;
}

/** What a caller may say about one call. */
export interface CallOptions extends RequestOptions, RetryOptions {}

/** Gets the notifications and requests of the host, in their order. Must not throw. */
export type FrameListener = (method: string, params: unknown) => void;

/** Errors after which the same command is tried again: kind and code must both say so. */
const RETRIED = { overloaded: -32001, backpressured: -32031 } as const satisfies {
  [K in "overloaded" | "backpressured"]: (typeof errors)[K]["code"];
};

/** The way to a host that a generated client stands on: a peer that knows what a command is. */
export class CommandPeer {
  readonly writesJson = true;
  readonly #peer: Peer;
  readonly #used: UsedIds;
  readonly #frames: FrameListener;
  readonly #chance: () => number;

  /** `frames` gets what the host sends before the listeners do. `chance`: from 0 to below 1. */
  constructor(
    peer: Peer,
    used: UsedIds,
    frames: FrameListener = () => undefined,
    chance: () => number = Math.random,
  ) {
    this.#peer = peer;
    this.#used = used;
    this.#frames = frames;
    this.#chance = chance;
  }

  /** Sends a request; params with a `commandId` are a command. Rejects with an error of this package. */
  async request(method: string, params: unknown, options: CallOptions = {}): Promise<unknown> {
    const commandId = commandIdOf(params);
    if (commandId !== undefined) return this.#command(method, params as object, commandId, options);
    try {
      return await this.#peer.request(method, params, options);
    } catch (error) {
      if (isAnsweredError(error)) throw new MspError(error);
      if (isWireError(error)) throw new ConnectionError(error.kind, error.message, error);
      throw error;
    }
  }

  /** Sends a notification. */
  notify(method: string, params: unknown): void | Promise<void> {
    return this.#peer.notify(method, params);
  }

  /** Sets what gets the notifications of the host. */
  onNotification(listener: Parameters<Peer["onNotification"]>[0]): void {
    this.#peer.onNotification((method, params, info) => {
      this.#frames(method, params);
      listener(method, params, info);
    });
  }

  /** Sets what answers the requests of the host. */
  onRequest(listener: Parameters<Peer["onRequest"]>[0]): void {
    this.#peer.onRequest((method, params, info) => {
      this.#frames(method, params);
      return listener(method, params, info);
    });
  }

  async #command(method: string, params: object, commandId: string, options: CallOptions): Promise<unknown> {
    const { maxAttempts = 3, retryDelay = (attempt) => this.#jitter(attempt), signal } = options;
    if (!Number.isInteger(maxAttempts) || maxAttempts < 1)
      throw new RangeError(`maxAttempts must be a positive integer, not ${maxAttempts}`);
    const used = this.#used.use(commandId, method, params);
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return this.#checked(method, commandId, used, await this.#peer.request(method, params, options));
        } catch (error) {
          const failure = failureOf(error, used);
          const again =
            attempt < maxAttempts &&
            failure instanceof MspError &&
            RETRIED[failure.kind as keyof typeof RETRIED] === failure.code;
          if (!again) throw failure;
          if (!(await pause(retryDelay(attempt, failure), signal))) throw failure;
        }
      }
    } finally {
      this.#used.release(used);
    }
  }

  /** An ack that names the command that was sent, and is the one that was given before. */
  #checked(method: string, commandId: string, used: UsedId, result: unknown): unknown {
    const echo = (result as { readonly commandId?: unknown }).commandId;
    if (echo !== undefined && echo !== commandId) {
      used.mayBeAdmitted = true;
      throw new ProtocolError(
        "echoMismatch",
        `${method}: the answer to commandId ${commandId} names ${JSON.stringify(echo)}`,
        "outcomeUnknown",
      );
    }
    if (!this.#used.acked(used, result))
      throw new ProtocolError(
        "replayMismatch",
        `${method}: the host answered commandId ${commandId} otherwise than before`,
        "outcomeUnknown",
      );
    return result;
  }

  #jitter(attempt: number): number {
    return Math.floor(this.#chance() * (Math.min(2_000, 50 * 2 ** (attempt - 1)) + 1));
  }
}

/** What the wire knows after these is that nothing was sent. */
const UNSENT: ReadonlySet<WireError["kind"]> = new Set(["notSent", "unencodable", "queueFull"]);

/** The error of a command with what it says; takes note of what is now possible. */
function failureOf(error: unknown, used: UsedId): unknown {
  if (isAnsweredError(error)) {
    const outcome = outcomeOf({ code: error.code, kind: error.data?.kind ?? "unknown" });
    // Another attempt, whose answer was lost or has not come, may have been admitted, whatever this one says of itself.
    const alone = !used.mayBeAdmitted && used.inFlight === 1;
    if (outcome === "nothingAdmitted" && !alone) return new MspError(error, "outcomeUnknown");
    if (outcome === "outcomeUnknown") used.mayBeAdmitted = true;
    return new MspError(error, outcome);
  }
  if (!isWireError(error)) return error;
  const unsent = UNSENT.has(error.kind);
  if (!unsent) used.mayBeAdmitted = true;
  const alone = !used.mayBeAdmitted && used.inFlight === 1;
  const outcome = unsent && alone ? "nothingAdmitted" : "outcomeUnknown";
  return new ConnectionError(error.kind, error.message, error, outcome);
}

function commandIdOf(params: unknown): string | undefined {
  if (typeof params !== "object" || params === null) return undefined;
  const { commandId } = params as { readonly commandId?: unknown };
  return typeof commandId === "string" ? commandId : undefined;
}

/** Waits; false where the wait was given up. */
function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted === true) return Promise.resolve(false);
  return new Promise((resolve) => {
    const done = (waited: boolean) => () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stopped);
      resolve(waited);
    };
    const stopped = done(false);
    const timer = setTimeout(done(true), milliseconds);
    signal?.addEventListener("abort", stopped, { once: true });
  });
}
