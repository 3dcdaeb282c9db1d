/**
 * Late joiners: what a fold begins with when it was not there from the beginning, and what a host would give to one.
 */
import type {
  HistoryMode,
  HistoryNoneReason,
  SessionResumeResult,
  SnapshotState,
  ViewSnapshot,
} from "../../../generated/msp/experimental/types.js";
import { shownItem } from "./items.js";
import type { FoldSeed, SessionFold } from "./session-fold.js";
import type { FoldedState, Known, StateFamily } from "./state.js";

/** The one form of snapshots that this fold reads. */
export const SNAPSHOT_VERSION = 1;

/** What a host answers to a client that joins a session: `session/resume`, `read`, `fork` and `sideChat`. */
export type JoinResult = Pick<SessionResumeResult, "history" | "pendingRequests" | "session" | "viewCursor">;

/** What came of joining. */
export type JoinOutcome =
  /** The view is replaced by what the reply says. */
  | { readonly kind: "seeded"; readonly from: "snapshot" | "inline" }
  /** The view stays: what it lacks follows as ordinary events, or was not asked for. */
  | { readonly kind: "kept"; readonly noneReason: HistoryNoneReason | undefined }
  /** The reply brings no history that can be read; page through the view from its start. Nothing was changed. */
  | {
      readonly kind: "pageYourself";
      readonly why: "unknownMode" | "unknownSchemaVersion" | "malformed" | "notServed";
      readonly noneReason: HistoryNoneReason | undefined;
    };

type Mode = Known<HistoryMode>;
type Reason = Known<HistoryNoneReason>;

const SUFFIX = "cursorSuffix" satisfies Reason;
const EXCLUDED = "excluded" satisfies Reason;

/**
 * Takes the reply to a `session/resume` or the like into a fold. Frames of the session are applied after it; those
 * that came before the reply are to be held back until then.
 */
export function joinSession(fold: SessionFold, result: JoinResult): JoinOutcome {
  const { history, pendingRequests, session, viewCursor } = result;
  const mode: string | undefined = history?.mode;
  switch (mode as Mode) {
    case "snapshot":
    case "anchoredSnapshot": {
      const { snapshot } = history;
      if (snapshot?.schemaVersion === SNAPSHOT_VERSION && isFilled(snapshot)) {
        fold.seed({ ...snapshot.state, viewCursor: snapshot.viewCursor });
        fold.pointTo(pendingRequests ?? []);
        return { kind: "seeded", from: "snapshot" };
      }
      if (Array.isArray(history.items)) return inline();
      return pageYourself(isFilled(snapshot) ? "unknownSchemaVersion" : "malformed");
    }
    case "inline":
      return Array.isArray(history.items) ? inline() : pageYourself("malformed");
    case "none":
      return none();
    default:
      return pageYourself(mode === undefined ? "malformed" : "unknownMode");
  }

  function inline(): JoinOutcome {
    // Beside the items there is only what the session's row says; the rest is not known.
    const seed: { -readonly [K in keyof FoldSeed]: FoldSeed[K] } = { items: history.items ?? [], viewCursor };
    if (session?.activeTurnId != null) seed.activeTurnId = session.activeTurnId;
    if (session?.turnCount !== undefined) seed.turnCount = session.turnCount;
    if (session?.approvalMode !== undefined) seed.approvalMode = session.approvalMode;
    if (session?.name !== undefined) seed.name = session.name;
    fold.seed(seed);
    fold.pointTo(pendingRequests ?? []);
    return { kind: "seeded", from: "inline" };
  }

  function none(): JoinOutcome {
    // Older hosts give no reason where the events after a cursor follow.
    const { noneReason } = history;
    if (noneReason !== undefined && noneReason !== SUFFIX && noneReason !== EXCLUDED)
      return pageYourself("notServed");
    // The reply's cursor is that of the head, and the events up to it are still to come: it is not taken.
    const { gap } = fold.state;
    if (noneReason !== EXCLUDED && gap !== undefined) fold.gapFilled(gap.next);
    fold.pointTo(pendingRequests ?? []);
    return { kind: "kept", noneReason };
  }

  function pageYourself(why: (JoinOutcome & { kind: "pageYourself" })["why"]): JoinOutcome {
    return { kind: "pageYourself", why, noneReason: history?.noneReason };
  }
}

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

/** Whether a snapshot has what the fold needs of one, of whichever version. */
function isFilled(snapshot: ViewSnapshot | null | undefined): snapshot is ViewSnapshot {
  return Array.isArray(snapshot?.state?.items) && typeof snapshot.viewCursor === "string";
}
