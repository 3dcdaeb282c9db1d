/**
 * What it takes to decide, and what a decision is. Deciding reads the state and changes nothing: records say what
 * happened, effects what is to be done once the records are durable.
 */

import type { ProtocolError } from "../../../generated/msp/experimental/server.js";
import { methods, type rejections } from "../../../generated/msp/experimental/tables.js";
import type { Item, TurnInputPart } from "../../../generated/msp/experimental/types.js";
import type { AgentModel, ApprovalAnswer, Steer, TaskAction, UserInputReply } from "../agents/agent.js";
import type {
  CommandAnswer,
  EventParams,
  Rejection,
  SessionRecord,
  ViewEvent,
  ViewMethod,
} from "./records.js";
import { keyOf, type Payload, type SessionState } from "./state.js";

/** A command, admitted so far as its own words go. */
export interface Command {
  readonly method: string;
  /** In one letter case. */
  readonly id: string;
  /** As the client spelt it. */
  readonly spelt: string;
  /** Known members, after trimming. */
  readonly payload: Payload;
  readonly signature: string;
  /** What the client calls itself. */
  readonly clientName: string;
}

/** What comes from outside. */
export interface Context {
  /** Unix milliseconds. */
  readonly now: number;
  /** A new id of the host's own: a UUIDv7. */
  mintId(): string;
  /** What may be chosen; undefined: anything. */
  readonly models: readonly AgentModel[] | undefined;
  /** Turns that may wait. */
  readonly maxQueuedTurns: number;
  /** Approval modes that this host allows, from the strictest on. */
  readonly approvalModes: readonly string[];
  readonly canCompact: boolean;
  /** Whether the session is about to be given up: turns that wait are left for its next holder. */
  readonly leaving: boolean;
  /** What the agent of the turn has begun to say and not completed. */
  readonly streaming: readonly Item[];
  /** What open tool calls have put out so far, by item. */
  readonly outputs: ReadonlyMap<string, string>;
}

/** What is to be done when the records are durable. */
export type Effect =
  | { readonly type: "launch"; readonly turnId: string }
  | { readonly type: "run"; readonly turnId: string }
  | { readonly type: "stop"; readonly turnId: string }
  | { readonly type: "steer"; readonly turnId: string; readonly steer: Steer }
  | { readonly type: "reply"; readonly id: string; readonly reply: ApprovalAnswer | UserInputReply }
  | { readonly type: "task"; readonly itemId: string; readonly action: TaskAction["action"] }
  | { readonly type: "compact"; readonly itemId: string; readonly commandId: string }
  | { readonly type: "shell"; readonly itemId: string; readonly commandText: string }
  | { readonly type: "leave"; readonly commandId: string };

/** What was decided. */
export interface Decision {
  /** In their order; together or not at all. */
  readonly records: readonly SessionRecord[];
  /** What the command is answered. A refusal admits nothing and has no record. */
  readonly answer: CommandAnswer | { readonly refusal: ProtocolError };
  readonly effects: readonly Effect[];
}

/** A word of the protocol's table of rejections, or of this host's own in it. */
export type Reason = keyof typeof rejections;

type StreamOf = NonNullable<ViewEvent["stream"]>;

/** Whether the record of a command outlives the host. */
export function keepsRecord(method: string): boolean {
  const row: { readonly record?: string } | undefined = (methods as Readonly<Record<string, object>>)[method];
  return row?.record === "durable";
}

/** Collects what a decision is made of. */
export class Draft {
  readonly state: SessionState;
  readonly context: Context;
  readonly records: SessionRecord[] = [];
  readonly effects: Effect[] = [];

  constructor(state: SessionState, context: Context) {
    this.state = state;
    this.context = context;
  }

  /** The time of the decision. */
  get at(): number {
    return this.context.now;
  }

  /** The time of the decision, as the protocol writes times. */
  get time(): string {
    return new Date(this.context.now).toISOString();
  }

  /** Adds an event of the view. */
  event<M extends ViewMethod>(
    method: M,
    params: EventParams<M>,
    stream?: StreamOf,
    stages?: ViewEvent["stages"],
  ): void {
    const event = { type: "event", method, params, at: this.at } as const;
    this.records.push({
      ...event,
      ...(stream === undefined ? {} : { stream }),
      ...(stages === undefined ? {} : { stages }),
    } as ViewEvent);
  }

  /** Adds an event of a turn's own stream. */
  runEvent<M extends ViewMethod>(method: M, params: EventParams<M>, turnId: string): void {
    this.event(method, params, { kind: "run", id: turnId });
  }

  /**
   * A command was accepted. It is settled with it, unless its outcome comes later.
   * @param ack the members that the method has beside the id and the status
   */
  accept(command: Command, ack: object = {}, how: { open?: boolean; status?: string } = {}): Decision {
    const answer = { ack: { commandId: command.spelt, status: how.status ?? "accepted", ...ack } };
    return this.#decided(command, answer, how.open === true ? undefined : "accepted");
  }

  /** A command was rejected for good: asked again, it is rejected again. */
  reject(command: Command, reason: Reason, data?: Rejection["data"]): Decision {
    this.records.length = 0;
    this.effects.length = 0;
    const rejection: Rejection = { reason, retryable: false, ...(data === undefined ? {} : { data }) };
    return this.#decided(command, { rejection }, "rejected");
  }

  /** A command admitted nothing. */
  refuse(refusal: ProtocolError): Decision {
    return { records: [], answer: { refusal }, effects: [] };
  }

  /** What happened was no command's doing. */
  done(): Decision {
    return { records: this.records, answer: { ack: {} }, effects: this.effects };
  }

  /** Settles a command that was taken in before; nothing where it keeps no record, or is settled. */
  settle(commandId: string, outcome: "accepted" | "rejected", answer?: CommandAnswer): void {
    const id = keyOf(commandId);
    if (!this.state.ledger.open.has(id)) return;
    this.records.push({
      type: "settled",
      id,
      outcome,
      ...(answer === undefined ? {} : { answer }),
      at: this.at,
    });
  }

  #decided(command: Command, answer: CommandAnswer, outcome: "accepted" | "rejected" | undefined): Decision {
    const { method, id, signature, payload } = command;
    if (!keepsRecord(method)) return { records: this.records, answer, effects: this.effects };
    const intake: SessionRecord[] = [
      { type: "received", id, method, signature, payload, answer, at: this.at },
    ];
    if (outcome !== undefined) intake.push({ type: "settled", id, outcome, at: this.at });
    return { records: [...intake, ...this.records], answer, effects: this.effects };
  }
}

/** The text parts of what was submitted, joined in their order. */
export function promptOf(input: readonly TurnInputPart[]): string {
  return input.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : [])).join("");
}

/** The item of what a user said. */
export function userMessage(
  draft: Draft,
  {
    commandId,
    turnId,
    payload,
    steered,
  }: { commandId: string; turnId: string; payload: Payload; steered: boolean },
): Item {
  const { displayText } = payload;
  return {
    itemId: draft.context.mintId(),
    kind: "userMessage",
    turnId,
    revision: 1,
    status: "completed",
    recordedAt: draft.time,
    text: promptOf((payload["input"] ?? []) as readonly TurnInputPart[]),
    ...(typeof displayText === "string" ? { displayText } : {}),
    commandId,
    ...(steered ? { steered } : {}),
  };
}
