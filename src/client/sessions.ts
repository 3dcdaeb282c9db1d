/**
 * The parts of a session: the fold of its view, gap recovery, and what is in flight. `mspkit/client` loads them when it
 * opens the first session; this entry point is for whoever builds something else of them.
 */
export { ApprovalAnswerError } from "./approvals.js";
export * from "./fold/index.js";
export * from "./pending/index.js";
export { type SavedSession, SavedSessionError } from "./saved-session.js";
export { Session } from "./session.js";
export type { SessionEvent, SessionHost, SessionOptions } from "./session-types.js";
export { Turn, type TurnOutcome } from "./turn.js";
