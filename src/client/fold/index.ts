/**
 * The fold of a session's view. Runs anywhere: no clock, no timer, no connection.
 */
export {
  type FollowOutcome,
  type GapError,
  type GapErrorKind,
  type GapRecovery,
  PAGE_LIMIT,
  type Pager,
  ViewFollower,
  type ViewFollowerOptions,
} from "./gap-recovery.js";
export { isOpen, shownItem, shownText } from "./items.js";
export type { FoldOutcome } from "./outcome.js";
export { type FoldSeed, type RequestPointer, SessionFold } from "./session-fold.js";
export {
  type JoinOutcome,
  type JoinResult,
  joinSession,
  SNAPSHOT_VERSION,
} from "./snapshot.js";
export type {
  FoldedApproval,
  FoldedGap,
  FoldedItem,
  FoldedState,
  FoldedStates,
  FoldedTurn,
  FoldedUserInput,
  SessionView,
  StateFamily,
} from "./state.js";
