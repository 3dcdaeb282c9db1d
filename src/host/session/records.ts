/**
 * The records of a session's log. All that is known of a session is a fold of them: the ledger of commands, the turns,
 * the view. One entry of the log is the list of records that were decided together.
 */
import type {
  ApprovalChoice,
  Item,
  ServerNotification,
  ServerNotificationParams,
  Session,
} from "../../../generated/msp/experimental/types.js";

/** A rejection as it is kept, and replayed value for value. */
export interface Rejection {
  /** A word of the protocol's or of a host's. */
  readonly reason: string;
  /** What the error says to people, where it is not the usual sentence. */
  readonly message?: string;
  /** Left out where no claim is made. */
  readonly retryable?: boolean;
  /** Further members of the error's data. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** What a command is answered: an ack, or a rejection. */
export type CommandAnswer =
  | { readonly ack: Readonly<Record<string, unknown>> }
  | { readonly rejection: Rejection };

/** What a command is answered that was taken in, and of which nobody knows what came. */
export const ABANDONED: CommandAnswer = { rejection: { reason: "abandoned", retryable: false } };

/** A session began. The first record of every log. */
export interface SessionCreated {
  readonly type: "session";
  /** The row of the session as it was then; its path is not kept, since folders move. */
  readonly session: Session;
  /** The folders of the session; the first is the working folder. */
  readonly workspaceRoots: readonly string[];
  /** The command that made it, in one letter case. */
  readonly commandId: string;
  /** Events that the session has from the one that it was forked from. */
  readonly history: readonly ViewEvent[];
  readonly at: number;
}

/** A command was taken in. */
export interface CommandReceived {
  readonly type: "received";
  /** In one letter case. */
  readonly id: string;
  readonly method: string;
  readonly signature: string;
  /** What the signature was taken of: known members, after trimming. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** What it is answered; missing while that is being worked out. */
  readonly answer?: CommandAnswer;
  readonly at: number;
}

/** A command has its final outcome. */
export interface CommandSettled {
  readonly type: "settled";
  readonly id: string;
  readonly outcome: "accepted" | "rejected";
  /** What it is answered from now on, where that changes. */
  readonly answer?: CommandAnswer;
  readonly at: number;
}

/** A command that was taken in came to nothing: its id is free again. */
export interface CommandWithdrawn {
  readonly type: "withdrawn";
  readonly id: string;
  readonly at: number;
}

/** A turn was asked for: it is launched now, or waits. */
export interface TurnRequested {
  readonly type: "turn";
  readonly turnId: string;
  /** The command that asked, as it was spelt. */
  readonly commandId: string;
  readonly kind: "submit" | "goal";
  /** `now`: nothing runs. `first`, `last`: a place in the queue. */
  readonly place: "now" | "first" | "last";
  /** The objective of a goal; what was submitted is in the payload of the command. */
  readonly prompt?: string;
  /** The folders of the session from its launch on, where they change. */
  readonly workspaceRoots?: readonly string[];
  readonly at: number;
}

/** The first turn of the queue is about to be launched: it cannot be unqueued any more. */
export interface TurnLaunching {
  readonly type: "launching";
  readonly turnId: string;
  readonly at: number;
}

/** A turn whose launch was lost with its host is the first of the queue again. */
export interface TurnRequeued {
  readonly type: "requeued";
  readonly turnId: string;
  readonly at: number;
}

/** A turn is to stop. It runs until its terminal. */
export interface TurnStopping {
  readonly type: "stopping";
  readonly turnId: string;
  /** Whether the message is to be withdrawn with it. */
  readonly retract: boolean;
  /** What the turn's end says to people. */
  readonly reason: string;
  readonly at: number;
}

/** A message was sent into a turn that has not started; it is shown when the turn does. */
export interface SteerHeld {
  readonly type: "steer";
  readonly turnId: string;
  readonly item: Item;
  readonly at: number;
}

/** The notifications that are events of a session's view: those that have a cursor and a range. */
export type ViewMethod = {
  [M in ServerNotification]: ServerNotificationParams[M] extends { sourceRange?: unknown; viewCursor: string }
    ? M
    : never;
}[ServerNotification];

/** What an event says, without what every event has: the session, the cursor, the range. */
export type EventParams<M extends ViewMethod> = Omit<
  ServerNotificationParams[M],
  "sessionId" | "viewCursor" | "sourceRange"
>;

interface ViewEventOf<M extends ViewMethod> {
  readonly type: "event";
  readonly method: M;
  readonly params: EventParams<M>;
  /** The stream that it belongs to, where it is not the session's: that of a turn, or of an approval. */
  readonly stream?: { readonly kind: "run" | "approval.review"; readonly id: string };
  /** Choices of the stages that an approval still has, after the one that it asks now. */
  readonly stages?: readonly (readonly ApprovalChoice[])[];
  readonly at: number;
}

/** An event of the view. */
export type ViewEvent = { [M in ViewMethod]: ViewEventOf<M> }[ViewMethod];

/** A holder loaded the session. */
export interface SessionResumed {
  readonly type: "resumed";
  readonly epoch: number;
  readonly at: number;
}

/** A holder gave the session up in order. */
export interface SessionReleased {
  readonly type: "released";
  readonly reason: "hostShutdown" | "leave" | "idle";
  readonly at: number;
}

/** A record of a session's log. `at`: Unix milliseconds, by the clock of the host that wrote. */
export type SessionRecord =
  | SessionCreated
  | CommandReceived
  | CommandSettled
  | CommandWithdrawn
  | TurnRequested
  | TurnLaunching
  | TurnRequeued
  | TurnStopping
  | SteerHeld
  | ViewEvent
  | SessionResumed
  | SessionReleased;
