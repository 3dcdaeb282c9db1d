/**
 * The other side of a late joiner: what a host that folds its own view would serve. No part of the client's entry,
 * which a browser loads.
 */
import type { SnapshotState, ViewSnapshot } from "../../../generated/msp/experimental/types.js";
import { shownItem } from "./items.js";
import type { SessionFold } from "./session-fold.js";
import { SNAPSHOT_VERSION } from "./snapshot.js";
import type { FoldedState, StateFamily } from "./state.js";

/** What a session began with, for as long as no event says otherwise. */
export interface SnapshotBase extends Pick<SnapshotState, "approvalMode" | "tokenUsage"> {
  /** The cursor that the reply to `session/start` named. */
  readonly viewCursor: string;
}

/**
 * The snapshot that a host would serve at this point. It leaves out what snapshots have no place for: turns, approvals
 * and questions that have ended, hints, and text of items that were not seen.
 */
export function snapshotOf(fold: SessionFold, base: SnapshotBase): ViewSnapshot {
  const { items, turns, activeTurnId, turnCount, approvals, userInputs, states, head } = fold.state;
  const viewCursor = head ?? base.viewCursor;
  const value = <F extends StateFamily>(family: F): FoldedState<F>["value"] | undefined =>
    states[family]?.value;
  const ref = (turnId: string) => {
    const turn = turns.get(turnId);
    return turn?.queued ?? { turnId, commandId: turn?.commandId ?? turnId };
  };
  const state: SnapshotState = {
    items: [...items.values()].map(shownItem),
    activeTurn: activeTurnId === undefined ? null : ref(activeTurnId),
    queuedTurns: [...turns.values()].flatMap((turn) => (turn.state === "queued" ? [ref(turn.turnId)] : [])),
    pendingApprovals: [...approvals.values()].flatMap((approval) =>
      approval.state === "pending" ? [{ approvalId: approval.approvalId, ...pointer(approval) }] : [],
    ),
    pendingUserInputs: [...userInputs.values()].flatMap((input) =>
      input.state === "pending" ? [{ userInputId: input.userInputId, ...pointer(input) }] : [],
    ),
    approvalMode: value("approvalMode") ?? base.approvalMode,
    effectiveModel: value("effectiveModel") ?? null,
    goal: value("goal") ?? null,
    todoList: value("todoList") ?? null,
    branch: value("branch") ?? null,
    tokenUsage: value("tokenUsage") ?? base.tokenUsage,
    turnCount,
  };
  const contextUsage = value("contextUsage");
  if (contextUsage !== undefined) state.contextUsage = contextUsage;
  const reasoningEffort = value("reasoningEffort");
  if (reasoningEffort !== undefined) state.reasoningEffort = reasoningEffort;
  const name = value("name");
  if (name !== undefined) state.name = name;
  return { schemaVersion: SNAPSHOT_VERSION, viewCursor, state };

  function pointer(of: { readonly itemId: string | undefined; readonly viewCursor: string | undefined }) {
    const at = { viewCursor: of.viewCursor ?? viewCursor };
    return of.itemId === undefined ? at : { itemId: of.itemId, ...at };
  }
}
