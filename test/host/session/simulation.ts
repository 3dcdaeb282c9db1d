/**
 * A session with neither clock, disk nor process: the pure aggregate, what its host remembers, and an agent that does
 * what a schedule says. What was decided becomes durable later, or is lost with its host.
 */
import { AgentRun } from "../../../src/host/agent-run.js";
import type { Agent } from "../../../src/host/agents/agent.js";
import { type CommandName, payloadOf, signature } from "../../../src/host/payloads.js";
import { askApproval } from "../../../src/host/session/decide/approvals.js";
import { agentSaid } from "../../../src/host/session/decide/items.js";
import {
  compacted,
  ended,
  launchFailed,
  recovered,
  shellEnded,
  started,
} from "../../../src/host/session/decide/lifecycle.js";
import { askUser, timeOut } from "../../../src/host/session/decide/user-inputs.js";
import { decide } from "../../../src/host/session/decide.js";
import {
  type Command,
  type Context,
  type Decision,
  Draft,
  type Effect,
  keepsRecord,
} from "../../../src/host/session/decision.js";
import type { CommandAnswer, SessionRecord } from "../../../src/host/session/records.js";
import type { SessionState } from "../../../src/host/session/state.js";
import { SessionViewLog, type ToldEvent } from "../../../src/host/session/view.js";
import { type PassingCommands, SessionMemory, type Standing } from "../../../src/host/session-memory.js";
import { foldLog } from "./fold-log.js";

/** What decides. A mutant replaces some of it. */
export const CORE = {
  decide,
  started,
  launchFailed,
  ended,
  recovered,
  agentSaid,
  askApproval,
  askUser,
  timeOut,
  compacted,
  shellEnded,
  stand: (memory: SessionMemory, command: Command): Standing => memory.stand(command),
};

/** What decides. */
export type Core = typeof CORE;

/** Something that happened, and what was decided. */
export interface Happened {
  /** A client's command, or what else: `recovered`, `released`, or what an agent did. */
  readonly what: Command | string;
  readonly decision: Decision;
}

/** Who looks at what happens. Throws where it must not. */
export interface Observer {
  /** Something has become durable. */
  happened(happened: Happened, events: readonly ToldEvent[]): void;
  /** A command was repeated, and answered from memory. */
  repeated(command: Command, standing: Standing): void;
  /** All that was decided is durable. */
  settled(simulation: Simulation): void;
}

/** The id of every simulated session. Its first command has the same one: nothing forbids that. */
export const SESSION_ID = "01a19b7c-a6bc-7000-8000-000000000001";

/** The models that may be chosen. */
export const MODELS = [
  { modelId: "small", providerId: "here", displayName: "Small" },
  { modelId: "large", providerId: "there", displayName: "Large" },
] satisfies Agent["models"];

/** Turns that may wait in a simulated session: few, so that the queue is full at times. */
export const MOST_QUEUED = 6;

/** Makes ids that are never the same, in the form of a UUIDv7. */
export function idMaker(block: string): () => string {
  let last = 0;
  return () => `01a19b7c-a6bc-7000-${block}-${(++last).toString(16).padStart(12, "0")}`;
}

/** One session. */
export class Simulation {
  state: SessionState;
  view: SessionViewLog;
  /** The log, as far as it is durable. */
  readonly entries: string[] = [];
  /** What was decided and is not durable yet. */
  readonly waiting: (Happened & { readonly entry: string })[] = [];
  /** Every command that was sent, with what it was answered; of those that admitted something. */
  readonly sent = new Map<string, Command>();
  /** The turn whose launch is under way. */
  launching: string | undefined;
  /** The run of the turn; it may be under way or being launched. */
  run: AgentRun | undefined;
  running = false;
  /** Runs whose turn is over. */
  lingering: AgentRun[] = [];
  compactions: { readonly itemId: string; readonly commandId: string }[] = [];
  shells: string[] = [];
  leaving = false;
  /** Told before something is decided, and before its records are applied. */
  watch: { decides(): void; applies(): void } | undefined;
  now = Date.UTC(2026, 0, 1);
  readonly #core: Core;
  readonly #retained: number;
  readonly #observer: Observer;
  readonly mintId = idMaker("9000");
  #memory!: SessionMemory;
  #epoch = 1;

  constructor(observer: Observer, core: Core = CORE, retained = 1_000_000) {
    this.#observer = observer;
    this.#core = core;
    this.#retained = retained;
    this.entries.push(JSON.stringify([this.#created()]));
    this.state = this.#load();
    this.view = this.#newView();
  }

  /** Sends a command, or sends it again. Gives its standing where it is not new. */
  command(command: Command): Standing["kind"] {
    const standing = this.#core.stand(this.#memory, command);
    if (standing.kind !== "new") {
      this.#observer.repeated(command, standing);
      return standing.kind;
    }
    this.watch?.decides();
    const decision = this.#core.decide(this.state, command, this.#context());
    const { answer } = decision;
    this.#commit(command, decision);
    if ("refusal" in answer) return "new";
    this.sent.set(command.id, command);
    if (!keepsRecord(command.method)) this.#memory.pass(command, answer, 0);
    return "new";
  }

  /** Takes in what an agent did. */
  input(what: string, decider: (core: Core, draft: Draft) => Decision): void {
    this.watch?.decides();
    this.#commit(what, decider(this.#core, new Draft(this.state, this.#context())));
  }

  /** Makes the first of what waits durable: it is told and acted on. */
  flush(count = this.waiting.length): void {
    const steps = this.waiting.splice(0, count);
    const told = steps.map((step) => ({ step, events: this.#durable(step) }));
    for (const { step, events } of told) this.#observer.happened(step, events);
    for (const { step } of told) for (const effect of step.decision.effects) this.#act(effect);
    if (this.waiting.length === 0) this.#observer.settled(this);
  }

  /** The host dies: what was not durable is lost, but for some of it. The next host loads the session. */
  crash(kept: number): void {
    const steps = this.waiting.splice(0, this.waiting.length).slice(0, kept);
    for (const step of steps) this.#observer.happened(step, this.#durable(step));
    this.#reload();
  }

  /** The session is given up in order, and loaded again. */
  release(): void {
    this.input("released", (_, draft) => {
      draft.records.push({ type: "released", reason: "leave", at: draft.at });
      return draft.done();
    });
    this.flush();
    this.#reload();
  }

  /** The turn of the run is over. */
  over(what: string, decider: (core: Core, draft: Draft) => Decision): void {
    const { run } = this;
    this.input(what, decider);
    run?.end();
    if (run !== undefined && this.running) this.lingering.push(run);
    this.run = this.launching = undefined;
    this.running = false;
  }

  /** All of the log, that part included that is not durable. */
  get log(): readonly (readonly SessionRecord[])[] {
    return [...this.entries, ...this.waiting.flatMap(({ entry }) => (entry === "[]" ? [] : [entry]))].map(
      (entry) => JSON.parse(entry),
    );
  }

  #reload(): void {
    this.lingering = [];
    this.compactions = [];
    this.shells = [];
    this.run = this.launching = undefined;
    this.running = this.leaving = false;
    this.state = this.#load();
    this.view = this.#newView();
    this.#epoch++;
    this.input("recovered", (core, draft) => core.recovered(draft, this.#epoch));
    this.flush();
  }

  #load(): SessionState {
    const state = foldLog(this.entries.map((entry) => JSON.parse(entry)));
    const passing: PassingCommands = new Map();
    this.#memory = new SessionMemory(state, passing, async () => this.entries as never);
    return state;
  }

  #newView(): SessionViewLog {
    const view = new SessionViewLog(SESSION_ID, this.#retained);
    for (const entry of this.entries) for (const record of JSON.parse(entry)) view.apply(record);
    return view;
  }

  #created(): SessionRecord {
    const time = new Date(this.now).toISOString();
    const session = {
      sessionId: SESSION_ID,
      status: "idle" as const,
      turnCount: 0,
      path: "",
      createdAt: time,
      updatedAt: time,
      workspaceRoot: null,
      providerId: "here",
      modelId: "small",
      forkedFrom: null,
      activeTurnId: null,
    };
    const commandId = "01a19b7c-a6bc-7000-8000-000000000002";
    return { type: "session", session, workspaceRoots: [], commandId, history: [], at: this.now };
  }

  #context(): Context {
    // The clock of a host may stand still, and go backwards.
    this.now += [0, 1, 7, -3][this.entries.length % 4]!;
    return {
      now: this.now,
      mintId: this.mintId,
      models: MODELS,
      maxQueuedTurns: MOST_QUEUED,
      approvalModes: ["denyUnmatched", "onRequest", "promptUnmatched"],
      canCompact: this.entries.length % 7 !== 0,
      leaving: this.leaving,
      outputs: this.run?.outputs ?? new Map(),
      streaming: [...(this.run?.streaming.values() ?? [])],
    };
  }

  #commit(what: Happened["what"], decision: Decision): void {
    const entry = JSON.stringify(decision.records);
    const records: SessionRecord[] = JSON.parse(entry);
    const position = this.entries.length + this.waiting.filter(({ entry }) => entry !== "[]").length + 1;
    this.watch?.applies();
    // Nothing that reads a record may change it.
    for (const record of records) this.state.apply(deepFreeze(record), position);
    this.waiting.push({ what, decision, entry });
  }

  #durable({ entry }: { readonly entry: string }): readonly ToldEvent[] {
    if (entry === "[]") return [];
    this.entries.push(entry);
    return (JSON.parse(entry) as SessionRecord[]).flatMap((record) => this.view.apply(record) ?? []);
  }

  #act(effect: Effect): void {
    const { run, state } = this;
    switch (effect.type) {
      case "launch":
        if (state.active?.turnId !== effect.turnId) return;
        this.run = this.#newRun(effect.turnId);
        this.launching = effect.turnId;
        return;
      case "run":
        if (run?.turnId !== effect.turnId || state.active?.turnId !== effect.turnId) return;
        this.launching = undefined;
        this.running = true;
        return;
      case "stop":
        if (run?.turnId === effect.turnId) run.stop();
        return;
      case "steer":
        if (run?.turnId === effect.turnId) run.steer(effect.steer);
        return;
      case "reply":
        run?.reply(effect.id, effect.reply);
        return;
      case "compact":
        this.compactions.push(effect);
        return;
      case "shell":
        this.shells.push(effect.itemId);
        return;
      case "leave":
        this.leaving = true;
        return;
      case "task":
        return;
    }
  }

  #newRun(turnId: string): AgentRun {
    const run: AgentRun = new AgentRun(turnId, {
      mintId: this.mintId,
      commands: () => 0,
      passing: (method, params) => void this.view.passing(method, params),
      said: (event, streamed) => {
        const isLate = this.run !== run;
        if (isLate && (event.type === "event" || !this.state.items.has(event.item.itemId))) return;
        this.input(event.type, (core, draft) => core.agentSaid(draft, turnId, event, streamed));
      },
      asked: (id, question) => {
        if (this.run !== run) return;
        this.input("asked", (core, draft) =>
          question.type === "approval"
            ? core.askApproval(draft, turnId, id, question)
            : core.askUser(draft, turnId, id, question),
        );
      },
    });
    return run;
  }
}

/** A command, as its host admits it. */
export function commandOf(method: CommandName, commandId: string, params: object): Command {
  const { payload, refusal } = payloadOf(method, { sessionId: SESSION_ID, commandId, ...params });
  if (refusal !== undefined) throw new Error(`a schedule made params that are refused: ${refusal.pointer}`);
  const id = commandId.toLowerCase();
  return { method, id, spelt: commandId, payload, signature: signature(method, payload), clientName: "t" };
}

/** Freezes a JSON value with everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

/** The answer of a standing that has one. */
export function answerOf(standing: Standing): CommandAnswer | undefined {
  return standing.kind === "answered" ? standing.answer : undefined;
}
