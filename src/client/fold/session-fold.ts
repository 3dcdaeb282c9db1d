/**
 * The fold of a session's view: from the messages of a host to what an application shows. Pure: the same messages give
 * the same view, wherever and whenever.
 */
import type { SnapshotState } from "../../../generated/msp/experimental/types.js";
import { pointToApproval } from "./approvals.js";
import { armOf, isHostRequest } from "./events.js";
import { insertSeeded, isItem, moveToEnd } from "./items.js";
import {
  APPLIED,
  DISCARDED,
  FOREIGN_SESSION,
  type FoldOutcome,
  NOT_FOLDED,
  UNKNOWN_METHOD,
  UNUSABLE_PARAMS,
} from "./outcome.js";
import { emptyState, type FoldedState, type FoldState, type SessionView, type StateFamily } from "./state.js";
import { setState } from "./states.js";
import { insertActive, insertTurn } from "./turns.js";
import { pointToUserInput } from "./user-inputs.js";

/** A request that waits for an answer, as snapshots and replies point to it. */
export interface RequestPointer {
  readonly approvalId?: string;
  readonly userInputId?: string;
  readonly itemId?: string;
  readonly viewCursor: string;
}

/** What a fold can begin with. */
export interface FoldSeed extends Partial<SnapshotState> {
  /** The cursor up to which events are in it. */
  readonly viewCursor?: string;
  /** The turn that runs, where its command is not known. */
  readonly activeTurnId?: string;
}

/** Folds the view of one session. */
export class SessionFold {
  readonly sessionId: string;
  #state: FoldState = emptyState();

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  /** The view. It is the fold's own: what is read from it is not to be changed, and may change with the next frame. */
  get state(): SessionView {
    return this.#state;
  }

  /** Whether nothing is missing. */
  get current(): boolean {
    return this.#state.gap === undefined;
  }

  /** Where to resume from: after it come all events that the view lacks. */
  get resumeCursor(): string | undefined {
    return this.#state.gap?.after ?? this.#state.durableHead;
  }

  /**
   * Folds one message: a notification, a request of the host, or an event of a page.
   * @param params as they came from the wire; kept, and not to be changed afterwards
   */
  apply(method: string, params: unknown): FoldOutcome {
    const state = this.#state;
    if (state.discarded) return DISCARDED;
    const { sessionId, viewCursor, sourceRange } = isObject(params) ? params : NO_MEMBERS;
    if (typeof sessionId === "string" && sessionId !== this.sessionId) return FOREIGN_SESSION;
    const arm = armOf(method);
    if (arm === undefined) return UNKNOWN_METHOD;
    if (arm === "outside") return NOT_FOLDED;
    if (typeof sessionId !== "string") return UNUSABLE_PARAMS;
    const outcome = arm === "notice" ? NOT_FOLDED : arm(state, params);
    // A request repeats the cursor of its notification, at any time: it is no place in the stream.
    if (typeof viewCursor === "string" && moves(outcome) && !isHostRequest(method)) {
      state.head = viewCursor;
      if (sourceRange !== undefined) state.durableHead = viewCursor;
    }
    return outcome;
  }

  /**
   * Tells that the events of a gap are in the view.
   * @param next the end of the gap; of another gap than the one outstanding, nothing is changed
   * @returns whether it was the one outstanding
   */
  gapFilled(next: string): boolean {
    const state = this.#state;
    if (state.gap?.next !== next) return false;
    state.gap = undefined;
    state.filled = next;
    return true;
  }

  /** Replaces the whole view. What a seed does not say is not known afterwards. */
  seed(seed: FoldSeed): void {
    const state = emptyState();
    state.discarded = this.#state.discarded;
    state.head = state.durableHead = seed.viewCursor;
    for (const item of seed.items ?? []) if (isItem(item)) insertSeeded(state, item);
    if (seed.activeTurn) insertTurn(state, seed.activeTurn, "running");
    else if (seed.activeTurnId !== undefined) insertActive(state, seed.activeTurnId);
    for (const turn of seed.queuedTurns ?? []) insertTurn(state, turn, "queued");
    state.turnCount = seed.turnCount ?? 0;
    for (const family of Object.keys(state.states) as StateFamily[]) {
      seedState(state, family, seed[family]);
    }
    this.#state = state;
    this.pointTo([...(seed.pendingApprovals ?? []), ...(seed.pendingUserInputs ?? [])]);
  }

  /** Puts in requests that wait for an answer. What is known of one already stays. */
  pointTo(pointers: readonly RequestPointer[]): void {
    for (const { approvalId, userInputId, ...rest } of pointers) {
      if (approvalId !== undefined) pointToApproval(this.#state, { ...rest, approvalId });
      if (userInputId !== undefined) pointToUserInput(this.#state, { ...rest, userInputId });
    }
  }

  /**
   * Forgets what a hole may have made wrong: everything but the approvals and the questions, whose requests and ends
   * are never dropped, and which somebody may be looking at.
   */
  forget(): void {
    const { approvals, userInputs, gap, filled, discarded } = this.#state;
    this.#state = { ...emptyState(), approvals, userInputs, gap, filled, discarded };
  }

  /**
   * Moves an item to the end of the order: one that was delivered before those of a hole that it comes after.
   * Nothing where it is not held.
   */
  moveToEnd(itemId: string): void {
    moveToEnd(this.#state, itemId);
  }

  /** The item that comes last, where it first appeared at this cursor. */
  lastItemSince(cursor: string): string | undefined {
    const last = this.#state.lastItem;
    return last?.firstCursor === cursor ? last.item.itemId : undefined;
  }

  /**
   * Tells that the session is gone: its host kept it in memory and died. What is open then has an end that nobody
   * knows, and every later frame is refused.
   */
  discard(): void {
    this.#state.discarded = true;
  }
}

const NO_MEMBERS: Readonly<Record<string, unknown>> = {};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function seedState<F extends StateFamily>(
  state: FoldState,
  family: F,
  value: SnapshotState[F] | undefined,
): void {
  if (value === undefined) return;
  // No cursor: a snapshot's is that of its last event, which may have been of any family, or of none.
  setState(state, family, { value: value as FoldedState<F>["value"], cursor: undefined, event: undefined });
}

/** Whether an event was taken in, and the next one comes after it. */
function moves({ kind }: FoldOutcome): boolean {
  return kind === APPLIED.kind || kind === "bufferedDelta" || kind === NOT_FOLDED.kind;
}
