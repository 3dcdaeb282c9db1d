/**
 * The laws of goals and settings: what is in force is told when it changes, and only then; a goal wakes a turn where
 * nothing runs.
 */
import type { Goal } from "../../../generated/msp/experimental/types.js";
import type { Command } from "../../../src/host/session/decision.js";
import { ackOf, type Counts, commandIn, eventsOf, hold, reasonOf, recordsOf, same } from "./law.js";
import { type Happened, MODELS, type Simulation } from "./simulation.js";

/** The laws of goals and settings. */
export class GoalLaws {
  readonly #counts: Counts;
  #goal: Goal | null = null;
  /** The turn that runs, and how many wait. */
  #active: { readonly turnId: string; readonly goal: boolean } | undefined;
  readonly #queue = new Set<string>();
  readonly #settings = new Map<string, unknown>([
    ["session/setModel", ["small", "here"]],
    ["session/setApprovalMode", "promptUnmatched"],
  ]);

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  happened(happened: Happened): void {
    const command = commandIn(happened);
    const told = eventsOf(happened, "session/goalChanged").map(({ goal }) => goal);
    if (command?.method.startsWith("goal/") === true) this.#goals(happened, command, told);
    else if (told.length > 0 || this.#stopped(happened)) this.#stops(happened, told);
    if (command !== undefined && command.method in CHANGES) this.#setting(happened, command);
    for (const record of happened.decision.records) {
      if (record.type === "turn") {
        if (record.place === "now") this.#active = { turnId: record.turnId, goal: record.kind === "goal" };
        else this.#queue.add(record.turnId);
      } else if (record.type === "launching") {
        this.#queue.delete(record.turnId);
        this.#active = { turnId: record.turnId, goal: false };
      } else if (record.type === "requeued") {
        this.#queue.add(record.turnId);
        this.#active = undefined;
      } else if (record.type === "event" && record.method === "turn/completed") this.#active = undefined;
      else if (record.type === "event" && record.method === "turn/unqueued")
        this.#queue.delete(record.params.turnId);
    }
  }

  /** The state says what the model says. */
  settled({ state }: Simulation): void {
    same("the goal is what was made of it", state.goal, this.#goal);
  }

  #goals(happened: Happened, { method, payload }: Command, told: readonly (Goal | null)[]): void {
    const before = this.#goal;
    const ack = ackOf(happened);
    if (before === null && method !== "goal/set") {
      same("without a goal there is nothing to change", reasonOf(happened.decision.answer), "missing_goal");
      return;
    }
    hold("a goal is taken", ack !== undefined, happened.decision.answer);
    const objective = String(payload["objective"] ?? before?.objective);
    const status = STATUS[method as keyof typeof STATUS] ?? before?.status ?? "active";
    const percentComplete =
      method === "goal/set" || method === "goal/edit" ? 0 : (before?.percentComplete ?? 0);
    const goal = method === "goal/clear" ? null : { objective, status, percentComplete };
    const changes = JSON.stringify(goal) !== JSON.stringify(before);
    same("a goal is told where it changed, and only there", told, changes ? [goal] : []);
    this.#counts.met(changes ? "a goal that changed" : "a goal that stayed");
    this.#goal = goal;
    const wakes = method !== "goal/pause" && method !== "goal/clear";
    const made = recordsOf(happened, "turn");
    const busy = this.#active !== undefined || this.#queue.size > 0;
    if (wakes && !busy && goal?.status === "active") {
      same(
        "a goal wakes a turn where nothing runs",
        made.map(({ kind, prompt }) => [kind, prompt]),
        [["goal", objective]],
      );
      same("a goal names the turn that it wakes", ack["turnId"], made[0]!.turnId);
      this.#counts.met("a wake");
      return;
    }
    hold("a goal wakes no turn where it must not", made.length === 0, made);
    const named = wakes ? this.#active?.turnId : undefined;
    same("a goal names the turn that runs", ack["turnId"], named);
    if (wakes && this.#active !== undefined) this.#counts.met("a goal while a turn runs");
    if (wakes && !busy) this.#counts.met("an edit of a goal that is paused");
  }

  /** Stopping a goal's turn pauses the goal. Nothing else changes one. */
  #stops(happened: Happened, told: readonly (Goal | null)[]): void {
    const stopped = this.#stopped(happened);
    const goal = this.#goal;
    const pauses = stopped && this.#active?.goal === true && goal?.status === "active";
    same("a goal is paused with its turn", told, pauses ? [{ ...goal, status: "paused" }] : []);
    if (!pauses) return;
    this.#goal = { ...goal, status: "paused" };
    this.#counts.met("a goal that is paused with its turn");
  }

  /** Whether a command stops the turn that runs; it may have been stopped before. */
  #stopped(happened: Happened): boolean {
    const command = commandIn(happened);
    if (ackOf(happened) === undefined || command === undefined) return false;
    const { method, payload } = command;
    if (method === "turn/start") return payload["ifBusy"] === "replace";
    if (method === "session/leave") return payload["stop"] === true;
    return method === "turn/interrupt" || method === "turn/cancel" || method === "userInput/interrupt";
  }

  #setting(happened: Happened, command: Command): void {
    const { method, payload } = command;
    if (ackOf(happened) === undefined) return;
    const { event, value } = CHANGES[method as keyof typeof CHANGES];
    const next = value(payload);
    const changes = JSON.stringify(this.#settings.get(method)) !== JSON.stringify(next);
    const told = recordsOf(happened, "event").map((record) => record.method);
    same(`${method} is told where it changed, and only there`, told, changes ? [event] : []);
    this.#settings.set(method, next);
    this.#counts.met(`${method} ${changes ? "changes" : "stays"}`);
  }
}

const STATUS = { "goal/set": "active", "goal/resume": "active", "goal/pause": "paused" };

type Value = (payload: Readonly<Record<string, unknown>>) => unknown;

const CHANGES = {
  "session/setModel": {
    event: "session/modelChanged",
    value: ({ model }) => {
      const { modelId } = model as { modelId: string };
      return [modelId, MODELS.find((known) => known.modelId === modelId)?.providerId];
    },
  },
  "session/setApprovalMode": { event: "session/approvalModeChanged", value: ({ mode }) => mode },
  "session/setReasoningEffort": {
    event: "session/reasoningEffortChanged",
    value: ({ reasoningEffort }) => reasoningEffort,
  },
  "session/rename": { event: "session/nameChanged", value: ({ name }) => name },
} as const satisfies Readonly<Record<string, { readonly event: string; readonly value: Value }>>;
