/** A turn of an agent without a host: what the agent says is written down, and what clients do is called. */
import { onTestFinished } from "vitest";
import {
  type Agent,
  type AgentEvent,
  type AgentItem,
  type AgentTools,
  type AgentTurn,
  type ApprovalAnswer,
  type ApprovalQuestion,
  isTurnFailure,
  type Steer,
  type TaskAction,
  type TurnEnd,
  type UserInputQuestions,
  type UserInputReply,
} from "../../src/host/agents/agent.js";

/** A line of a play: what the host says, what a client does, or time that passes. See scripts/vectors/test-agent.mjs. */
export type Entry = Readonly<Record<string, unknown>>;

/** The members of an item that are written down. */
const SHOWN = [
  "kind",
  "status",
  "text",
  "tool",
  "callId",
  "args",
  "visibleOutput",
  "failureReason",
  "background",
  "cutOff",
] as const;

/** A clock that moves when it is told to. */
export class ManualClock {
  #now = 0;
  readonly #waiting = new Set<{ readonly at: number; readonly wake: () => void }>();

  /** Waits. No time at all is the next round of events. */
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const waiter = { at: this.#now + ms, wake: resolve };
      signal?.addEventListener("abort", () => {
        this.#waiting.delete(waiter);
        reject(signal.reason);
      });
      if (ms === 0) setImmediate(resolve);
      else this.#waiting.add(waiter);
    });

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const waiter of [...this.#waiting].sort((a, b) => a.at - b.at))
      if (waiter.at <= this.#now) {
        this.#waiting.delete(waiter);
        waiter.wake();
      }
  }
}

/** What {@link RecordedTurn} may be told. */
export interface RecordedOptions {
  readonly turn?: Partial<AgentTurn>;
  readonly clock?: ManualClock;
  /** Comes between what the agent says and its going on: a slow disk. */
  readonly onEmit?: (event: AgentEvent) => void | Promise<void>;
}

/** A turn and all that is said in it. The turn is stopped at the end of the test. */
export class RecordedTurn implements AgentTools {
  /** What the host would tell, in order, with items numbered from 1. */
  readonly entries: Entry[] = [];
  /** The raw events. */
  readonly events: AgentEvent[] = [];
  /** How `run` ended. Rejects where it did. */
  readonly end: Promise<TurnEnd | undefined>;
  readonly turn: AgentTurn;
  readonly #abort = new AbortController();
  readonly #options: RecordedOptions;
  readonly #labels = new Map<string, string>();
  readonly #open = new Map<string, AgentItem>();
  readonly #finished = new Set<string>();
  readonly #steers: Steer[] = [];
  #onSteer: ((steer: Steer) => void) | undefined;
  #onTask: (action: TaskAction) => void = () => undefined;
  #decide: (choiceId: string, feedback?: string) => void = () => notAsked();
  #settle: (reply: UserInputReply) => void = () => notAsked();
  #commands = 0;
  readonly #commandWaits = new Set<() => void>();
  #ids = 0;
  #over = false;

  constructor(agent: Agent, prompt: string, options: RecordedOptions = {}) {
    this.#options = options;
    this.turn = {
      sessionId: "session",
      turnId: "turn",
      commandId: "command",
      kind: "submit",
      prompt,
      input: [{ type: "text", text: prompt }],
      workspaceRoot: null,
      modelId: "echo-small",
      providerId: "mspkit",
      reasoningEffort: undefined,
      tokenBudget: undefined,
      ...options.turn,
    };
    this.end = this.#run(agent);
    this.end.catch(() => undefined); // who cares awaits it
    onTestFinished(() => this.interrupt());
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  async emit(event: AgentEvent): Promise<void> {
    if (this.#over) return;
    if (event.type === "itemCompleted" && this.#finished.has(event.item.itemId)) return;
    this.events.push(event);
    if (event.type === "event") this.#say(event.method, event.params);
    else if (event.type === "itemDelta") this.#delta(event.itemId, event.delta);
    else {
      const { item } = event;
      const status = event.type === "itemCompleted" ? "completed" : "inProgress";
      const whole = { status, ...this.#open.get(item.itemId), ...item } as AgentItem;
      if (event.type === "itemCompleted") {
        this.#open.delete(item.itemId);
        this.#finished.add(item.itemId);
        if (item.status === undefined) Object.assign(whole, { status });
      } else this.#open.set(item.itemId, whole);
      const method = {
        itemStarted: "item/started",
        itemUpdated: "item/updated",
        itemCompleted: "item/completed",
      };
      this.#say(method[event.type], { item: this.#shown(whole) });
    }
    await this.#options.onEmit?.(event);
  }

  ask(question: ApprovalQuestion): Promise<ApprovalAnswer>;
  ask(question: UserInputQuestions): Promise<UserInputReply>;
  async ask(question: ApprovalQuestion | UserInputQuestions): Promise<ApprovalAnswer | UserInputReply> {
    if (!this.#open.has(question.item.itemId)) await this.emit({ type: "itemStarted", item: question.item });
    return question.type === "approval" ? this.#approval(question) : this.#userInput(question);
  }

  onSteer(listener: (steer: Steer) => void): void {
    this.#onSteer = listener;
    for (const steer of this.#steers.splice(0)) listener(steer);
  }

  onTask(listener: (action: TaskAction) => void): void {
    this.#onTask = listener;
  }

  mintId(): string {
    return `item-${++this.#ids}`;
  }

  commands(): number {
    return this.#commands;
  }

  untilCommands(count: number): Promise<void> {
    return this.#stoppable((resolve) => {
      const check = (): void => {
        if (this.#commands < count) return;
        this.#commandWaits.delete(check);
        resolve();
      };
      this.#commandWaits.add(check);
      check();
    });
  }

  /** Counts commands as admitted. */
  admit(count = 1): void {
    this.#commands += count;
    for (const check of [...this.#commandWaits]) check();
  }

  interrupt(): void {
    this.#abort.abort();
  }

  steer(text: string): void {
    const steer: Steer = { commandId: "steer", text, input: [{ type: "text", text }] };
    if (this.#onSteer === undefined) this.#steers.push(steer);
    else this.#onSteer(steer);
  }

  /** Asks something of the tool call with this number. The host tells it before the agent hears of it. */
  task(action: TaskAction["action"], label: string): void {
    for (const [taskId, item] of this.#open) {
      if (this.#labels.get(taskId) !== label) continue;
      if (action === "background")
        void this.emit({ type: "itemUpdated", item: { ...item, background: true } });
      else void this.emit({ type: "itemCompleted", item: { ...item, status: "cancelled" } });
      this.#onTask({ taskId, action });
    }
  }

  decide(choiceId: string, feedback?: string): void {
    this.#decide(choiceId, feedback);
  }

  settle(reply: Partial<UserInputReply> & Pick<UserInputReply, "outcome">): void {
    this.#settle({ type: "userInput", answers: [], clarification: null, reason: null, ...reply });
  }

  /** The texts of the messages that were completed. */
  get said(): string[] {
    return this.events.flatMap((event) =>
      event.type === "itemCompleted" && event.item.kind === "agentMessage" ? [event.item.text ?? ""] : [],
    );
  }

  /** Waits until the agent waits for something else than the next round of events. */
  async settled(): Promise<void> {
    for (let quiet = 0, seen = -1; quiet < 12; quiet++) {
      if (this.entries.length !== seen) quiet = 0;
      seen = this.entries.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #run(agent: Agent): Promise<TurnEnd | undefined> {
    try {
      await agent.launch?.(this.turn);
    } catch (error) {
      if (isTurnFailure(error)) {
        const { kind, retryable } = error.info;
        this.#say("turn/completed", { terminal: "failed", error: { kind, retryable } });
      }
      throw error;
    }
    this.#say("turn/started", {});
    const end = await agent.run(this.turn, this);
    for (const item of [...this.#open.values()])
      await this.emit({ type: "itemCompleted", item: { ...item, status: "cancelled" } });
    const said = this.signal.aborted ? { terminal: "cancelled" } : (end ?? { terminal: "completed" });
    const error = "error" in said ? { kind: said.error.kind, retryable: said.error.retryable } : undefined;
    this.#say("turn/completed", { terminal: said.terminal, ...(error === undefined ? {} : { error }) });
    this.#over = true;
    return end;
  }

  #say(host: string, members: object): void {
    this.entries.push({ host, ...members });
  }

  /** Deltas of one item that follow each other are one line. */
  #delta(itemId: string, delta: string): void {
    const last = this.entries.at(-1);
    if (last?.["host"] === "item/delta" && last["item"] === this.#label(itemId))
      this.entries[this.entries.length - 1] = { ...last, delta: `${last["delta"]}${delta}` };
    else this.#say("item/delta", { item: this.#label(itemId), delta });
  }

  #label(itemId: string): string {
    const label = this.#labels.get(itemId) ?? String(this.#labels.size + 1);
    this.#labels.set(itemId, label);
    return label;
  }

  #shown(item: AgentItem): object {
    const members = SHOWN.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]);
    return { itemId: this.#label(item.itemId), ...Object.fromEntries(members) };
  }

  #approval({ item, toolName, rawArgs, subject, stages }: ApprovalQuestion): Promise<ApprovalAnswer> {
    const about = { item: this.#label(item.itemId) };
    this.#say("approval/requested", { ...about, toolName, rawArgs, subject, availableChoices: stages[0] });
    return this.#stoppable((resolve) => {
      let stage = 0;
      this.#decide = (choiceId, feedback) => {
        const choice = stages[stage]?.find((offered) => offered.choiceId === choiceId);
        if (choice === undefined) throw new Error(`${choiceId} is not offered`);
        const { decision } = choice;
        if (decision.startsWith("approved") && ++stage < stages.length)
          return this.#say("approval/updated", { ...about, availableChoices: stages[stage] });
        this.#decide = () => notAsked();
        this.#say("approval/resolved", { ...about, decision });
        resolve({ type: "approval", decision, choiceId, feedback });
      };
    });
  }

  #userInput({ item, toolName, questions, autoResolutionMs }: UserInputQuestions): Promise<UserInputReply> {
    const about = { item: this.#label(item.itemId) };
    const limit = autoResolutionMs === undefined ? {} : { autoResolutionMs };
    this.#say("userInput/requested", { ...about, toolName, questions, ...limit });
    return this.#stoppable((resolve) => {
      this.#settle = (reply) => {
        this.#settle = () => notAsked();
        this.#say("userInput/settled", { ...about, outcome: reply.outcome });
        resolve(reply);
      };
      if (autoResolutionMs !== undefined)
        void this.#options.clock?.sleep(autoResolutionMs).then(() => this.settle({ outcome: "timedOut" }));
    });
  }

  /** A promise that rejects when the turn is to stop. */
  #stoppable<T>(start: (resolve: (value: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) return reject(this.signal.reason);
      this.signal.addEventListener("abort", () => reject(this.signal.reason));
      start(resolve);
    });
  }
}

function notAsked(): never {
  throw new Error("nothing is asked");
}
