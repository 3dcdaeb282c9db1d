/**
 * How an entry leaves the pending set: by evidence, by a durable rejection, by the client's own decision, or by the
 * death of a host that kept nothing. By nothing else: not by an ack, not by another error, not by time.
 *
 * `restoreToComposer: true` obliges whoever shows the entry to hand the input back to the user. Dropping it loses
 * the user's words; resending it under a new id may run it without being asked.
 */

import { type CommandError, isAbandoned } from "./command-error.js";
import type { PendingEntry } from "./entry.js";

/** Its message is an item of the view: show that one instead. */
export interface MaterializedByUserMessage {
  readonly kind: "materialized";
  readonly commandId: string;
  readonly matchedBy: "userMessage";
  readonly itemId: string;
}

/** Its turn is the running one of a snapshot. */
export interface MaterializedByActiveTurn {
  readonly kind: "materialized";
  readonly commandId: string;
  readonly matchedBy: "activeTurn";
}

/** The host refused it for good. */
export interface RejectedRetirement<Input> {
  readonly kind: "rejected";
  readonly commandId: string;
  /** The word of the rejection, of an open vocabulary; empty where the host gave none. */
  readonly reason: string;
  readonly input: Input;
  readonly restoreToComposer: true;
}

/** The host died between intake and settlement, and closed the command on its restart. It did not run. */
export interface AbandonedRetirement<Input> {
  readonly kind: "abandoned";
  readonly commandId: string;
  readonly input: Input;
  readonly restoreToComposer: true;
}

/** Its queued turn was taken back before it launched. */
export interface ReclaimedRetirement<Input> {
  readonly kind: "reclaimed";
  readonly commandId: string;
  readonly input: Input;
  readonly restoreToComposer: true;
}

/** The client gave up on learning what came of it. It may have run. */
export interface RetryAbandonedByClientRetirement<Input> {
  readonly kind: "retryAbandonedByClient";
  readonly commandId: string;
  readonly input: Input;
  readonly restoreToComposer: true;
}

/**
 * An ephemeral host died, and what came of it can never be learnt. The input is there to be looked at or copied, but
 * without the obligation to restore it: it may have run.
 */
export interface TerminalUnknownRetirement<Input> {
  readonly kind: "terminalUnknown";
  readonly commandId: string;
  readonly input: Input;
}

/** The end of an entry. Told by `kind`. */
export type PendingRetirement<Input> =
  | MaterializedByUserMessage
  | MaterializedByActiveTurn
  | RejectedRetirement<Input>
  | AbandonedRetirement<Input>
  | ReclaimedRetirement<Input>
  | RetryAbandonedByClientRetirement<Input>
  | TerminalUnknownRetirement<Input>;

/** What a durable rejection makes of an entry. */
export function rejection<Input>(
  { commandId, input }: PendingEntry<Input>,
  error: CommandError,
): RejectedRetirement<Input> | AbandonedRetirement<Input> {
  return isAbandoned(error)
    ? { kind: "abandoned", commandId, input, restoreToComposer: true }
    : { kind: "rejected", commandId, reason: error.reason ?? "", input, restoreToComposer: true };
}

/** An entry whose queued turn will not launch. */
export function reclaimed<Input>({ commandId, input }: PendingEntry<Input>): ReclaimedRetirement<Input> {
  return { kind: "reclaimed", commandId, input, restoreToComposer: true };
}

/** An entry whose message is on the view. */
export function materialized(commandId: string, itemId: string): MaterializedByUserMessage {
  return { kind: "materialized", commandId, matchedBy: "userMessage", itemId };
}
