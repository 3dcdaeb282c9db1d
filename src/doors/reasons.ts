/**
 * From the reason of a rejection to what each door answers: the status of HTTP, the kind of the error of JSON-RPC. There is
 * no other place that knows it. What is not in the table is the application's, and is answered by the form of its reason.
 */
import type { CommandResult, JsonObject, Rejection } from "../commands/app.js";
import { type WireErrorRow, wireErrors } from "../wire/errors.js";

/** What a reason is answered as. */
export interface ReasonRow {
  /** The status of HTTP. */
  readonly status: number;
  /** The kind of the error of JSON-RPC. */
  readonly kind: string;
  /** For people; only of what doors reject themselves. */
  readonly message?: string;
  /** Whether the same message may be sent again. */
  readonly retryable?: boolean;
  /** When, where nothing better is known; milliseconds. */
  readonly retryAfterMs?: number;
  /** To which requests of REST it is an answer. Default: to any. */
  readonly to?: Answered;
}

/**
 * To which requests a reason is an answer. `body`: those that have one. `change`: those for what changes something.
 * `command`: those for what needs an id. `checked`: the same, where ids are checked. `other`: none of those for a method.
 */
export type Answered = "body" | "change" | "command" | "checked" | "other";

/** All reasons that are not the application's. */
export const REASONS = {
  command_id_missing: { status: 400, kind: "invalidParams", message: "the command has no id", to: "command" },
  command_id_malformed: {
    status: 400,
    kind: "invalidParams",
    message: "the id of the command is not 1 to 128 printable characters",
    to: "change",
  },
  command_id_mismatch: {
    status: 400,
    kind: "invalidParams",
    message: "the header Idempotency-Key and the body give two ids",
    to: "command",
  },
  invalid_params: {
    status: 400,
    kind: "invalidParams",
    message: "the params are not what the method takes",
  },
  malformed_json: { status: 400, kind: "parseError", message: "the body is not JSON in UTF-8", to: "body" },
  malformed_request: { status: 400, kind: "invalidRequest", message: "the request cannot be read" },
  unauthenticated: {
    status: 401,
    kind: "unauthenticated",
    message: "the token is missing, unknown or no longer valid",
  },
  forbidden: { status: 403, kind: "forbidden", message: "this is not allowed" },
  origin_not_allowed: { status: 403, kind: "forbidden", message: "pages of this origin may not ask" },
  host_not_allowed: {
    status: 403,
    kind: "forbidden",
    message: "the server is not known by the name in the header Host",
  },
  unknown_method: { status: 404, kind: "methodNotFound", message: "there is no such method" },
  method_not_allowed: {
    status: 405,
    kind: "invalidRequest",
    message: "the address is not asked by this method of HTTP",
    to: "other",
  },
  request_timeout: {
    status: 408,
    kind: "invalidRequest",
    message: "the request did not arrive in time",
    retryable: true,
  },
  still_running: { status: 409, kind: "stillRunning", retryAfterMs: 1_000, to: "change" },
  command_id_expired: { status: 410, kind: "commandRejected", to: "change" },
  payload_too_large: { status: 413, kind: "inputTooLarge", message: "the message is too large", to: "body" },
  unsupported_media_type: {
    status: 415,
    kind: "invalidRequest",
    message: "the body has to be application/json",
    to: "body",
  },
  command_id_conflict: { status: 422, kind: "commandRejected", to: "checked" },
  upgrade_required: {
    status: 426,
    kind: "invalidRequest",
    message: "the address is that of a WebSocket",
    to: "other",
  },
  rate_limited: {
    status: 429,
    kind: "overloaded",
    message: "too much was asked in too little time",
    retryable: true,
    retryAfterMs: 1_000,
  },
  too_many_workspaces: {
    status: 429,
    kind: "overloaded",
    message: "the connection hears of as many workspaces as it may",
    to: "other",
  },
  internal_error: { status: 500, kind: "internal", message: "the server failed" },
  handler_failed: { status: 500, kind: "commandRejected", to: "change" },
  abandoned: { status: 500, kind: "commandRejected", to: "change" },
  result_not_serialisable: { status: 500, kind: "commandRejected", to: "change" },
  overloaded: { status: 503, kind: "overloaded", retryAfterMs: 1_000, to: "change" },
  results_unavailable: { status: 503, kind: "overloaded", retryAfterMs: 1_000, to: "change" },
  shutting_down: { status: 503, kind: "overloaded", retryAfterMs: 1_000, to: "change" },
  answer_timeout: {
    status: 503,
    kind: "overloaded",
    message: "the application did not answer in time: nothing was changed",
    retryable: true,
    retryAfterMs: 1_000,
  },
  too_many_connections: {
    status: 503,
    kind: "overloaded",
    message: "as many connections are open as may be",
    retryable: true,
    retryAfterMs: 5_000,
    to: "other",
  },
} as const satisfies Readonly<Record<string, ReasonRow>>;

/** A reason that is not the application's. */
export type DoorReason = keyof typeof REASONS;

/** The reasons of rejections that doors make themselves. */
export type OwnReason = {
  [R in DoorReason]: (typeof REASONS)[R] extends { readonly message: string } ? R : never;
}[DoorReason];

const ROWS: Readonly<Record<string, ReasonRow>> = REASONS;

/**
 * How a reason is answered. One of the application is 404 where its name ends in `_not_found`, else 409: what was asked for
 * does not go with how things stand.
 */
export function reasonRow(reason: string, asked: "command" | "query"): ReasonRow {
  if (Object.hasOwn(ROWS, reason)) return ROWS[reason] as ReasonRow;
  return {
    status: reason.endsWith("_not_found") ? 404 : 409,
    kind: asked === "query" ? "queryRejected" : "commandRejected",
  };
}

/** A rejection that a door makes itself. */
export function refusal(reason: OwnReason, data?: JsonObject): Rejection {
  const { message, retryable }: ReasonRow & { readonly message: string } = REASONS[reason];
  return { reason, message, retryable: retryable ?? false, ...(data === undefined ? {} : { data }) };
}

/** The same as a result. */
export function refused(reason: OwnReason, data?: JsonObject): CommandResult {
  return { status: "rejected", rejection: refusal(reason, data) };
}

/** What a rejection says for programs, the same at every door. */
export interface RejectionData {
  readonly kind: string;
  readonly reason: string;
  readonly retryable: boolean;
  readonly commandId?: string;
  readonly retryAfterMs?: number;
  readonly limitBytes?: number;
  /** What else there is to say. */
  readonly details?: JsonObject;
}

/** What was asked for when something was rejected. */
export interface AskedFor {
  readonly asked: "command" | "query";
  readonly commandId?: string | undefined;
}

/** A rejection as data. */
export function rejectionData(
  { reason, retryable, data }: Rejection,
  { asked, commandId }: AskedFor,
): RejectionData {
  const row = reasonRow(reason, asked);
  const { retryAfterMs: told, limitBytes, ...details } = data ?? {};
  const retryAfterMs = isCount(told) ? told : row.retryAfterMs;
  return {
    kind: row.kind,
    reason,
    retryable,
    ...(commandId === undefined ? {} : { commandId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(isCount(limitBytes) ? { limitBytes } : {}),
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}

/** Whether a value is a number that headers can say: one that is not finite or is huge would be a word there. */
function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}

/** The registry of errors in the tables of a bundle. */
export type ErrorRegistry = Readonly<Record<string, { readonly code: number; readonly retryable?: boolean }>>;

/** What stands in for a kind that a registry lacks; JSON-RPC has the last one of each row. */
const STAND_INS: Readonly<Record<string, readonly string[]>> = {
  stillRunning: ["overloaded", "internal"],
  queryRejected: ["commandRejected", "internal"],
  commandRejected: ["internal"],
  unauthenticated: ["invalidRequest"],
  forbidden: ["invalidRequest"],
};

const INVALID_PARAMS = -32602;

/** The row of a kind, or of what stands in for it. */
export function errorRow(kind: string, registry: ErrorRegistry): WireErrorRow {
  const standard: Readonly<Record<string, WireErrorRow>> = wireErrors(registry);
  for (const name of [kind, ...(STAND_INS[kind] ?? [])]) {
    if (Object.hasOwn(registry, name)) return { code: registry[name]!.code, kind: name };
    if (Object.hasOwn(standard, name)) return standard[name]!;
    if (name === "invalidParams") return { code: INVALID_PARAMS, kind: name };
  }
  return standard["internal"]!;
}
