/** What a host knows of one command id, and which answers fit it: the model of the command ledger, for one key. */
import { type errors, methods, type rejections } from "../../../generated/msp/experimental/tables.js";
import { answerText } from "./answers.js";
import { errorKind, isAck, type Operation, rejectionReason } from "./history.js";
import { sameness } from "./meanings.js";

/** What a host knows of an id. */
export type CommandState =
  /** Nothing. */
  | { readonly is: "unknown" }
  /** It was taken in, and nobody was told. */
  | { readonly is: "received"; readonly by: Operation }
  /** It was acked. */
  | { readonly is: "accepted"; readonly by: Operation }
  /** It was rejected for good, at once or later. */
  | { readonly is: "rejected"; readonly by: Operation; readonly reason: string };

/** What came of a request, as far as the ledger knows of it. */
export type Came =
  | "ack"
  /** Rejected for good. */
  | "rejection"
  | "conflict"
  /** Not known: there was no answer, or one that does not tell. */
  | "partial"
  /** Refused without a record. */
  | "nothing";

type Reason = keyof typeof rejections;
type Kind = keyof typeof errors;

const CONFLICT: Reason = "command_id_conflict";
/** What says that a host has forgotten an id on purpose; it says nothing of what the id stood for. */
const EXPIRED: Reason = "command_id_expired";
/** Rejections that may follow an ack. */
const LATER: ReadonlySet<string> = new Set(["abandoned", "deferred_start_failed"] satisfies Reason[]);
/** Errors that do not tell whether the command was taken in. */
const OPEN_ENDED: ReadonlySet<string> = new Set(["internal", "interrupted", "cancelled"] satisfies Kind[]);
/** Errors of a matter that is settled: the command that settled it gets its own ack. */
const SETTLED: ReadonlySet<string> = new Set([
  "approvalAlreadyResolved",
  "userInputAlreadySettled",
] satisfies Kind[]);

/** What came of a request. */
export function cameOf({ outcome }: Operation): Came {
  if (outcome === undefined) return "partial";
  if (isAck(outcome)) return "ack";
  const reason = rejectionReason(outcome);
  if (reason === CONFLICT) return "conflict";
  if (reason === EXPIRED) return "nothing";
  if (reason !== undefined) return "rejection";
  return OPEN_ENDED.has(errorKind(outcome) ?? "") ? "partial" : "nothing";
}

/** The states after a request, one where its outcome fits the state; none where it does not. */
export function after(state: CommandState, operation: Operation): readonly CommandState[] {
  const came = cameOf(operation);
  if (came === "partial") return state.is === "unknown" ? [{ is: "received", by: operation }] : [state];
  // Nothing says that a rejection without a durable record is remembered, or that it is not.
  const isLoose = came === "rejection" && !outlives(operation.method);
  if (state.is === "unknown") {
    if (isLoose) return [{ is: "received", by: operation }, state];
    return came === "conflict" ? [] : settled(operation, came);
  }
  // Whether an id in other letters is the same id is not said anywhere: it may be refused.
  if (isSpeltOtherwise(state, operation) && came !== "ack") return [state];
  const meant = comparedTo(state, operation);
  if (meant === "unsure") return [state];
  if (meant === "other") return came === "conflict" || came === "nothing" ? [state] : [];
  if (came === "nothing") return isWinner(state, operation) ? [] : [state];
  if (came === "conflict") return [];
  if (state.is === "received") return isLoose ? [state] : settled(operation, came);
  if (state.is === "accepted") {
    if (came === "ack") return sameAnswer(state.by, operation) ? [state] : [];
    return LATER.has(rejectionReason(operation.outcome) ?? "") ? settled(operation, came) : [];
  }
  return came === "rejection" && sameAnswer(state.by, operation) ? [state] : [];
}

function settled(operation: Operation, came: Came): readonly CommandState[] {
  if (came === "ack") return [{ is: "accepted", by: operation }];
  if (came !== "rejection") return [{ is: "unknown" }];
  return [{ is: "rejected", by: operation, reason: rejectionReason(operation.outcome) ?? "" }];
}

/** Whether a command that was acked is refused because of what it did itself. */
function isWinner(state: CommandState, { outcome, life }: Operation): boolean {
  return state.is === "accepted" && state.by.life === life && SETTLED.has(errorKind(outcome) ?? "");
}

/** What a request means, compared with what the id stands for. */
export function comparedTo(
  { by }: Exclude<CommandState, { is: "unknown" }>,
  operation: Operation,
): "same" | "other" | "unsure" {
  return by.method === operation.method ? sameness(by.method, meaningOf(by), meaningOf(operation)) : "other";
}

/** What a request means, with its id in small letters: how an id is spelt is not what is meant. */
function meaningOf({ meaning, params }: Operation): string {
  const { commandId } = params;
  if (typeof commandId !== "string" || commandId === "") return meaning;
  return meaning.replaceAll(commandId, commandId.toLowerCase());
}

/** Whether the id of a request is in other letters than the one that is known. */
export function isSpeltOtherwise(
  { by }: Exclude<CommandState, { is: "unknown" }>,
  { params }: Operation,
): boolean {
  return by.params["commandId"] !== params["commandId"];
}

function sameAnswer(one: Operation, other: Operation): boolean {
  if (one.outcome === undefined || other.outcome === undefined) return true;
  const apart = {
    lives: one.life !== other.life,
    spelling: one.params["commandId"] !== other.params["commandId"],
  };
  return answerText(one.method, one.outcome, apart) === answerText(other.method, other.outcome, apart);
}

/** Whether the record of a command outlives the host. */
export function outlives(method: string): boolean {
  const row: object = Object.hasOwn(methods, method) ? methods[method as keyof typeof methods] : {};
  return "record" in row && row.record === "durable";
}
