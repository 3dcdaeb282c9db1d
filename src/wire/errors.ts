/**
 * What goes wrong on a wire: errors that this side makes up, errors that the other side answered, and the rows of the
 * protocol's registry that a peer answers of its own accord.
 */
import type { ErrorObject } from "./envelope.js";

/** Why a call got no answer. */
export type WireErrorKind =
  /** Nothing was sent: what was asked for certainly did not happen. */
  | "notSent"
  /** It was sent and the connection ended before an answer came: nobody here knows whether it happened. */
  | "outcomeUnknown"
  /** The caller gave up waiting. It was sent: the outcome is unknown. */
  | "cancelled"
  /** The answer is no answer. The outcome is unknown. */
  | "malformedAnswer"
  /** The message cannot be written as JSON, or is over the frame limit. Nothing was sent. */
  | "unencodable"
  /** Too much is waiting to be sent, or too many requests for an answer. Nothing was sent. */
  | "queueFull";

const IS_WIRE_ERROR = Symbol.for("mspkit.wireError");
const IS_ANSWERED_ERROR = Symbol.for("mspkit.answeredError");

/** A call that got no answer. Told by `kind`. */
export class WireError extends Error {
  /** Told by this mark and not by its class, since a program may hold two copies of this module. */
  readonly [IS_WIRE_ERROR] = true;
  readonly kind: WireErrorKind;
  /** The method that was called, where it was a call. */
  readonly method: string | undefined;

  constructor(kind: WireErrorKind, message: string, method?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "WireError";
    this.kind = kind;
    this.method = method;
  }
}

/** Whether a value is a {@link WireError}. */
export function isWireError(value: unknown): value is WireError {
  return typeof value === "object" && value !== null && IS_WIRE_ERROR in value;
}

/** An error that the other side answered. `data.kind` is what to branch on, never `message`. */
export class AnsweredError extends Error {
  readonly [IS_ANSWERED_ERROR] = true;
  readonly kind = "answered";
  readonly method: string;
  readonly code: number;
  readonly data: ErrorObject["data"];

  constructor(method: string, { code, message, data }: ErrorObject) {
    super(message);
    this.name = "AnsweredError";
    this.method = method;
    this.code = code;
    this.data = data;
  }
}

/** Whether a value is an {@link AnsweredError}. */
export function isAnsweredError(value: unknown): value is AnsweredError {
  return typeof value === "object" && value !== null && IS_ANSWERED_ERROR in value;
}

/** An error that a peer answers of its own accord. */
export interface WireErrorRow {
  readonly code: number;
  readonly kind: string;
  readonly retryable?: boolean;
}

/** The errors that a peer answers of its own accord. */
export type WireErrorRows = Readonly<Record<keyof typeof STANDARD, WireErrorRow>>;

/** What JSON-RPC 2.0 says, and for what it has no row the nearest one that it has. */
const STANDARD = {
  parseError: { code: -32700, kind: "parseError" },
  invalidRequest: { code: -32600, kind: "invalidRequest" },
  methodNotFound: { code: -32601, kind: "methodNotFound" },
  internal: { code: -32603, kind: "internal" },
  inputTooLarge: { code: -32600, kind: "invalidRequest" },
  overloaded: { code: -32603, kind: "internal" },
} as const;

/**
 * The rows of a protocol's registry, which is `errors` of its generated tables, for the errors that a peer answers of
 * its own accord; a row that the registry lacks is JSON-RPC's.
 */
export function wireErrors(
  registry: Readonly<Record<string, { readonly code: number; readonly retryable?: boolean }>> = {},
): WireErrorRows {
  return Object.fromEntries(
    Object.entries(STANDARD).map(([name, standard]) => {
      if (!Object.hasOwn(registry, name)) return [name, standard];
      const { code, retryable } = registry[name]!;
      return [name, retryable === undefined ? { code, kind: name } : { code, kind: name, retryable }];
    }),
  ) as WireErrorRows;
}
