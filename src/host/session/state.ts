/**
 * A session as its host decides by it: a fold of the records of its log. No clock, no chance, no I/O.
 */
import type {
  ApprovalChoice,
  ApprovalSubject,
  EffectiveApprovalModeState,
  EffectiveModel,
  Goal,
  Item,
  LastTurn,
  ReasoningEffortState,
  Session,
} from "../../../generated/msp/experimental/types.js";
import { CommandLedger } from "../../ledger/command-ledger.js";
import type { CommandAnswer, EventParams, SessionRecord, TurnRequested, ViewEvent } from "./records.js";

/** What a command asked for: known members, after trimming. */
export type Payload = Readonly<Record<string, unknown>>;

/** A turn that has not ended. */
export interface Turn {
  readonly turnId: string;
  /** The command that asked for it, as it was spelt. */
  readonly commandId: string;
  readonly kind: "submit" | "goal";
  /** The objective of a goal. */
  readonly prompt: string | undefined;
  /** What was submitted; undefined for a goal. */
  readonly payload: Payload | undefined;
  /** Whether its ack said `queued`: its launch was put off. */
  readonly deferred: boolean;
  /** The folders of the session from its launch on, where they change. */
  readonly workspaceRoots: readonly string[] | undefined;
  phase: "queued" | "launching" | "running" | "stopping";
  /** Whether `turn/started` was told. */
  started: boolean;
  startedAt: number | undefined;
  /** Whether a command asked to withdraw the message with the turn. */
  retract: boolean;
  /** Why it is to stop, for people. */
  stopReason: string | undefined;
  /** Messages that were sent into it before it started. */
  readonly steers: Item[];
  /** Whether the agent has committed anything of its own. */
  spoke: boolean;
  /** How many commands the session had admitted when the turn was asked for. */
  readonly commandsBefore: number;
}

/** An approval that the session has asked for. */
export interface HeldApproval {
  readonly request: EventParams<"approval/requested">;
  /** What is asked about, with what was decided of its stages. */
  subject: ApprovalSubject;
  choices: readonly ApprovalChoice[];
  /** Choices of the stages after this one. */
  stages: readonly (readonly ApprovalChoice[])[];
  sourceIndex: number;
  readonly ordinal: number;
  resolved: { readonly decision: string; readonly resolvedBy: string; readonly ordinal: number } | undefined;
}

/** Questions that the session has asked. */
export interface HeldUserInput {
  readonly request: EventParams<"userInput/requested">;
  readonly ordinal: number;
  settled: { readonly outcome: string; readonly ordinal: number } | undefined;
}

/** The key of an id: ids are compared without letter case. */
export function keyOf(id: string): string {
  return id.toLowerCase();
}

/** A cursor of the view: after the event of this number. 0 is before the first. */
export function cursorOf(sessionId: string, ordinal: number, fragment?: number): string {
  return `v:${sessionId}:${ordinal}${fragment === undefined ? "" : `.${fragment}`}`;
}

/** What a session is, for whoever decides about it. */
export class SessionState {
  session!: Session;
  /** The command that made it. */
  createdBy = "";
  workspaceRoots: readonly string[] = [];
  /** Of commands that keep a durable record. */
  readonly ledger = new CommandLedger<CommandAnswer>();
  /** What was submitted, of turns that have not ended. By command. */
  readonly #payloads = new Map<string, Payload>();
  active: Turn | undefined;
  queue: Turn[] = [];
  /** How each turn ended. By turn. */
  readonly ended = new Map<string, string>();
  #unqueued = 0;
  lastTurn: LastTurn | undefined;
  goal: Goal | null = null;
  approvalMode!: EffectiveApprovalModeState;
  model: EffectiveModel | null = null;
  effort: ReasoningEffortState | undefined;
  name: string | undefined;
  readonly items = new Map<string, Item>();
  /** Tool calls that are over. */
  readonly finished = new Set<string>();
  /** Other items that are over, of the turn that runs. */
  readonly said = new Set<string>();
  /** How many turns had ended when the history was last compacted. */
  compactedThrough = 0;
  readonly approvals = new Map<string, HeldApproval>();
  readonly userInputs = new Map<string, HeldUserInput>();
  /** Those of both that wait for the user. */
  readonly waiting = new Set<HeldApproval | HeldUserInput>();
  /** Commands that gave the session up, with how many events the view had then. */
  readonly left = new Map<string, number>();
  /** Commands that ask for it to be given up. */
  #leaving: string[] = [];
  /** How many events the view has. */
  ordinal = 0;
  /** How many commands were admitted. */
  commands = 0;
  updatedAt = 0;
  /** The id of the session. */
  get sessionId(): string {
    return this.session.sessionId;
  }

  /** A turn that has not ended. */
  turn(turnId: string): Turn | undefined {
    const key = keyOf(turnId);
    if (this.active !== undefined && keyOf(this.active.turnId) === key) return this.active;
    return this.queue.find((turn) => keyOf(turn.turnId) === key);
  }

  /** How many turns have ended; those that were taken back are none. */
  get turnCount(): number {
    return this.ended.size - this.#unqueued;
  }

  /**
   * Folds one record. The state is changed in place, since that of a long session is large.
   * @param position the entry's place in the log
   */
  apply(record: SessionRecord, position: number): void {
    this.updatedAt = Math.max(this.updatedAt, record.at);
    switch (record.type) {
      case "session":
        this.session = record.session;
        this.createdBy = record.commandId;
        this.workspaceRoots = record.workspaceRoots;
        this.approvalMode = record.session.approvalMode ?? DEFAULT_MODE;
        this.model =
          record.session.modelId === null
            ? null
            : {
                modelId: record.session.modelId,
                providerId: record.session.providerId,
                source: "sessionStart",
              };
        for (const event of record.history) this.#event(event);
        return;
      case "received":
        this.commands++;
        this.ledger.receive(record.id, record.signature, record.answer, position);
        if (record.method === "turn/start") this.#payloads.set(record.id, record.payload);
        if (record.method === "session/leave") this.#leaving.push(record.id);
        return;
      case "settled":
        this.ledger.settle(record.id, position, record.answer);
        this.#payloads.delete(record.id);
        return;
      case "withdrawn":
        this.ledger.withdraw(record.id);
        return;
      case "turn":
        this.#request(record);
        return;
      case "launching": {
        // Always the first one: with thousands that wait, looking for it would be most of the work.
        const [first] = this.queue;
        if (first?.turnId !== record.turnId) return;
        this.queue.shift();
        this.active = Object.assign(first, { phase: "launching" as const });
        return;
      }
      case "requeued":
        if (this.active?.turnId === record.turnId) {
          this.queue.unshift(Object.assign(this.active, { phase: "queued" as const }));
          this.active = undefined;
        }
        return;
      case "stopping":
        if (this.active?.turnId === record.turnId) {
          this.active.phase = "stopping";
          this.active.retract ||= record.retract;
          this.active.stopReason ??= record.reason;
        }
        return;
      case "steer":
        this.turn(record.turnId)?.steers.push(record.item);
        return;
      case "event":
        this.#event(record);
        return;
      case "released":
        if (record.reason === "leave") for (const id of this.#leaving) this.left.set(id, this.ordinal);
        this.#leaving = [];
        return;
      case "resumed":
        this.#leaving = [];
        return;
    }
  }

  #request({ turnId, commandId, kind, place, prompt, workspaceRoots }: TurnRequested): void {
    const turn: Turn = {
      turnId,
      commandId,
      kind,
      prompt,
      payload: this.#payloads.get(keyOf(commandId)),
      deferred: place !== "now",
      workspaceRoots,
      phase: place === "now" ? "launching" : "queued",
      started: false,
      startedAt: undefined,
      retract: false,
      stopReason: undefined,
      steers: [],
      spoke: false,
      commandsBefore: this.commands,
    };
    if (place === "now") this.active = turn;
    else if (place === "first") this.queue.unshift(turn);
    else this.queue.push(turn);
  }

  #event(record: ViewEvent): void {
    const ordinal = ++this.ordinal;
    switch (record.method) {
      case "turn/started":
        if (this.active?.turnId === record.params.turnId) {
          if (this.active.phase === "launching") this.active.phase = "running";
          this.active.started = true;
          this.active.startedAt = record.at;
          this.workspaceRoots = this.active.workspaceRoots ?? this.workspaceRoots;
        }
        return;
      case "turn/completed": {
        const { turnId, terminal, reason, error } = record.params;
        this.#end(turnId, terminal);
        this.lastTurn = { turnId, terminal };
        if (reason !== undefined) this.lastTurn.reason = reason;
        if (error !== undefined) this.lastTurn.error = error;
        return;
      }
      case "turn/unqueued":
        this.#unqueued++;
        this.#end(record.params.turnId, "unqueued");
        return;
      case "item/started":
      case "item/updated":
      case "item/completed":
        this.#item(record.params.item);
        return;
      case "session/goalChanged":
        this.goal = record.params.goal;
        return;
      case "session/modelChanged":
        this.model = record.params;
        return;
      case "session/approvalModeChanged": {
        const { mode, source, commandId } = record.params;
        this.approvalMode = { mode, source, lastCommandId: commandId };
        return;
      }
      case "session/reasoningEffortChanged":
        this.effort = record.params;
        return;
      case "session/nameChanged":
        this.name = record.params.name;
        return;
      case "approval/requested":
        this.#asks(this.approvals, record.params.approvalId, {
          request: record.params,
          subject: record.params.subject,
          choices: record.params.availableChoices,
          stages: record.stages ?? [],
          sourceIndex: record.params.currentRequirementId.sourceIndex,
          ordinal,
          resolved: undefined,
        });
        return;
      case "approval/updated": {
        const held = this.approvals.get(keyOf(record.params.approvalId));
        if (held === undefined) return;
        held.subject = record.params.subject;
        held.choices = record.params.availableChoices;
        held.stages = held.stages.slice(1);
        held.sourceIndex = record.params.currentRequirementId.sourceIndex;
        return;
      }
      case "approval/resolved": {
        const { approvalId, decision, resolvedBy } = record.params;
        const held = this.approvals.get(keyOf(approvalId));
        if (held === undefined) return;
        held.resolved = { decision, resolvedBy, ordinal };
        this.waiting.delete(held);
        return;
      }
      case "userInput/requested":
        this.#asks(this.userInputs, record.params.userInputId, {
          request: record.params,
          ordinal,
          settled: undefined,
        });
        return;
      case "userInput/settled": {
        const held = this.userInputs.get(keyOf(record.params.userInputId));
        if (held === undefined) return;
        held.settled = { outcome: record.params.outcome, ordinal };
        this.waiting.delete(held);
        return;
      }
      default:
        return;
    }
  }

  #asks<Held extends HeldApproval | HeldUserInput>(all: Map<string, Held>, id: string, held: Held): void {
    all.set(keyOf(id), held);
    this.waiting.add(held);
  }

  #end(turnId: string, how: string): void {
    const key = keyOf(turnId);
    this.ended.set(key, how);
    if (this.active !== undefined && keyOf(this.active.turnId) === key) {
      this.active = undefined;
      this.said.clear();
    } else this.queue = this.queue.filter((turn) => keyOf(turn.turnId) !== key);
    for (const [itemId, item] of this.items)
      if (item.kind === "userMessage" && item.turnId === turnId) this.items.delete(itemId);
  }

  #item(item: Item): void {
    const { itemId, kind, status, turnId } = item;
    const { active } = this;
    const isTurns = active !== undefined && active.turnId === turnId;
    if (isTurns && kind !== "userMessage" && kind !== "compaction") active.spoke = true;
    // The user's message may be withdrawn as long as its turn has not ended.
    if (status !== "inProgress" && (kind !== "userMessage" || active?.turnId !== turnId)) {
      this.items.delete(itemId);
      if (kind === "toolCall") this.finished.add(itemId);
      else this.said.add(itemId);
      if (kind === "compaction" && item.outcome === "compacted") this.compactedThrough = this.turnCount;
    } else this.items.set(itemId, item);
  }
}

/** What a session begins with where nothing is said. */
export const DEFAULT_MODE: EffectiveApprovalModeState = {
  mode: "promptUnmatched",
  source: "startup",
  lastCommandId: null,
};
