/**
 * One run of an agent: what the agent has in its hands, and what happens when it does not let go.
 */
import type { Item } from "../../generated/msp/experimental/types.js";
import type {
  AgentEvent,
  AgentTools,
  ApprovalAnswer,
  ApprovalQuestion,
  Steer,
  TaskAction,
  UserInputQuestions,
  UserInputReply,
} from "./agents/agent.js";
import { addText, isStreamed, itemOf } from "./session/decide/items.js";

/** What a run tells its session. */
export interface RunListener {
  /** Something that is a record. `streamed`: the item as it was told so far. A promise where the agent should wait. */
  said(event: Exclude<AgentEvent, { type: "itemDelta" }>, streamed: Item | undefined): void | Promise<void>;
  /** Something that is told and not kept. */
  passing(method: "item/started" | "item/delta", params: Readonly<Record<string, unknown>>): void;
  /** A question; its answer comes by {@link AgentRun.reply}. */
  asked(id: string, question: ApprovalQuestion | UserInputQuestions): void;
  mintId(): string;
  commands(): number;
}

/** Units of a tool call's output that are kept until it is completed. */
const MOST_OUTPUT = 65_536;

interface Waiting {
  readonly resolve: (reply: never) => void;
  readonly reject: (error: unknown) => void;
}

/** A run of an agent. */
export class AgentRun {
  readonly turnId: string;
  readonly tools: AgentTools;
  /** What the agent has begun to say and not completed. */
  readonly streaming = new Map<string, Item>();
  /** What open tool calls have put out so far. */
  readonly outputs = new Map<string, string>();
  readonly #listener: RunListener;
  readonly #controller = new AbortController();
  readonly #asked = new Map<string, Waiting>();
  readonly #untilCommands = new Set<{ readonly count: number } & Waiting>();
  #steers: Steer[] = [];
  #onSteer: ((steer: Steer) => void) | undefined;
  #onTask: ((action: TaskAction) => void) | undefined;
  #over = false;

  constructor(turnId: string, listener: RunListener) {
    this.turnId = turnId;
    this.#listener = listener;
    const { signal } = this.#controller;
    this.tools = {
      signal,
      emit: (event) => this.#emit(event),
      ask: ((question: ApprovalQuestion | UserInputQuestions) => this.#ask(question)) as AgentTools["ask"],
      onSteer: (take) => {
        this.#onSteer = take;
        const steers = this.#steers;
        this.#steers = [];
        for (const steer of steers) take(steer);
      },
      onTask: (take) => {
        this.#onTask = take;
      },
      mintId: () => listener.mintId(),
      commands: () => listener.commands(),
      untilCommands: (count) => this.#waitForCommands(count),
    };
  }

  /** Whether the agent was asked to stop. */
  get stopped(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Asks the agent to stop. What it waits for fails. */
  stop(): void {
    if (this.stopped) return;
    const reason = new DOMException("the turn is to stop", "AbortError");
    this.#controller.abort(reason);
    const waiting = [...this.#asked.values(), ...this.#untilCommands];
    this.#asked.clear();
    this.#untilCommands.clear();
    for (const { reject } of waiting) reject(reason);
  }

  /** The turn is over: what the agent says from now on counts only for tool calls in the background. */
  end(): void {
    this.#over = true;
    this.streaming.clear();
    this.outputs.clear();
  }

  /** Hands a steer over, now or when the agent listens. */
  steer(steer: Steer): void {
    if (this.#onSteer === undefined) this.#steers.push(steer);
    else this.#onSteer(steer);
  }

  /** Tells what a client wants of a tool call. */
  task(action: TaskAction): void {
    this.#onTask?.(action);
  }

  /** Answers a question; nothing where nobody waits for it. */
  reply(id: string, reply: ApprovalAnswer | UserInputReply): void {
    this.#asked.get(id)?.resolve(reply as never);
    this.#asked.delete(id);
  }

  /** The session has admitted commands. */
  admitted(): void {
    for (const wait of this.#untilCommands) {
      if (this.#listener.commands() < wait.count) continue;
      this.#untilCommands.delete(wait);
      wait.resolve(undefined as never);
    }
  }

  #emit(event: AgentEvent): void | Promise<void> {
    if (event.type === "itemDelta") {
      if (this.#over || this.stopped) return undefined;
      const { itemId, delta, field = "text" } = event;
      const item = this.streaming.get(itemId);
      if (item !== undefined) addText(item, field, delta);
      else if (field === "output") this.#putOut(itemId, delta);
      this.#listener.passing("item/delta", { itemId, field, delta });
      return undefined;
    }
    if (event.type === "itemStarted" && isStreamed(event.item)) {
      if (this.#over || this.streaming.has(event.item.itemId)) return undefined;
      const item = itemOf(this.turnId, { text: "", ...event.item }, undefined, "inProgress", undefined);
      this.streaming.set(item.itemId, item);
      this.#listener.passing("item/started", { item: { ...item } });
      return undefined;
    }
    if (this.#over && event.type !== "itemUpdated" && event.type !== "itemCompleted") return undefined;
    const itemId = event.type === "event" ? undefined : event.item.itemId;
    const streamed = itemId === undefined ? undefined : this.streaming.get(itemId);
    if (streamed !== undefined && event.type === "itemUpdated") Object.assign(streamed, event.item);
    if (event.type === "itemCompleted" && itemId !== undefined) {
      this.streaming.delete(itemId);
      this.outputs.delete(itemId);
    }
    return this.#listener.said(event, streamed);
  }

  #putOut(itemId: string, delta: string): void {
    const output = this.outputs.get(itemId) ?? "";
    if (output.length < MOST_OUTPUT) this.outputs.set(itemId, (output + delta).slice(0, MOST_OUTPUT));
  }

  #ask(question: ApprovalQuestion | UserInputQuestions): Promise<never> {
    return new Promise((resolve, reject) => {
      if (this.stopped || this.#over)
        return reject(this.#controller.signal.reason ?? new Error("the turn is over"));
      const id = this.#listener.mintId();
      this.#asked.set(id, { resolve, reject });
      this.#listener.asked(id, question);
    });
  }

  #waitForCommands(count: number): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#listener.commands() >= count) return resolve();
      if (this.stopped) return reject(this.#controller.signal.reason);
      this.#untilCommands.add({ count, resolve, reject });
    });
  }
}
