/**
 * How turns are folded. A turn leaves `running` once; what comes late changes nothing but what nobody had told yet.
 */
import type {
  RetractOutcome,
  TurnCompletedParams,
  TurnForegroundCompletedParams,
  TurnModelRetryScheduledParams,
  TurnRef,
  TurnRetractedParams,
  TurnRetryScheduledParams,
  TurnStartedParams,
  TurnUnqueuedParams,
} from "../../../generated/msp/experimental/types.js";
import { APPLIED, type FoldOutcome, STALE, UNUSABLE_PARAMS } from "./outcome.js";
import type { FoldedTurn, FoldState, Known, Writable } from "./state.js";

/** Absent and unknown words count as accepted. */
const DECLINED = "declined" satisfies Known<RetractOutcome>;

type Turn = Writable<FoldedTurn>;

/** Folds the start of a turn. */
export function foldStarted(state: FoldState, { turnId, commandId }: TurnStartedParams): FoldOutcome {
  if (typeof turnId !== "string") return UNUSABLE_PARAMS;
  const turn = state.turns.get(turnId) ?? newTurn(state, turnId);
  // What started it is true whenever it is learned: the event may be paged after the turn's end was delivered.
  if (typeof commandId === "string") turn.commandId ??= commandId;
  if (turn.state !== "queued") return STALE;
  turn.state = "running";
  turn.queued = undefined;
  state.activeTurnId = turnId;
  return APPLIED;
}

/** Folds the end of a turn, of one that never started included. */
export function foldCompleted(state: FoldState, params: TurnCompletedParams): FoldOutcome {
  const { turnId } = params;
  if (typeof turnId !== "string") return UNUSABLE_PARAMS;
  const turn = state.turns.get(turnId) ?? newTurn(state, turnId);
  const { state: before } = turn;
  if (before === "completed" || before === "unqueued") return STALE;
  if (turn.completed === undefined) {
    // Of a turn that was retracted, too: how it ended is true whenever it is learned.
    turn.completed = params;
    state.turnCount++;
  }
  if (before === "retracted") return STALE;
  turn.state = "completed";
  leave(state, turn);
  return APPLIED;
}

/** Folds the taking back of a queued turn. */
export function foldUnqueued(state: FoldState, params: TurnUnqueuedParams): FoldOutcome {
  const { turnId, commandId } = params;
  if (typeof turnId !== "string") return UNUSABLE_PARAMS;
  const turn = state.turns.get(turnId) ?? newTurn(state, turnId);
  if (hasEnded(turn)) return STALE;
  turn.state = "unqueued";
  if (typeof commandId === "string") turn.commandId ??= commandId;
  turn.unqueued = params;
  leave(state, turn);
  return APPLIED;
}

/** Folds the answer to an interrupt that asked to withdraw the input. */
export function foldRetracted(state: FoldState, params: TurnRetractedParams): FoldOutcome {
  const { turnId, outcome } = params;
  if (typeof turnId !== "string") return UNUSABLE_PARAMS;
  const held = state.turns.get(turnId);
  if (held?.state === "retracted" || held?.state === "unqueued") return STALE;
  if (outcome === DECLINED) {
    if (held === undefined) return STALE;
    held.retraction = params;
    return APPLIED;
  }
  const turn = held ?? newTurn(state, turnId);
  turn.state = "retracted";
  turn.retraction = params;
  leave(state, turn);
  return APPLIED;
}

/** Folds a hint that something will be tried again. */
export function foldRetry(
  state: FoldState,
  params: TurnRetryScheduledParams | TurnModelRetryScheduledParams,
): FoldOutcome {
  return whileRunning(state, params, (turn) => {
    turn.retry = params;
  });
}

/** Folds the end of a turn's foreground work. */
export function foldForeground(state: FoldState, params: TurnForegroundCompletedParams): FoldOutcome {
  return whileRunning(state, params, (turn) => {
    turn.foreground = params;
  });
}

/** Puts in a turn of a snapshot. */
export function insertTurn(state: FoldState, ref: TurnRef, as: "queued" | "running"): void {
  const turn = newTurn(state, ref.turnId);
  turn.commandId = ref.commandId;
  turn.state = as;
  if (as === "queued") turn.queued = ref;
  else state.activeTurnId = ref.turnId;
}

/** Puts in a turn that runs, of which nothing else is known. */
export function insertActive(state: FoldState, turnId: string): void {
  newTurn(state, turnId).state = "running";
  state.activeTurnId = turnId;
}

function whileRunning(
  state: FoldState,
  { turnId }: { readonly turnId: string },
  change: (turn: Turn) => void,
): FoldOutcome {
  if (typeof turnId !== "string") return UNUSABLE_PARAMS;
  const turn = state.turns.get(turnId);
  if (turn?.state !== "running") return STALE;
  change(turn);
  return APPLIED;
}

function newTurn(state: FoldState, turnId: string): Turn {
  const turn: Turn = {
    turnId,
    state: "queued",
    commandId: undefined,
    completed: undefined,
    unqueued: undefined,
    retraction: undefined,
    retry: undefined,
    foreground: undefined,
    queued: undefined,
  };
  state.turns.set(turnId, turn);
  return turn;
}

function hasEnded({ state }: Turn): boolean {
  return state !== "queued" && state !== "running";
}

/** What holds for a turn only as long as it runs or waits. */
function leave(state: FoldState, turn: Turn): void {
  turn.retry = turn.foreground = turn.queued = undefined;
  if (state.activeTurnId === turn.turnId) state.activeTurnId = undefined;
}
