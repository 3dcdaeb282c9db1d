/**
 * The port of an agent: what a host author brings. The host keeps the session, the agent does the work of a turn and
 * says what happens. Nothing that an agent does or fails to do can break a promise about commands.
 */
import type {
  ApprovalChoice,
  ApprovalDecision,
  ApprovalSubject,
  Item,
  TurnError,
  TurnInputPart,
  UserInputAnswer,
  UserInputClarification,
  UserInputOutcome,
  UserInputQuestion,
} from "../../../generated/msp/experimental/types.js";

/** A turn, as an agent gets it. */
export interface AgentTurn {
  readonly sessionId: string;
  readonly turnId: string;
  /** The command that asked for it. */
  readonly commandId: string;
  /** `goal`: woken by a goal, whose objective is the prompt. */
  readonly kind: "submit" | "goal";
  /** The text parts, joined in their order. */
  readonly prompt: string;
  /** What was submitted; empty for a goal. */
  readonly input: readonly TurnInputPart[];
  /** The working folder of the session; null where it has none. */
  readonly workspaceRoot: string | null;
  readonly modelId: string | null;
  readonly providerId: string | null;
  /** For this turn. */
  readonly reasoningEffort: string | undefined;
  /** Experimental: tokens that workflows of this turn may use. */
  readonly tokenBudget: number | undefined;
}

/** An item, as an agent says it. The host adds `turnId`, `revision`, `status` where it is left out, and the time. */
export type AgentItem = Partial<Omit<Item, "itemId" | "kind" | "revision" | "turnId" | "recordedAt">> &
  Pick<Item, "itemId" | "kind">;

/** What an agent says of its turn. */
export type AgentEvent =
  /**
   * An item begins. That of a message or a thought is streamed: it is told to who listens and is no record before it is
   * completed. Others are records at once.
   */
  | { readonly type: "itemStarted"; readonly item: AgentItem }
  /** Text is added to a member of an open item; `text` where none is named. Told, and never a record. */
  | { readonly type: "itemDelta"; readonly itemId: string; readonly delta: string; readonly field?: string }
  /** An open item changed. What is not named stays. */
  | { readonly type: "itemUpdated"; readonly item: AgentItem }
  /** An item is over: `completed`, or the status that it has. It need not have been started. */
  | { readonly type: "itemCompleted"; readonly item: AgentItem }
  /**
   * Any other event of the session's view, by its method and without the members that every event has: a todo list,
   * token usage, a retry.
   */
  | {
      readonly type: "event";
      readonly method:
        | "session/todoListChanged"
        | "session/branchChanged"
        | "session/tokenUsage"
        | "session/contextUsage"
        | "turn/foregroundCompleted"
        | "turn/retryScheduled"
        | "turn/modelRetryScheduled";
      readonly params: Readonly<Record<string, unknown>>;
    };

/** What an agent asks the user to allow. One stage after the other where `stages` has several. */
export interface ApprovalQuestion {
  readonly type: "approval";
  /** The tool call that waits. It is started by the host where it is not open yet. */
  readonly item: AgentItem;
  readonly toolName: string;
  /** The arguments of the call, as JSON text. */
  readonly rawArgs: string;
  readonly subject: ApprovalSubject;
  /** What may be chosen at each stage; one entry for a single stage. */
  readonly stages: readonly (readonly ApprovalChoice[])[];
  readonly protectedWrite?: boolean;
}

/** What an agent asks the user. */
export interface UserInputQuestions {
  readonly type: "userInput";
  /** The tool call that waits. It is started by the host where it is not open yet. */
  readonly item: AgentItem;
  readonly toolName: string;
  readonly questions: readonly UserInputQuestion[];
  /** Milliseconds for each question, after which the host settles it as timed out; for ever where left out. */
  readonly autoResolutionMs?: number;
}

/** What was decided. The item stays the agent's to complete. */
export interface ApprovalAnswer {
  readonly type: "approval";
  readonly decision: ApprovalDecision;
  readonly choiceId: string;
  readonly feedback: string | undefined;
}

/** How a question was settled. The item stays the agent's to complete. */
export interface UserInputReply {
  readonly type: "userInput";
  readonly outcome: UserInputOutcome;
  readonly answers: readonly UserInputAnswer[];
  readonly clarification: UserInputClarification | null;
  readonly reason: string | null;
}

/** What the user sent into a running turn. */
export interface Steer {
  readonly commandId: string;
  readonly text: string;
  readonly input: readonly TurnInputPart[];
}

/** What a client asked of a tool call that is under way. */
export interface TaskAction {
  readonly taskId: string;
  readonly action: "stop" | "background";
}

/** How a turn ended. Nothing: completed. */
export type TurnEnd =
  | { readonly terminal: "completed" }
  | { readonly terminal: "failed"; readonly error: TurnError };

/** What an agent has while it runs a turn. */
export interface AgentTools {
  /** Aborted when the turn is to stop. The host waits a moment for `run`, and ends the turn in any case. */
  readonly signal: AbortSignal;
  /**
   * Says what happens. Resolves, or returns, when the agent may say more: an agent that waits for it does not get
   * ahead of a slow disk. After the turn's end it does nothing.
   */
  emit(event: AgentEvent): void | Promise<void>;
  /** Asks the user; resolves when it was decided, however long that takes. Rejects when the turn is to stop. */
  ask(question: ApprovalQuestion): Promise<ApprovalAnswer>;
  ask(question: UserInputQuestions): Promise<UserInputReply>;
  /** Gets each steer, also those from before it is called, in their order. */
  onSteer(listener: (steer: Steer) => void): void;
  /** Gets what clients ask of tool calls. Stopping one also completes its item as cancelled, where the agent has not. */
  onTask(listener: (action: TaskAction) => void): void;
  /** A new id for an item. */
  mintId(): string;
  /**
   * How many commands the session has admitted since the turn was asked for. For test agents that wait for a client.
   */
  commands(): number;
  /** Resolves when `commands()` is at least this. Rejects when the turn is to stop. */
  untilCommands(count: number): Promise<void>;
}

/** Does the work of turns. One object serves all sessions of a host; turns of different sessions run at once. */
export interface Agent {
  /**
   * Gets ready for a turn before it counts as started: it may be asked again for the same turn after a crash, so that it
   * begins nothing. What it throws is a launch failure: the turn ends as failed
   * (`launchError`) without having started, and a queued command is settled as rejected (`deferred_start_failed`).
   */
  launch?(turn: AgentTurn): void | Promise<void>;
  /** Runs a turn to its end. What it throws ends the turn as failed, with the error's message. */
  run(turn: AgentTurn, tools: AgentTools): Promise<TurnEnd | undefined>;
  /** What models there are; the first is what sessions begin with. */
  readonly models?: readonly AgentModel[];
  /** Compacts a session's history; undefined where there is nothing to compact. Without it: nothing ever is. */
  compact?(session: {
    readonly sessionId: string;
    readonly turnCount: number;
  }): Promise<Compacted | undefined>;
  /** Ends what runs in the background. */
  close?(): void | Promise<void>;
}

/** A model that an agent can use. */
export interface AgentModel {
  readonly modelId: string;
  readonly providerId: string;
  readonly displayName: string;
}

/** What a compaction came to. */
export interface Compacted {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

const IS_TURN_FAILURE = Symbol.for("mspkit.turnFailure");

/** An error with which an agent fails a launch or a turn in so many words. Any other error is told as `modelError`. */
export class TurnFailure extends Error {
  /** Told by this mark and not by its class, since a program may hold two copies of this module. */
  readonly [IS_TURN_FAILURE] = true;
  readonly info: TurnError;

  constructor(info: TurnError) {
    super(info.message);
    this.name = "TurnFailure";
    this.info = info;
  }
}

/** Whether a value is a {@link TurnFailure}. */
export function isTurnFailure(value: unknown): value is TurnFailure {
  return typeof value === "object" && value !== null && IS_TURN_FAILURE in value;
}
