/**
 * Late joiners: what a fold begins with when it was not there from the beginning.
 */
import type {
  HistoryMode,
  HistoryNoneReason,
  SessionResumeResult,
  ViewSnapshot,
} from "../../../generated/msp/experimental/types.js";
import type { FoldSeed, SessionFold } from "./session-fold.js";
import type { Known } from "./state.js";

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

/** Whether a snapshot has what the fold needs of one, of whichever version. */
function isFilled(snapshot: ViewSnapshot | null | undefined): snapshot is ViewSnapshot {
  return Array.isArray(snapshot?.state?.items) && typeof snapshot.viewCursor === "string";
}
