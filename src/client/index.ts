/**
 * The client SDK, for any platform. What needs Node, such as spawning a host, is in `mspkit/client/node`; the parts of a
 * session, for whoever builds something else of them, are in `mspkit/client/sessions`.
 */

export type { Release, Releases } from "../releases/releases.js";
export type { ApprovalAnswer, ApprovalHandler } from "./approvals.js";
export { MspClient, type MspClientOptions, type SessionResume, type SessionStart } from "./client.js";
export { commandIdMinter, type MinterOptions, mintCommandId } from "./command-id.js";
export type { CallOptions, RetryOptions } from "./commands.js";
export {
  type CommandName,
  type CommandOptions,
  Connection,
  type Durability,
  type HandshakeOptions,
} from "./connection.js";
export {
  ClientError,
  type CommandOutcome,
  ConnectionError,
  FingerprintError,
  HostDiedError,
  type HostExit,
  HostStartError,
  isClientError,
  isMspError,
  isSettlement,
  isUnknown,
  MspError,
  type ProtocolBreach,
  ProtocolError,
  SessionDiscardedError,
} from "./errors.js";
export {
  type FingerprintPolicy,
  type FingerprintVerdict,
  judgeFingerprint,
} from "./fingerprint.js";
export type { GapError, GapRecovery, SessionView } from "./fold/index.js";
export type { GoalCommands } from "./goal-commands.js";
export type { PendingCommandView, PendingEntry, PendingRetirement } from "./pending/index.js";
export type { QuestionAnswer, QuestionHandler } from "./questions.js";
export type { SavedSession } from "./saved-session.js";
export type { Session } from "./session.js";
export type { SessionEvent, SessionOptions } from "./session-types.js";
export type { TurnInput } from "./submissions.js";
export type { Turn, TurnOutcome } from "./turn.js";
