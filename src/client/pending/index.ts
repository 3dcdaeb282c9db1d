/**
 * The public list of the pending commands.
 */

export type { CommandError } from "./command-error.js";
export type { Ack, PendingEntry } from "./entry.js";
export type { JoinTurn, PendingPlan, SnapshotJoinFacts, UserMessageRef } from "./join.js";
export { PendingCommandSet, type PendingCommandSetOptions } from "./pending-command-set.js";
export type {
  AbandonedRetirement,
  MaterializedByActiveTurn,
  MaterializedByUserMessage,
  PendingRetirement,
  ReclaimedRetirement,
  RejectedRetirement,
  RetryAbandonedByClientRetirement,
  TerminalUnknownRetirement,
} from "./retirement.js";
export type { ReadSavedOptions, SavedPending, SaveOptions } from "./saved.js";
export { isSavedPendingError, SavedPendingError, type SavedPendingFault } from "./saved-error.js";
export type { Held, PendingCommandView, ReplayAnswer, Submission } from "./view.js";
