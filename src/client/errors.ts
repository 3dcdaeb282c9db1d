/**
 * What goes wrong for a client, told apart by a stable `kind`, never by class. What became of a command is told by
 * `outcome`.
 */
import { errors } from "../../generated/msp/experimental/tables.js";
import type { AnsweredError, WireErrorKind } from "../wire/index.js";

/**
 * What a failed command did. `rejected`: the host took it in and refused it, and says so again to whoever asks.
 * `nothingAdmitted`: it certainly did nothing, under this id or before. `outcomeUnknown`: nobody here knows; to find
 * out, send it again under the same id.
 */
export type CommandOutcome = "rejected" | "nothingAdmitted" | "outcomeUnknown";

const MARK = Symbol.for("mspkit.clientError");

/** Every error of this module. Told by its mark and not by its class, since a program may hold two copies of it. */
export abstract class ClientError extends Error {
  readonly [MARK] = true;
  abstract readonly kind: string;
}

/** Whether a value is an error of this module. */
export function isClientError(value: unknown): value is ClientError {
  return typeof value === "object" && value !== null && MARK in value;
}

/** An error that the host answered. */
export class MspError extends ClientError {
  /** What to branch on: `commandRejected`, `backpressured` ... An open set; "unknown" where the host named none. */
  readonly kind: string;
  readonly code: number;
  readonly data: AnsweredError["data"];
  /** The host's claim about this one error; undefined where it makes none. */
  readonly retryable: boolean | undefined;
  /** Why a command was rejected, and other errors where they say so. An open set: an unknown reason is final. */
  readonly reason: string | undefined;
  readonly method: string;
  /** What it says about a command; undefined for other methods. */
  readonly outcome: CommandOutcome | undefined;

  constructor(error: AnsweredError, outcome?: CommandOutcome) {
    super(error.message, { cause: error });
    this.name = "MspError";
    this.kind = error.data?.kind ?? "unknown";
    this.code = error.code;
    this.data = error.data;
    this.method = error.method;
    this.outcome = outcome;
    const { retryable, reason } = (error.data ?? {}) as Readonly<Record<string, unknown>>;
    this.retryable = typeof retryable === "boolean" ? retryable : undefined;
    this.reason = typeof reason === "string" ? reason : undefined;
  }
}

/** Whether a value is an {@link MspError}. */
export function isMspError(value: unknown): value is MspError {
  return isClientError(value) && "code" in value && "data" in value;
}

/** A call that got no answer. `kind` is what the wire knows: `notSent`, `outcomeUnknown`, `cancelled` ... */
export class ConnectionError extends ClientError {
  readonly kind: WireErrorKind;
  /** What it says about a command; undefined for other methods. */
  readonly outcome: CommandOutcome | undefined;

  constructor(kind: WireErrorKind, message: string, cause: unknown, outcome?: CommandOutcome) {
    super(message, { cause });
    this.name = "ConnectionError";
    this.kind = kind;
    this.outcome = outcome;
  }
}

/** How a protocol was broken, by this side or the other. */
export type ProtocolBreach =
  /** The program gave a command an id that it had given to another. Nothing was sent. */
  | "commandIdReused"
  /** The answer names another command than the one that was sent. */
  | "echoMismatch"
  /** The answer to a repeated command differs from the first one. */
  | "replayMismatch";

/** The program or the host broke the protocol. */
export class ProtocolError extends ClientError {
  readonly kind = "protocolError";
  readonly breach: ProtocolBreach;
  readonly outcome: CommandOutcome;

  constructor(breach: ProtocolBreach, message: string, outcome: CommandOutcome) {
    super(message);
    this.name = "ProtocolError";
    this.breach = breach;
    this.outcome = outcome;
  }
}

/** The session's host is gone and took all that it knew with it: nothing of it may be sent again. */
export class SessionDiscardedError extends ClientError {
  readonly kind = "sessionDiscarded";

  constructor(message: string) {
    super(message);
    this.name = "SessionDiscardedError";
  }
}

/** How a host process ended, where it was one. */
export interface HostExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A durable host died while something waited for it. What was pending is kept; reconnect and replay it. */
export class HostDiedError extends ClientError {
  readonly kind = "hostDied";
  readonly exit: HostExit | undefined;

  constructor(message: string, exit: HostExit | undefined, cause: unknown) {
    super(message, { cause });
    this.name = "HostDiedError";
    this.exit = exit;
  }
}

/** A host ended, or answered with an error, before it could be used. */
export class HostStartError extends ClientError {
  readonly kind = "hostStart";
  readonly exit: HostExit | undefined;
  /** The last that it wrote to standard error. For people. */
  readonly stderrTail: string;
  /** Whether it answered `initialize`. */
  readonly answeredInitialize: boolean;

  constructor(
    message: string,
    details: { exit: HostExit | undefined; stderrTail: string; answeredInitialize: boolean },
    cause: unknown,
  ) {
    super(message, { cause });
    this.name = "HostStartError";
    this.exit = details.exit;
    this.stderrTail = details.stderrTail;
    this.answeredInitialize = details.answeredInitialize;
  }
}

/** The host serves another schema than this client was made from, and the client was told to mind. */
export class FingerprintError extends ClientError {
  readonly kind = "fingerprintMismatch";
  readonly pinned: string;
  readonly served: string;

  constructor(message: string, pinned: string, served: string) {
    super(message);
    this.name = "FingerprintError";
    this.pinned = pinned;
    this.served = served;
  }
}

/** Kinds of errors after which a command may have been carried out all the same: a fault of the host, a stop. */
const UNCERTAIN: ReadonlySet<string> = new Set<keyof typeof errors>(["internal", "interrupted", "cancelled"]);
const KNOWN: ReadonlySet<string> = new Set(
  Object.entries(errors).flatMap(([kind, { overrideKinds }]) => [kind, ...overrideKinds]),
);

/** Whether an error settles a command: the host took it in, and rejected it for good. */
export function isSettlement({ code, kind }: { readonly code: number; readonly kind: string }): boolean {
  return code === errors.commandRejected.code || kind === ("commandRejected" satisfies keyof typeof errors);
}

/** What an answered error says about the command that it answers, if it was never sent before. */
export function outcomeOf(error: { readonly code: number; readonly kind: string }): CommandOutcome {
  if (isSettlement(error)) return "rejected";
  // Every other error of the registry is answered before anything is admitted. Of one that the registry lacks we do
  // not know that.
  return KNOWN.has(error.kind) && !UNCERTAIN.has(error.kind) ? "nothingAdmitted" : "outcomeUnknown";
}

/** Whether an error leaves open what became of a command: it should be sent again, under the same id. */
export function isUnknown(error: unknown): boolean {
  return isClientError(error) && "outcome" in error && error.outcome === "outcomeUnknown";
}
