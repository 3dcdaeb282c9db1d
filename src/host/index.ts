/**
 * The host runtime: sessions whose commands are carried out once, over any store, for any agent. Needs Node.
 */
export {
  type Agent,
  type AgentEvent,
  type AgentItem,
  type AgentModel,
  type AgentTools,
  type AgentTurn,
  type ApprovalAnswer,
  type ApprovalQuestion,
  type Compacted,
  isTurnFailure,
  type Steer,
  type TaskAction,
  type TurnEnd,
  TurnFailure,
  type UserInputQuestions,
  type UserInputReply,
} from "./agents/agent.js";
export { type CommandAgentOptions, commandAgent } from "./agents/command-agent.js";
export { agentFromFile } from "./agents/from-file.js";
export { type ScriptedOptions, scriptedAgent } from "./agents/scripted.js";
export { AgentSetupError, isAgentSetupError } from "./agents/setup-error.js";
export { Host } from "./host.js";
export type { HostConnection } from "./host-connection.js";
export type { CallContext, HostIdentity, HostLimits, HostOptions, MoreMethods } from "./host-options.js";
export { identityOf } from "./identity.js";
export { type Serving, serveStdio, serveWebSocket, type WebSocketServing } from "./serve.js";
export { platformShell } from "./shell.js";
