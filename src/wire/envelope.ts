/**
 * What a value that came in a frame is: a request, a notification, an answer, or none of these.
 */

/** The id of a request: `1` and `"1"` are two. */
export type RequestId = string | number;

/** Distributed tracing context of a request, as it stands in the envelope. */
export interface Trace {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** A request of the other side. */
export interface RequestMessage {
  readonly type: "request";
  readonly id: RequestId;
  readonly method: string;
  /** Undefined where the request has none. */
  readonly params: unknown;
  readonly trace: unknown;
}

/** A notification of the other side. */
export interface NotificationMessage {
  readonly type: "notification";
  readonly method: string;
  readonly params: unknown;
  /** When it was made, in Unix milliseconds, where it says so. */
  readonly emittedAtMs: unknown;
}

/** An error as it stands in an answer. */
export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly kind: string; readonly [name: string]: unknown };
}

/** An answer to a request of this side. */
export type AnswerMessage =
  | { readonly type: "result"; readonly id: RequestId; readonly result: unknown }
  | { readonly type: "error"; readonly id: RequestId; readonly error: ErrorObject };

/** An object that is no message. */
export type Malformed =
  /** Should be a request or a notification. `id` is what it can be answered under; null where it has none. */
  | { readonly type: "malformedRequest"; readonly id: RequestId | null; readonly why: string }
  /** Should be an answer. `id` is whose waiter it ends; null where it names none. */
  | { readonly type: "malformedAnswer"; readonly id: RequestId | null; readonly why: string };

/** What a value is. Unknown members are ignored. */
export function messageOf(value: unknown): RequestMessage | NotificationMessage | AnswerMessage | Malformed {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const why = Array.isArray(value) ? "is a batch, which the protocol has not" : "is not an object";
    return { type: "malformedRequest", id: null, why };
  }
  const message = value as Readonly<Record<string, unknown>>;
  const method = own(message, "method");
  const hasId = Object.hasOwn(message, "id");
  const id = hasId ? message["id"] : undefined;
  if (method === undefined && (Object.hasOwn(message, "result") || Object.hasOwn(message, "error")))
    return answerOf(message, id);
  const malformed = (why: string): Malformed => ({
    type: "malformedRequest",
    id: isRequestId(id) ? id : null,
    why,
  });
  if (own(message, "jsonrpc") !== "2.0") return malformed('has no "jsonrpc":"2.0"');
  if (typeof method !== "string") return malformed("has no method");
  const params = own(message, "params");
  if (!hasId) return { type: "notification", method, params, emittedAtMs: own(message, "emittedAtMs") };
  if (!isRequestId(id)) return malformed("has an id that is neither a string nor an integer");
  return { type: "request", id, method, params, trace: own(message, "trace") };
}

function answerOf(message: Readonly<Record<string, unknown>>, id: unknown): AnswerMessage | Malformed {
  const malformed = (why: string): Malformed => ({
    type: "malformedAnswer",
    id: isRequestId(id) ? id : null,
    why,
  });
  if (own(message, "jsonrpc") !== "2.0") return malformed('has no "jsonrpc":"2.0"');
  const hasResult = Object.hasOwn(message, "result");
  if (hasResult && Object.hasOwn(message, "error")) return malformed("has both a result and an error");
  if (hasResult) {
    const result = message["result"];
    if (typeof result !== "object" || result === null || Array.isArray(result))
      return malformed("has a result that is not an object");
    if (!isRequestId(id)) return malformed("has no id");
    return { type: "result", id, result };
  }
  const error = message["error"];
  if (!isErrorObject(error)) return malformed("has an error without integer code, message and kind");
  // An error about a frame whose id could not be read has the id null.
  if (!isRequestId(id)) return malformed(`answers no request: ${error.code} ${error.message}`);
  return { type: "error", id, error };
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isInteger(value);
}

function isErrorObject(value: unknown): value is ErrorObject {
  if (typeof value !== "object" || value === null) return false;
  const { code, message, data } = value as Readonly<Record<string, unknown>>;
  if (!Number.isInteger(code) || typeof message !== "string") return false;
  if (data === undefined) return true;
  return typeof data === "object" && data !== null && typeof (data as { kind?: unknown }).kind === "string";
}

/** A member that the object itself has: `__proto__` and the like are names as any other. */
function own(message: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(message, name) ? message[name] : undefined;
}
