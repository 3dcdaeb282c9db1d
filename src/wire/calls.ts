/**
 * The requests of this side that wait for an answer. Each is settled once: by its own answer, by its caller, or at
 * the end of the connection.
 */
import type { AnswerMessage, RequestId } from "./envelope.js";
import { AnsweredError, WireError } from "./errors.js";

interface Call {
  readonly method: string;
  /** Its place among all frames that this side sends. */
  readonly frame: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly signal: AbortSignal | undefined;
  readonly onAbort: (() => void) | undefined;
}

/** Answers to calls that were given up are awaited and dropped; of more than these the oldest is forgotten. */
const MOST_ABANDONED = 10_000;

/** Open calls by id. Ids are integers from 1 that are never used again on this connection. */
export class Calls {
  #last = 0;
  readonly #open = new Map<RequestId, Call>();
  readonly #abandoned = new Set<RequestId>();

  /** How many wait. */
  get size(): number {
    return this.#open.size;
  }

  /** The id of the next call. */
  nextId(): number {
    return ++this.#last;
  }

  /** Adds a call; the promise is settled once. `frame`: its place among the frames that this side sends. */
  add(id: number, method: string, frame: number, signal: AbortSignal | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const onAbort =
        signal === undefined
          ? undefined
          : () => {
              this.#abandon(id);
              const message = `${method}: given up before an answer came`;
              reject(new WireError("cancelled", message, method, { cause: signal.reason }));
            };
      this.#open.set(id, { method, frame, resolve, reject, signal, onAbort });
      if (onAbort !== undefined) signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Settles the call that an answer belongs to; false where it belongs to none. */
  answer(message: AnswerMessage): boolean {
    const call = this.#take(message.id);
    if (call === undefined) return this.#abandoned.delete(message.id);
    if (message.type === "result") call.resolve(message.result);
    else call.reject(new AnsweredError(call.method, message.error));
    return true;
  }

  /** Ends the wait for an answer that cannot be read; false where nobody waits for it. */
  malformed(id: RequestId, why: string): boolean {
    const call = this.#take(id);
    if (call === undefined) return this.#abandoned.delete(id);
    call.reject(
      new WireError(
        "malformedAnswer",
        `${call.method}: the answer ${why}; the outcome is unknown`,
        call.method,
      ),
    );
    return true;
  }

  /** Ends every wait. `handed`: how many frames of this side reached the transport. */
  end(handed: number, cause: Error | undefined): void {
    for (const id of [...this.#open.keys()]) {
      const { method, frame, reject } = this.#take(id)!;
      const options = cause === undefined ? undefined : { cause };
      reject(
        frame < handed
          ? new WireError(
              "outcomeUnknown",
              `${method}: the connection ended before an answer came; the outcome is unknown`,
              method,
              options,
            )
          : new WireError("notSent", `${method}: the connection ended before it was sent`, method, options),
      );
    }
    this.#abandoned.clear();
  }

  #take(id: RequestId): Call | undefined {
    const call = this.#open.get(id);
    if (call === undefined) return undefined;
    this.#open.delete(id);
    if (call.onAbort !== undefined) call.signal?.removeEventListener("abort", call.onAbort);
    return call;
  }

  #abandon(id: RequestId): void {
    this.#open.delete(id);
    this.#abandoned.add(id);
    if (this.#abandoned.size > MOST_ABANDONED) {
      for (const oldest of this.#abandoned) {
        this.#abandoned.delete(oldest);
        break;
      }
    }
  }
}
