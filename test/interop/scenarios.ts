/** What the Python client sees when it plays each golden session. */

/** The counts that `play_scenarios.py` prints; the meaning of each is in `seen.py`. */
export interface Seen {
  readonly granted: readonly string[];
  readonly notifications: number;
  readonly receipts: number;
  readonly sessions: number;
  readonly items: readonly string[];
  readonly itemEvents: number;
  readonly deltas: number;
  readonly streamed: number;
  readonly turns: readonly string[];
  readonly asked: number;
  readonly approvals: readonly string[];
  readonly openApprovals: number;
  readonly questions: number;
  readonly openQuestions: number;
  readonly errors: readonly string[];
  readonly repeats: number;
  readonly pending: number;
  readonly current: boolean;
  readonly protocolErrors: readonly string[];
}

/** One line of `play_scenarios.py`. */
export interface Played {
  readonly scenario: string;
  readonly ok: boolean;
  readonly report: Readonly<Record<string, unknown>> | null;
  readonly exit: number | null;
  readonly seen: Seen;
  readonly error?: string;
}

/** One session, nothing in it, nothing left open. */
const QUIET: Omit<Seen, "notifications" | "receipts"> = {
  granted: [],
  sessions: 1,
  items: [],
  itemEvents: 0,
  deltas: 0,
  streamed: 0,
  turns: [],
  asked: 0,
  approvals: [],
  openApprovals: 0,
  questions: 0,
  openQuestions: 0,
  errors: [],
  repeats: 0,
  pending: 0,
  current: true,
  protocolErrors: [],
};

const [USER, AGENT, TOOL] = ["userMessage", "agentMessage", "toolCall"];
/** A turn that ends well, with the items it has. */
const turn = (items: readonly string[], itemEvents: number): Partial<Seen> => ({
  items,
  itemEvents,
  turns: ["completed"],
});

/** By scenario, what differs from a quiet session. */
const SEEN: Readonly<Record<string, Partial<Seen>>> = {
  "approval-deny": { ...turn([USER, TOOL, AGENT], 4), asked: 1, approvals: ["abort"] },
  "approval-round-trip": { ...turn([USER, TOOL, AGENT], 4), asked: 1, approvals: ["approvedForSession"] },
  "approval-two-stages": { ...turn([USER, TOOL], 3), asked: 2, approvals: ["approved"] },
  "backpressured-retry": turn([USER, AGENT], 2),
  "cancel-mid-turn": {
    ...turn([USER, AGENT, TOOL], 5),
    deltas: 2,
    streamed: 1,
    turns: ["cancelled"],
  },
  "capability-required": { errors: ["capabilityRequired"] },
  "command-conflict": {
    ...turn([USER, AGENT], 2),
    errors: ["commandRejected/command_id_conflict"],
    repeats: 1,
  },
  "experimental-required": { errors: ["experimentalRequired", "experimentalRequired"] },
  // Played on the connection: the fold that only listens stays behind the gap.
  "gap-reanchor": { ...turn([USER, AGENT], 2), current: false },
  "gap-splice-fill": turn([USER, TOOL, AGENT, AGENT, AGENT], 6),
  "goal-replayed": { ...turn([AGENT], 1), repeats: 1 },
  "handshake-bare": { sessions: 0 },
  "handshake-usershell-granted": { sessions: 0, granted: ["userShell"] },
  "handshake-usershell-not-granted": { sessions: 0 },
  "host-back": turn([USER, AGENT], 2),
  "host-back-abandoned": { errors: ["commandRejected/abandoned"] },
  "host-ephemeral": turn([USER, AGENT], 2),
  "host-lost": turn([USER, AGENT], 2),
  "initialize-twice": { errors: ["alreadyInitialized"] },
  "interrupt-nothing": { ...turn([USER, AGENT], 2), errors: ["commandRejected/already_terminal"] },
  "interrupt-retract": { ...turn([USER], 1), turns: ["cancelled"] },
  "queued-launch": {
    ...turn([USER, TOOL, USER, AGENT], 6),
    deltas: 2,
    streamed: 1,
    turns: ["completed", "completed"],
    asked: 1,
    approvals: ["approved"],
  },
  "queued-reject": {
    ...turn([USER, TOOL], 3),
    turns: ["completed", "launchFailure"],
    asked: 1,
    approvals: ["approved"],
  },
  reclaim: {
    ...turn([USER, AGENT], 3),
    deltas: 2,
    streamed: 1,
    turns: ["completed", "unqueued"],
    repeats: 1,
  },
  "reclaim-too-late": { ...turn([USER, AGENT], 2), errors: ["commandRejected/turn_already_started"] },
  "replayed-command": { ...turn([USER, AGENT], 3), deltas: 2, streamed: 1, repeats: 2 },
  "resume-pending-approval": { ...turn([TOOL], 1), asked: 1, approvals: ["approved"] },
  "resume-unknown-cursor": { sessions: 0, errors: ["notFound/missingAnchor"] },
  "resume-with-suffix": { ...turn([AGENT, USER, AGENT], 3), turns: ["completed", "completed"] },
  "session-id-conflict": { errors: ["commandRejected/session_id_conflict"] },
  "session-start": {},
  steer: { ...turn([USER, AGENT, USER, AGENT], 5), deltas: 2, streamed: 1 },
  "steer-expected-turn": { ...turn([USER, USER, AGENT], 3), errors: ["commandRejected/turn_not_running"] },
  "text-turn": { ...turn([USER, AGENT], 3), deltas: 3, streamed: 1 },
  "two-turns": {
    ...turn([USER, AGENT, USER, AGENT], 6),
    deltas: 2,
    streamed: 2,
    turns: ["completed", "completed"],
  },
  "unknown-method": { sessions: 0, errors: ["methodNotFound"] },
  "unknown-vocabulary": turn([USER, "treeScan", TOOL, AGENT], 5),
  "user-input-cancel": { ...turn([USER, TOOL, AGENT], 4), questions: 1 },
  "user-input-round-trip": { ...turn([USER, TOOL, AGENT], 4), questions: 1 },
  "usershell-without-grant": { sessions: 0, errors: ["capabilityRequired"] },
};

/** The golden sessions that this client plays. */
export const PLAYED: readonly string[] = Object.keys(SEEN);

/** What it cannot play, of the golden sessions and of the reference, and why. */
export const NOT_PLAYED: Readonly<Record<string, string>> = {
  "framing-tolerance": "the client cannot send a member beside `params`",
};
export const REFERENCE_NOT_PLAYED: Readonly<Record<string, string>> = {
  "pending-command-ack-reject":
    "the client replays a queued turn only if it has taken in the ack before the other turn ends; here both are sent at once",
};

/** All that the client must have seen of a golden session with so many notifications and requests of the host. */
export function expectedSeen(scenario: string, notifications: number, receipts: number): Seen {
  return { ...QUIET, ...SEEN[scenario], notifications, receipts };
}
