/**
 * A symmetric JSON-RPC peer over any transport: it carries a generated client and a generated server, and survives
 * what the other side sends.
 */
import { Calls } from "./calls.js";
import { checkSize, errorFrame, notificationFrame, requestFrame, resultFrame } from "./encode.js";
import { type ErrorObject, messageOf, type RequestId } from "./envelope.js";
import { WireError, type WireErrorRow, type WireErrorRows, wireErrors } from "./errors.js";
import { faultOf, idInPrefix, type ProtocolFault } from "./faults.js";
import { DEFAULT_LIMIT_BYTES, type FrameFault, FrameReader } from "./frames.js";
import { Outbox } from "./outbox.js";
import { parseFrame } from "./parse.js";
import type {
  Answer,
  NotificationListener,
  NotifyOptions,
  PeerOptions,
  RequestListener,
  RequestOptions,
} from "./peer-options.js";
import type { Transport } from "./transport.js";
import { within } from "./within.js";

/** One side of a connection. Set listeners in the turn that makes it: bytes are delivered from the next one on. */
export class Peer {
  /** A generated client need not drop what JSON drops. */
  readonly writesJson = true;
  readonly #transport: Transport;
  readonly #options: PeerOptions;
  readonly #errors: WireErrorRows;
  readonly #limit: number;
  readonly #maxConcurrent: number;
  readonly #maxPending: number;
  readonly #maxQueued: number;
  readonly #pauseAbove: number;
  readonly #outbox: Outbox;
  readonly #calls = new Calls();
  readonly #reader: FrameReader;
  #request: RequestListener | undefined;
  #notification: NotificationListener | undefined;
  #handling = 0;
  #paused = false;
  /** The other side has ended: no answer will come. */
  #ended = false;
  #closing: Promise<void> | undefined;
  #idle: (() => void) | undefined;
  readonly #closed: Promise<Error | undefined>;
  #settleClosed!: (error: Error | undefined) => void;
  #endError: Error | undefined;

  constructor(transport: Transport, options: PeerOptions = {}) {
    this.#transport = transport;
    this.#options = options;
    this.#errors = options.errors ?? wireErrors();
    this.#limit = options.limitBytes ?? DEFAULT_LIMIT_BYTES;
    this.#maxConcurrent = options.maxConcurrent ?? 1_024;
    this.#maxPending = options.maxPending ?? 10_000;
    this.#maxQueued = options.maxQueued ?? 64 * 1024 * 1024;
    this.#pauseAbove = options.pauseAbove ?? 8 * 1024 * 1024;
    this.#outbox = new Outbox(transport, options.highWater ?? 1024 * 1024, () => this.#relieved());
    this.#closed = new Promise((resolve) => {
      this.#settleClosed = resolve;
    });
    this.#reader = new FrameReader({
      limitBytes: this.#limit,
      onFrame: (text) => this.#frame(text),
      onFault: (fault) => this.#badFrame(fault),
    });
    transport.open({
      bytes: (chunk) => {
        this.#outbox.hold();
        this.#reader.push(chunk);
        this.#outbox.release();
      },
      drained: () => this.#outbox.drained(),
      ended: (error) => this.#end(error),
    });
  }

  /** Requests of this side that wait for an answer. */
  get pending(): number {
    return this.#calls.size;
  }

  /** Whether requests can be sent: neither side has ended. */
  get open(): boolean {
    return !this.#ended && this.#closing === undefined;
  }

  /** Resolves when the connection is over, with the error that ended it where it was not ended in order. */
  get closed(): Promise<Error | undefined> {
    return this.#closed;
  }

  /**
   * Sends a request; without `params` where they are undefined. Resolves with the result. Rejects with an
   * {@link AnsweredError}, or with a {@link WireError} that says whether it was sent.
   */
  request(method: string, params: unknown, options: RequestOptions = {}): Promise<unknown> {
    const { signal, trace } = options;
    try {
      this.#assertOpen(method);
      if (signal?.aborted === true)
        throw new WireError("notSent", `${method}: given up before it was sent`, method, {
          cause: signal.reason,
        });
      if (this.#calls.size >= this.#maxPending)
        throw new WireError("queueFull", `${method}: ${this.#maxPending} requests wait already`, method);
      const id = this.#options.nextId?.() ?? this.#calls.nextId();
      const frame = requestFrame(id, method, params, trace);
      this.#assertRoom(frame, method);
      const answer = this.#calls.add(id, method, this.#outbox.added, signal);
      this.#outbox.add(frame);
      return answer;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Sends a notification. Gives a promise where the sender should wait before it sends more; it resolves when the
   * connection takes more. Rejects, or throws nothing, as {@link Peer.request} does.
   */
  notify(method: string, params: unknown, options: NotifyOptions = {}): void | Promise<void> {
    try {
      if (this.#closing !== undefined)
        throw new WireError("notSent", `${method}: the connection is closed`, method);
      const frame = notificationFrame(method, params, options.emittedAtMs);
      this.#assertRoom(frame, method);
      this.#outbox.add(frame);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#outbox.congested ? this.#outbox.relief() : undefined;
  }

  /** Sets what gets the notifications of the other side. What it throws goes to `onError`. */
  onNotification(listener: NotificationListener): void {
    this.#notification = listener;
  }

  /** Sets what answers the requests of the other side. What it throws is answered `internal`. */
  onRequest(listener: RequestListener): void {
    this.#request = listener;
  }

  /**
   * Closes in order: requests that are being handled are answered, what waits is written, then the transport is
   * closed. Resolves when the connection is over; the same promise again.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await within(this.#options.drainTimeoutMs ?? 30_000, this.#drained());
    this.#outbox.close();
    try {
      await this.#transport.close();
    } catch (error) {
      this.#endError ??= error as Error;
    }
    // A transport that closed without saying that the other side has ended will deliver nothing either.
    this.#settleAll(this.#endError);
    this.#settleClosed(this.#endError);
  }

  async #drained(): Promise<void> {
    if (this.#handling > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    await this.#outbox.emptied();
  }

  #end(error: Error | undefined): void {
    this.#reader.end();
    this.#endError = error;
    this.#settleAll(error);
    void this.#lastWords().then(() => this.close());
  }

  async #lastWords(): Promise<void> {
    try {
      await this.#options.onEnd?.();
    } catch (error) {
      this.#options.onError?.(error);
    }
  }

  #settleAll(error: Error | undefined): void {
    this.#ended = true;
    this.#calls.end(this.#outbox.handed, error);
  }

  #assertOpen(method: string): void {
    if (!this.open) throw new WireError("notSent", `${method}: the connection is closed`, method);
  }

  #assertRoom(frame: string, method: string): void {
    checkSize(frame, this.#limit, method);
    if (this.#outbox.length + frame.length > this.#maxQueued)
      throw new WireError("queueFull", `${method}: too much waits to be written`, method);
  }

  #frame(text: string): void {
    const parsed = parseFrame(text);
    if ("fault" in parsed) {
      this.#refuse(this.#errors.parseError, null, { kind: parsed.fault, evidence: text });
      return;
    }
    const message = messageOf(parsed.value);
    switch (message.type) {
      case "request":
        this.#handle(message.id, message.method, message.params, message.trace);
        return;
      case "notification":
        try {
          this.#notification?.(message.method, message.params, message);
        } catch (error) {
          this.#options.onError?.(error);
        }
        return;
      case "result":
      case "error":
        if (!this.#calls.answer(message)) this.#report("unknownId", text, "answers no open request");
        return;
      case "malformedAnswer":
        if (message.id !== null) this.#calls.malformed(message.id, message.why);
        this.#report("malformedAnswer", text, message.why);
        return;
      case "malformedRequest":
        this.#refuse(this.#errors.invalidRequest, message.id, {
          kind: "malformedRequest",
          evidence: text,
          why: message.why,
        });
    }
  }

  #badFrame(fault: FrameFault): void {
    if (fault.kind === "notUtf8") {
      this.#refuse(this.#errors.parseError, null, { kind: "notUtf8", evidence: fault.text });
    } else if (fault.kind === "truncated") {
      // Nobody waits for an answer to it, and what it began to ask for must not be done.
      this.#report("truncated", fault.text);
    } else {
      const { id, isAnswer } = idInPrefix(fault.prefix);
      if (isAnswer) {
        if (id !== undefined) this.#calls.malformed(id, `is over ${fault.limitBytes} bytes`);
        this.#report("tooLong", fault.prefix);
      } else if (id === undefined) {
        this.#refuse(this.#errors.parseError, null, { kind: "tooLong", evidence: fault.prefix });
      } else {
        const { limitBytes } = fault;
        this.#refuse(
          this.#errors.inputTooLarge,
          id,
          { kind: "tooLong", evidence: fault.prefix },
          { limitBytes },
        );
      }
    }
  }

  #handle(id: RequestId, method: string, params: unknown, trace: unknown): void {
    if (this.#request === undefined) {
      this.#answer(id, method, {
        error: errorOf(this.#errors.methodNotFound, `there is no method ${method}`),
      });
      return;
    }
    if (this.#handling >= this.#maxConcurrent) {
      this.#answer(id, method, { error: errorOf(this.#errors.overloaded, "too many requests at once") });
      return;
    }
    this.#handling++;
    let answer: Answer | Promise<Answer>;
    try {
      answer = this.#request(method, params, { id, trace });
    } catch (error) {
      this.#failed(id, method, error);
      return;
    }
    if (answer instanceof Promise) {
      answer.then(
        (value) => this.#handled(id, method, value),
        (error) => this.#failed(id, method, error),
      );
    } else this.#handled(id, method, answer);
  }

  #failed(id: RequestId, method: string, error: unknown): void {
    this.#options.onError?.(error);
    this.#handled(id, method, { error: errorOf(this.#errors.internal, "the request could not be handled") });
  }

  #handled(id: RequestId, method: string, answer: Answer): void {
    this.#answer(id, method, answer);
    if (--this.#handling === 0) this.#idle?.();
  }

  #answer(id: RequestId, method: string, answer: Answer): void {
    let frame: string;
    try {
      frame =
        "error" in answer ? errorFrame(id, answer.error, method) : resultFrame(id, answer.result, method);
      checkSize(frame, this.#limit, method);
    } catch (error) {
      this.#options.onError?.(error);
      frame = errorFrame(id, errorOf(this.#errors.internal, "the answer could not be written"));
    }
    this.#write(frame);
  }

  /** Writes what must not be refused; where too much waits, no more is read until it is gone. */
  #write(frame: string): void {
    this.#outbox.add(frame);
    if (this.#outbox.length > this.#pauseAbove && !this.#paused) {
      this.#paused = true;
      this.#transport.pause();
    }
  }

  #relieved(): void {
    if (!this.#paused || this.#outbox.length > this.#pauseAbove / 2) return;
    this.#paused = false;
    this.#transport.resume();
  }

  #refuse(
    row: WireErrorRow,
    id: RequestId | null,
    fault: { kind: ProtocolFault["kind"]; evidence: string; why?: string },
    data: object = {},
  ): void {
    this.#report(fault.kind, fault.evidence, fault.why);
    if (this.#options.answerMalformed === false) return;
    const message =
      fault.why === undefined ? `the frame was refused: ${fault.kind}` : `the frame ${fault.why}`;
    this.#write(errorFrame(id, errorOf(row, message, data)));
  }

  #report(kind: ProtocolFault["kind"], evidence: string, why?: string): void {
    this.#options.onProtocolFault?.(faultOf(kind, evidence, why));
  }
}

function errorOf({ code, kind, retryable }: WireErrorRow, message: string, data: object = {}): ErrorObject {
  return { code, message, data: { kind, ...(retryable === undefined ? {} : { retryable }), ...data } };
}
