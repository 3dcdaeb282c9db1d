/**
 * What a fold keeps of a session: the view as an application reads it.
 */
import type {
  ApprovalRequestParams,
  ApprovalResolvedParams,
  ApprovalUpdatedParams,
  Item,
  SnapshotState,
  TurnCompletedParams,
  TurnForegroundCompletedParams,
  TurnModelRetryScheduledParams,
  TurnRef,
  TurnRetractedParams,
  TurnRetryScheduledParams,
  TurnUnqueuedParams,
  UserInputRequestParams,
  UserInputSettledParams,
} from "../../../generated/msp/experimental/types.js";

/** The words that an open vocabulary of the schema lists, so that the compiler refuses a misspelt one. */
export type Known<T> = T extends string ? (string extends T ? never : T) : never;

/** An item of the view. */
export interface FoldedItem {
  /** The last full object of it, as it came; unknown kinds, words and members included. */
  readonly item: Item;
  /** Cursor of the frame in which it first appeared; undefined where it came in a snapshot. */
  readonly firstCursor: string | undefined;
  /**
   * While the item is open: the text of each field that deltas have appended to, by the field's dotted path. It begins
   * with what the item had there. Gone when the item ends, whose last object is authoritative.
   */
  readonly streams: ReadonlyMap<string, string> | undefined;
}

/** A turn of the view. */
export interface FoldedTurn {
  readonly turnId: string;
  /** `queued` is known from a snapshot alone: no event tells it. */
  readonly state: "queued" | "running" | "completed" | "unqueued" | "retracted";
  /** The command that brought it about; undefined as long as no event has said so. */
  readonly commandId: string | undefined;
  /** How it ended. A turn that was retracted afterwards keeps it. */
  readonly completed: TurnCompletedParams | undefined;
  readonly unqueued: TurnUnqueuedParams | undefined;
  /** The last answer to an interrupt with `retract`, a declined one included. */
  readonly retraction: TurnRetractedParams | undefined;
  /** The last hint that something is tried again; only while it runs. */
  readonly retry: TurnRetryScheduledParams | TurnModelRetryScheduledParams | undefined;
  /** What still blocks its end; only while it runs. */
  readonly foreground: TurnForegroundCompletedParams | undefined;
  /** How a snapshot shows it; only while it is queued. */
  readonly queued: TurnRef | undefined;
}

/** An approval of the view. */
export interface FoldedApproval {
  readonly approvalId: string;
  /** `reviewing`: an automatic reviewer is at work and nobody is asked. */
  readonly state: "reviewing" | "pending" | "resolved";
  readonly itemId: string | undefined;
  /** Cursor of the event that opened it. */
  readonly viewCursor: string | undefined;
  /** What is asked; undefined while only a pointer to it or its end is known. */
  readonly request: ApprovalRequestParams | undefined;
  /** The stage in force, where a later one than the request's; only while it is pending. */
  readonly update: ApprovalUpdatedParams | undefined;
  readonly resolved: ApprovalResolvedParams | undefined;
}

/** A question to the user in the view. */
export interface FoldedUserInput {
  readonly userInputId: string;
  readonly state: "pending" | "settled";
  readonly itemId: string | undefined;
  readonly viewCursor: string | undefined;
  /** What is asked; undefined while only a pointer to it or its end is known. */
  readonly request: UserInputRequestParams | undefined;
  readonly settled: UserInputSettledParams | undefined;
}

/** A part of the session's state that each event replaces whole, named as snapshots name it. */
export type StateFamily = Exclude<
  keyof SnapshotState,
  "activeTurn" | "items" | "pendingApprovals" | "pendingUserInputs" | "queuedTurns" | "turnCount"
>;

/** The latest state of a family. */
export interface FoldedState<F extends StateFamily> {
  /** As a snapshot says it; null when it was cleared. */
  readonly value: Exclude<SnapshotState[F], undefined>;
  /** Cursor of the event; undefined where it came in a snapshot. */
  readonly cursor: string | undefined;
  /** The params of the event as they came, with what a snapshot does not say. */
  readonly event: unknown;
}

/** The latest state of each family; undefined as long as nothing was said. */
export type FoldedStates = { readonly [F in StateFamily]: FoldedState<F> | undefined };

/** Events that were not delivered, both ends exclusive. */
export interface FoldedGap {
  readonly after: string;
  readonly next: string;
}

/** The view of a session. It changes with each frame that is applied. */
export interface SessionView {
  /** In the order in which they first appeared. */
  readonly items: ReadonlyMap<string, FoldedItem>;
  readonly turns: ReadonlyMap<string, FoldedTurn>;
  /** The turn that runs; undefined when none does. */
  readonly activeTurnId: string | undefined;
  /** Turns that ended, and those that a snapshot counted. */
  readonly turnCount: number;
  readonly approvals: ReadonlyMap<string, FoldedApproval>;
  readonly userInputs: ReadonlyMap<string, FoldedUserInput>;
  readonly states: FoldedStates;
  /** Text of items that were not seen yet, by item and field. */
  readonly unseen: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** What is missing. While there is something, the view may be wrong in any part. */
  readonly gap: FoldedGap | undefined;
  /** Cursor of the event that was applied last. */
  readonly head: string | undefined;
  /** The same, of the events that the host stores: those with a `sourceRange`. */
  readonly durableHead: string | undefined;
  /** Whether the session ended with its host: what is open then has an end that nobody knows. */
  readonly discarded: boolean;
}

/** A type that may be written to. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** An item as the fold works on it. */
export interface HeldItem extends Writable<FoldedItem> {
  streams: Map<string, string> | undefined;
}

/** The view as the fold works on it. */
export interface FoldState extends Writable<SessionView> {
  items: Map<string, HeldItem>;
  turns: Map<string, Writable<FoldedTurn>>;
  approvals: Map<string, Writable<FoldedApproval>>;
  userInputs: Map<string, Writable<FoldedUserInput>>;
  states: Writable<FoldedStates>;
  unseen: Map<string, Map<string, string>>;
  /** The item that came last in the order. */
  lastItem: HeldItem | undefined;
  /** End of the gap that was filled last: it may be told twice. */
  filled: string | undefined;
}

/** A view of which nothing is known. */
export function emptyState(): FoldState {
  return {
    items: new Map(),
    turns: new Map(),
    activeTurnId: undefined,
    turnCount: 0,
    approvals: new Map(),
    userInputs: new Map(),
    states: {
      approvalMode: undefined,
      branch: undefined,
      contextUsage: undefined,
      effectiveModel: undefined,
      goal: undefined,
      name: undefined,
      reasoningEffort: undefined,
      todoList: undefined,
      tokenUsage: undefined,
    },
    unseen: new Map(),
    gap: undefined,
    head: undefined,
    durableHead: undefined,
    discarded: false,
    lastItem: undefined,
    filled: undefined,
  };
}
