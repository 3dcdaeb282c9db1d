/** Which promise a request breaks whose answer fits no state that the host may be in. */
import { type CommandState, cameOf, comparedTo, isSpeltOtherwise } from "./command-state.js";
import { type Fault, type History, type Operation, rejectionReason } from "./history.js";

/** How much a state says: the one that says most tells best what is wrong. */
const SAYS: Readonly<Record<CommandState["is"], number>> = {
  unknown: 0,
  received: 1,
  accepted: 2,
  rejected: 3,
};

/**
 * Names the promise; undefined where the id was used elsewhere before, since no source says how far an id reaches.
 * @param states what the host may know of the id, before the request
 * @param operations all requests of the id
 */
export function whyNot(
  operation: Operation,
  states: readonly CommandState[],
  operations: readonly Operation[],
  history: History,
): Fault | undefined {
  const known = knownOf(operation, states, operations);
  if (known.is === "unknown" && isUsedElsewhere(operation, operations, history)) return undefined;
  const { method, params, outcome } = operation;
  const details = {
    method,
    params,
    answer: outcome,
    ...(known.is === "unknown" ? {} : { first: { params: known.by.params, answer: known.by.outcome } }),
  };
  return { ...nameOf(operation, known, operations), details };
}

/** What the host knows of the id, as far as requests that were answered tell it. */
function knownOf(
  operation: Operation,
  states: readonly CommandState[],
  operations: readonly Operation[],
): CommandState {
  const [most] = [...states].sort((one, other) => SAYS[other.is] - SAYS[one.is]);
  if (most !== undefined && most.is !== "unknown") return most;
  // Of requests that were sent at once another may have been taken in.
  const other = operations.find(
    (one) =>
      one !== operation && (cameOf(one) === "ack" || cameOf(one) === "rejection") && overlaps(one, operation),
  );
  if (other === undefined) return { is: "unknown" };
  return cameOf(other) === "ack"
    ? { is: "accepted", by: other }
    : { is: "rejected", by: other, reason: rejectionReason(other.outcome) ?? "" };
}

const overlaps = (one: Operation, other: Operation): boolean =>
  one.sent < (other.answered ?? Number.POSITIVE_INFINITY) &&
  other.sent < (one.answered ?? Number.POSITIVE_INFINITY);

type Named = { readonly law: string; readonly what: string };

function nameOf(operation: Operation, known: CommandState, operations: readonly Operation[]): Named {
  const came = cameOf(operation);
  if (known.is === "unknown") return unasked(operation, operations);
  const { by } = known;
  if (isSpeltOtherwise(known, operation))
    return { law: "command-id-letter-case", what: "an id in another letter case got another ack" };
  if (by.method !== operation.method)
    return { law: "conflict-method", what: "an id was taken for another method" };
  if (comparedTo(known, operation) === "other")
    return { law: "conflict-payload", what: "an id was taken for another payload" };
  if (came === "conflict" && operations.some((one) => one.sent < operation.sent && isAnother(one, known)))
    return {
      law: "conflict-changes-nothing",
      what: "after a conflict the first command is in conflict itself",
    };
  if (known.is === "rejected") return rejectedBefore(operation, known.reason);
  if (by.life !== operation.life)
    return { law: "dedupe-after-crash", what: "after a restart a replay got another answer" };
  if (overlaps(by, operation)) return atOnce(operation, by);
  if (came === "conflict" && JSON.stringify(by.params) !== JSON.stringify(operation.params))
    return { law: "payload-blind", what: "a payload that was written in another way is in conflict" };
  return { law: "replay-identity", what: "a replay got another answer" };
}

/** Whether a request had another payload than the one that an id stands for. */
const isAnother = (one: Operation, known: Exclude<CommandState, { is: "unknown" }>): boolean =>
  comparedTo(known, one) === "other";

function atOnce(operation: Operation, by: Operation): Named {
  return operation.connection === by.connection
    ? { law: "duplicates-at-once", what: "copies of one command got different answers" }
    : {
        law: "duplicates-across-connections",
        what: "copies of one command on several connections got different answers",
      };
}

function rejectedBefore(operation: Operation, reason: string): Named {
  const isAcked = cameOf(operation) === "ack";
  const what = isAcked
    ? "a command that was rejected for good was accepted when it was sent again"
    : "a command that was rejected for good got another answer when it was sent again";
  if (reason === ABANDONED) return { law: "abandoned-is-stable", what };
  return { law: reason === LAUNCH_FAILED ? "deferred-launch-failure" : "rejection-replay", what };
}

const ABANDONED = "abandoned";
const LAUNCH_FAILED = "deferred_start_failed";

/** A conflict of an id that stands for nothing. */
function unasked(operation: Operation, operations: readonly Operation[]): Named {
  const refused = operations.some((one) => one.sent < operation.sent && cameOf(one) === "nothing");
  return refused
    ? {
        law: "transient-errors-leave-nothing",
        what: "the id of a command that was not taken in is in conflict",
      }
    : { law: "conflict-payload", what: "an id that was never used is in conflict" };
}

/** Whether the id of a request was sent before to another session, to another life, or for what leaves no record. */
function isUsedElsewhere(operation: Operation, operations: readonly Operation[], history: History): boolean {
  const id = String(operation.params["commandId"]).toLowerCase();
  return history.operations.some(
    (one) =>
      one.sent < (operation.answered ?? operation.sent) &&
      String(one.params["commandId"]).toLowerCase() === id &&
      !operations.includes(one),
  );
}
