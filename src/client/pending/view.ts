/**
 * The pending set as a session lends it out. What the session itself drives from its fold is not in it.
 */

import type { CommandError } from "./command-error.js";
import type { Ack, PendingEntry } from "./entry.js";
import type { PendingPlan, SnapshotJoinFacts } from "./join.js";
import type { PendingRetirement } from "./retirement.js";

/** A submit that is about to be sent. */
export interface Submission<Input> {
  readonly commandId: string;
  /** Kept and handed back as it is, not copied. */
  readonly input: Input;
  readonly displayText?: string | undefined;
  /** Item of the view below which to show it; null, which is the default, above all. */
  readonly anchorAfterItemId?: string | null | undefined;
}

/** What a host answered to a replay. */
export type ReplayAnswer =
  | { readonly kind: "ack"; readonly ack: Readonly<Ack> }
  | { readonly kind: "error"; readonly error: CommandError };

/** The entry stays, or there is none: nothing was settled by this. */
export type Held = "held";

/** What is in flight, for whoever shows it and for whoever sends through the connection itself. */
export interface PendingCommandView<Input> {
  /** Whether the session is lost with its ephemeral host: nothing is pending, and nothing more is taken. */
  readonly discarded: boolean;
  /** How many entries are pending. */
  readonly size: number;
  /** Whether an entry of an id is pending. */
  has(commandId: string): boolean;
  /** The entry of an id. */
  get(commandId: string): PendingEntry<Input> | undefined;
  /** The entries in the order to show them: as submitted, and behind these the host's queue in launch order. */
  list(): PendingEntry<Input>[];

  /**
   * Takes a submit. Call it before sending: an answer may be there before the call that sends returns. An id that is
   * pending already stays as it is.
   *
   * @throws SessionDiscardedError for an id that died with an ephemeral host, and for any once the set is discarded.
   */
  submitted(submission: Submission<Input>): void;
  /** The host admitted a submit. This retires nothing; an id that is not pending is ignored. */
  acked(commandId: string, ack: Readonly<Ack>): void;
  /** The host answered an error: a durable rejection retires the entry, any other holds it. */
  ackErrored(commandId: string, error: CommandError): PendingRetirement<Input> | Held;

  /** Ids to replay now that a turn started or completed: entries queued for another, as submitted. Call it on both. */
  observedQueueMovement(turnId: string): string[];
  /** What to send again on a new connection to the same durable host when there is no snapshot to join. */
  reconnectedWithoutSnapshot(): PendingPlan<Input>;
  /** Takes what a snapshot shows, and says what to send again. Each further join or reconnect asks again. */
  joinSnapshot(facts: SnapshotJoinFacts): PendingPlan<Input>;
  /**
   * The answer to a replay that `joinSnapshot` asked for. A durable rejection retires the entry. So does an ack that
   * says queued when the snapshot's queue has no such id: an old ack, of a turn that was taken back meanwhile. Any
   * other ack is stored, and anything else holds.
   *
   * @throws SessionDiscardedError for an id that died with an ephemeral host.
   */
  resolveReplayAtJoin(
    commandId: string,
    answer: ReplayAnswer,
    snapshotQueuedCommandIds: Iterable<string>,
  ): PendingRetirement<Input> | Held;
}
