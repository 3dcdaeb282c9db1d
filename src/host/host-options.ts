/**
 * What a host is made of.
 */
import type { Handlers } from "../../generated/msp/experimental/server.js";
import type { ApprovalMode, MethodName, ServerInfo } from "../../generated/msp/experimental/types.js";
import type { Store } from "../ledger/store.js";
import { DEFAULT_LIMIT_BYTES } from "../wire/index.js";
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
  /** Bytes of a frame, each way. */
  readonly frameBytes?: number;
  /** Requests of one connection that are handled at once; more are answered `overloaded`. */
  readonly requests?: number;
  /** Commands of one session that may wait to become durable; more are answered `backpressured`. */
  readonly waitingCommands?: number;
  /** Turns that may wait in one session; more are answered `backpressured`. */
  readonly queuedTurns?: number;
  /** Events of one session that may wait for one reader; of more, the oldest are left out. */
  readonly eventsBehind?: number;
  /** Events of one session that can be read again. */
  readonly retainedEvents?: number;
  /** Milliseconds that an agent has to let go of a turn that is to stop. */
  readonly agentGraceMs?: number;
  /** Milliseconds that a shutdown may take. */
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

/** The capacities of a host that is told none. */
export const DEFAULT_LIMITS: Required<HostLimits> = {
  frameBytes: DEFAULT_LIMIT_BYTES,
  requests: 1_024,
  waitingCommands: 4_096,
  queuedTurns: 10_000,
  eventsBehind: 1_000,
  retainedEvents: 200_000,
  agentGraceMs: 2_500,
  shutdownMs: 30_000,
};

/** What is answered, or done, where a capacity is used up. */
export const BEYOND_LIMITS: Readonly<Record<keyof HostLimits, string>> = {
  frameBytes: "`inputTooLarge`; what is sent is made smaller: leaner history, fewer events on a page",
  requests: "`overloaded`: nothing was admitted, and trying again is right",
  waitingCommands: "`backpressured` with the capacity: nothing was admitted, and trying again is right",
  queuedTurns: "`backpressured` with the capacity: nothing was admitted",
  eventsBehind: "the oldest are left out and told by `view/gap`; nothing of the rest waits for the reader",
  retainedEvents: "`viewTruncated` for a cursor before them; `session/resume` without one gives a snapshot",
  agentGraceMs: "the turn ends all the same; what the agent says later is dropped",
  shutdownMs: "the session is given up as it is, and closed by its next host",
};
