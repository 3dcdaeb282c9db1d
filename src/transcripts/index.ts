/**
 * The public surface of `mspkit/transcripts`.
 */
export type { Release, Releases } from "../releases/releases.js";
export {
  type Bundle,
  type BundleSource,
  type CallValidators,
  loadBundle,
  type ModelBranch,
  type ModelDefinition,
  type ModelNode,
  type Validate,
  type Violation,
} from "./bundle.js";
export { CannedHost, type CannedHostOptions, type CannedStep } from "./canned-host.js";
export type { Divergence } from "./differences.js";
export { TranscriptError, type TranscriptFault } from "./error.js";
export { type InProcessHost, serveInProcess, serveTransport } from "./in-process.js";
export type { Manifest, Source } from "./manifest.js";
export { type HostExit, type RecordOptions, recordSession } from "./record.js";
export { Recording } from "./recording.js";
export { repin } from "./repin.js";
export {
  type AgentScript,
  type DerivedScript,
  deriveAgentScript,
  type ScriptStep,
  type ScriptTurn,
} from "./replay/agent-script.js";
export type { Passed, ReplayPlayerOptions } from "./replay/player.js";
export {
  HostDiedError,
  isHostDiedError,
  type Replayed,
  type ReplayOptions,
  replaySession,
} from "./replay/replay.js";
export type { ReplayComplete, ReplayFailure, ReplayReport } from "./replay/report.js";
export type { ServeFixtureComplete, ServeFixtureFailure, ServeFixtureReport } from "./report.js";
export {
  type Place,
  type TranscriptFinding,
  type TranscriptRule,
  type TranscriptRuleId,
  transcriptRules,
} from "./rules.js";
export { type ServeStreams, serveStreams } from "./serve.js";
export { type Pin, pinsOf } from "./staleness.js";
export {
  loadManifest,
  loadTranscript,
  loadTranscripts,
  type Side,
  type Transcript,
  type TranscriptLine,
  transcriptFolders,
} from "./transcript.js";
export { type Validation, validateTranscripts } from "./validate.js";
