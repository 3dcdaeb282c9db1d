/**
 * What a host is made of.
 */
import type { Handlers } from "../../generated/msp/experimental/server.js";
import type { ApprovalMode, MethodName, ServerInfo } from "../../generated/msp/experimental/types.js";
import type { Store } from "../ledger/store.js";
import type { Agent } from "./agents/agent.js";
import type { Level, Surroundings } from "./surroundings.js";

/** What a handler of a host author may know of a call beside its params. */
export interface CallContext {
  /** What the client calls itself. */
  readonly clientName: string;
}

/** Handlers of methods that the host does not serve by itself. A command's id is honoured with no further code. */
export type MoreMethods = { readonly [M in MethodName]?: Handlers<CallContext>[M] };

/** What a host says of itself at the handshake. */
export interface HostIdentity {
  readonly serverInfo: ServerInfo;
  /** The folder of the host. */
  readonly home: string;
  /** The fingerprint of the stable surface that it says it serves. */
  readonly fingerprint: string;
  readonly platformFamily: "unix" | "windows";
  readonly platformOs: "macos" | "linux" | "windows";
}

/** Capacities of a host. */
export interface HostLimits {
  /** Bytes of a frame, each way. Default: 10,485,760. */
  readonly frameBytes?: number;
  /** Requests of one connection that are handled at once; more are answered `overloaded`. Default: 1,024. */
  readonly requests?: number;
  /** Commands of one session that may wait to become durable; more are answered `backpressured`. Default: 4,096. */
  readonly waitingCommands?: number;
  /** Turns that may wait in one session; more are answered `backpressured`. Default: 10,000. */
  readonly queuedTurns?: number;
  /** Events of one session that may wait for one reader; of more, the oldest are left out. Default: 1,000. */
  readonly eventsBehind?: number;
  /** Events of one session that can be read again. Default: 200,000. */
  readonly retainedEvents?: number;
  /** Milliseconds that an agent has to let go of a turn that is to stop. Default: 2,500. */
  readonly agentGraceMs?: number;
  /** Milliseconds that a shutdown may take. Default: 30,000. */
  readonly shutdownMs?: number;
}

/** How a host is made. */
export interface HostOptions {
  readonly store: Store;
  readonly agent: Agent;
  readonly identity: HostIdentity;
  /** Capabilities that clients get when they ask for them, beside those that cost nothing. */
  readonly grants?: readonly string[];
  readonly methods?: MoreMethods;
  readonly limits?: HostLimits;
  /** What new sessions begin with. Default: `promptUnmatched`. */
  readonly approvalMode?: ApprovalMode;
  /** The most that sessions may allow. Default: `allowAll`. */
  readonly approvalModeCeiling?: ApprovalMode;
  /** The working folder of sessions that name none. */
  readonly workspaceRoot?: string;
  /** Folders by the names that clients have for them. For tests that replay what was recorded elsewhere. */
  readonly workspaceMap?: ReadonlyMap<string, string>;
  /** Whether results and messages are checked against the schema before they are sent. For tests. */
  readonly checkResults?: boolean;
  /** Whether a folder is there. Default: asks the disk. */
  readonly isFolder?: (path: string) => Promise<boolean>;
  /** Time, chance and the rest; what is left out is the platform's. */
  readonly surroundings?: Partial<Pick<Surroundings, "now" | "mintId" | "defer" | "after" | "shell">>;
  /** Gets what the host has to say to its operator. */
  readonly log?: (level: Level, message: string, details?: Readonly<Record<string, unknown>>) => void;
}

/** Modes of approval, from the strictest on. */
export const APPROVAL_MODES = [
  "denyUnmatched",
  "promptUnmatched",
  "onRequest",
  "allowAll",
] as const satisfies readonly ApprovalMode[];
