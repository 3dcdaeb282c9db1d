/**
 * Commands that are carried out once per id: `Workspaces`, and results in memory. Of a platform they need `node:crypto`
 * alone; results in databases are in `mspkit/commands/node`.
 */
export type {
  Actor,
  App,
  AppBundle,
  Command,
  CommandContext,
  CommandResult,
  Fence,
  JsonObject,
  JsonValue,
  Notice,
  Rejection,
  WorkspaceHandle,
} from "./app.js";
export { type Clock, platformClock } from "./clock.js";
export type { Identity, PayloadTables } from "./identity.js";
export { type CommandIdFault, MAX_ID_CHARACTERS, type ReadCommandId, readCommandId } from "./ids.js";
export { type CommandKey, keyText } from "./key.js";
export { ABANDONED, REJECTIONS, type RejectionReason, rejected } from "./rejections.js";
export { InMemoryCommandResults, type MemoryResultsOptions } from "./results/memory.js";
export {
  type Claim,
  type Claimed,
  type ClaimRequest,
  type CommandResults,
  DEFAULT_NEWEST,
  type Forgotten,
  type Pending,
  type Remembered,
  type Retention,
  type Settlement,
  type Standing,
} from "./results.js";
export {
  type Execution,
  type How,
  type OpenTelemetryApi,
  openTelemetry,
  silence,
  type Telemetry,
  telemetryOf,
} from "./telemetry.js";
export { Workspaces } from "./workspaces.js";
export type { WorkspacesOptions } from "./workspaces-options.js";
