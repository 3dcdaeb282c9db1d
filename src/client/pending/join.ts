/**
 * What a snapshot says about each pending entry. A snapshot shows what is; that an entry is not in it settles
 * nothing, so that only a replay can tell.
 */
import type { TurnRef } from "../../../generated/msp/stable/types.js";
import type { PendingEntry } from "./entry.js";
import { materialized, type PendingRetirement } from "./retirement.js";

/** A turn of a snapshot. */
export type JoinTurn = Readonly<Pick<TurnRef, "turnId" | "commandId">>;

/** A user's message of a snapshot that names its command. */
export interface UserMessageRef {
  readonly commandId: string;
  readonly itemId: string;
}

/** What of a snapshot concerns pending entries. `activeTurn` and `queuedTurns` are its members of these names. */
export interface SnapshotJoinFacts {
  readonly activeTurn: JoinTurn | null;
  /** In launch order. */
  readonly queuedTurns: readonly JoinTurn[];
  readonly userMessageCommandIds: Iterable<UserMessageRef>;
  /** The last item of the snapshot; null where it has none. */
  readonly lastItemId: string | null;
}

/** What to do about the entries, by id. Do the resubmits before the replays. */
export interface PendingPlan<Input> {
  /** The entries that were retired. */
  readonly retirements: readonly PendingRetirement<Input>[];
  /** Acked, and to be sent again under the same id and payload, to learn what came of them. */
  readonly mustReplay: readonly string[];
  /** Never answered: to be sent again under the same id and payload. Nothing goes back to the composer before. */
  readonly mustResubmit: readonly string[];
  /** All that are still pending, in the order to show them. */
  readonly kept: readonly string[];
}

/** What becomes of one entry. */
export type JoinArm<Input> =
  | { readonly arm: "retire"; readonly retirement: PendingRetirement<Input> }
  | { readonly arm: "keep" | "replay" | "resubmit"; readonly row: PendingEntry<Input> };

/** The arms of a join, as a function over the entries. */
export function joinArms<Input>({
  activeTurn,
  queuedTurns,
  userMessageCommandIds,
  lastItemId,
}: SnapshotJoinFacts): (entry: PendingEntry<Input>) => JoinArm<Input> {
  const messages = new Map<string, string>();
  for (const { commandId, itemId } of userMessageCommandIds) messages.set(commandId, itemId);
  const queue = new Map(queuedTurns.map(({ commandId }, index) => [commandId, index]));

  return (entry) => {
    const { commandId, ack } = entry;
    const itemId = messages.get(commandId);
    if (itemId !== undefined) return { arm: "retire", retirement: materialized(commandId, itemId) };
    if (activeTurn?.commandId === commandId) {
      return { arm: "retire", retirement: { kind: "materialized", commandId, matchedBy: "activeTurn" } };
    }
    const queuedOrder = queue.get(commandId);
    if (queuedOrder !== undefined) {
      return { arm: "keep", row: { ...entry, queuedOrder, anchorAfterItemId: lastItemId } };
    }
    // A place that an earlier snapshot gave is no place in this one's queue.
    const { queuedOrder: _, ...row } = entry;
    if (ack === undefined) return { arm: "resubmit", row };
    // A steer that is not shown yet.
    if (ack.turnId === activeTurn?.turnId) return { arm: "keep", row };
    return { arm: "replay", row };
  };
}
