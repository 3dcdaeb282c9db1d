/**
 * Random schedules: what clients send, with good and bad targets, between what agents do, crashes and restarts.
 */

import type { CommandName } from "../../../src/host/payloads.js";
import type { Command } from "../../../src/host/session/decision.js";
import type { Random } from "../../../src/laws/random.js";
import { AGENT_STEPS } from "./schedule-agent.js";
import { commandOf, idMaker, type Simulation } from "./simulation.js";

/** Makes the steps of one schedule. */
export class Schedule {
  readonly random: Random;
  readonly #simulation: Simulation;
  readonly #mintId = idMaker("8000");
  /** How much of what is sent is about turns: with little of it, sessions are idle at times. */
  readonly #turns: number;
  /** How often each kind of step was taken. */
  readonly counts: Map<string, number>;

  constructor(random: Random, simulation: Simulation, counts: Map<string, number>) {
    this.random = random;
    this.#simulation = simulation;
    this.counts = counts;
    this.#turns = random.pick([0, 0.2, 0.5]);
  }

  /** Takes one step. */
  step(): void {
    const { random } = this;
    const simulation = this.#simulation;
    const chance = random.next();
    if (chance < 0.006) this.#crash();
    else if (chance < 0.012) this.#release();
    else if (chance < 0.06) this.#again();
    else if (chance < 0.5) this.#send();
    else this.#agent();
    if (random.chance(0.7)) simulation.flush();
    else if (random.chance(0.5)) simulation.flush(random.int(0, simulation.waiting.length));
  }

  /** Lets everything come to its end. Nothing is sent any more. */
  drain(): void {
    const simulation = this.#simulation;
    simulation.leaving = false;
    for (let rounds = 0; ; rounds++) {
      simulation.flush();
      const { state } = simulation;
      if (state.active === undefined && state.queue.length === 0) break;
      // A turn that does not come to its end is the laws' business.
      if (rounds > 100) break;
      // What was left for the next holder is launched by it.
      if (state.active === undefined) simulation.crash(0);
      this.#count("end");
      if (!AGENT_STEPS.end.act(this.random, simulation)) AGENT_STEPS.launch.act(this.random, simulation);
    }
    while (simulation.shells.length > 0) AGENT_STEPS.shell.act(this.random, simulation);
    while (simulation.compactions.length > 0) AGENT_STEPS.compaction.act(this.random, simulation);
    simulation.flush();
    // The next host closes what went on in the background.
    simulation.crash(0);
  }

  #count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  #crash(): void {
    this.#count("crash");
    this.#simulation.crash(this.random.int(0, this.#simulation.waiting.length));
  }

  /** Where the session is to be given up and nothing runs, it is. */
  #release(): void {
    const { state, shells, leaving } = this.#simulation;
    if (!leaving || state.active !== undefined || shells.length > 0) return;
    this.#count("release");
    this.#simulation.release();
  }

  #agent(): void {
    const names = Object.keys(AGENT_STEPS) as (keyof typeof AGENT_STEPS)[];
    const total = names.reduce((sum, name) => sum + AGENT_STEPS[name].weight, 0);
    // What cannot be done now is tried with another.
    for (let tries = 0; tries < 8; tries++) {
      let at = this.random.int(1, total);
      const name = names.find((step) => (at -= AGENT_STEPS[step].weight) <= 0)!;
      if (!AGENT_STEPS[name].act(this.random, this.#simulation)) continue;
      this.#count(name);
      return;
    }
  }

  /** Repeats a command as it was, as another client would spell it, or with another payload. */
  #again(): void {
    const { random } = this;
    const sent = [...this.#simulation.sent.values()];
    if (sent.length === 0) return;
    const first = random.pick(sent);
    const how = random.int(0, 3);
    let command: Command = first;
    if (how === 1) command = { ...first, spelt: first.spelt.toUpperCase() };
    if (how === 2) command = { ...first, signature: `${first.signature}x` };
    this.#count(how === 2 ? "conflict" : "repeat");
    this.#simulation.command(command);
  }

  /** What the session waits for is sent more often. */
  #wanted(): readonly CommandName[] {
    const { approvals, userInputs } = this.#simulation.state;
    const decides = [...approvals.values()].some(({ resolved }) => resolved === undefined);
    const answers = [...userInputs.values()].some(({ settled }) => settled === undefined);
    return [
      ...(decides ? Array<CommandName>(12).fill("approval/decide") : []),
      ...(answers ? Array<CommandName>(12).fill("userInput/answer") : []),
    ];
  }

  #send(): void {
    const methods = Object.keys(PARAMS) as CommandName[];
    const method = this.random.chance(this.#turns)
      ? this.random.pick(["turn/start", "turn/start", "turn/start", "turn/unqueue", "turn/steer"] as const)
      : this.random.pick([...methods, ...this.#wanted()]);
    const params = PARAMS[method]!(this.random, this.#simulation);
    if (params === undefined) return;
    let id = this.#mintId();
    if (this.random.chance(0.1)) id = id.replace("a6bc", "A6BC");
    this.#count("command");
    this.#simulation.command(commandOf(method, id, params));
  }
}

const UNKNOWN = "01a19b7c-ffff-4000-8000-000000000000";

const spelt = (random: Random, id: string): string => (random.chance(0.15) ? id.toUpperCase() : id);

/** A turn: the one that runs, one that waits, one that is over, or none at all. */
function turnOf(random: Random, { state }: Simulation): string {
  const { active, queue, ended } = state;
  const kind = random.int(0, 9);
  if (kind < 4 && active !== undefined) return spelt(random, active.turnId);
  if (kind < 7 && queue.length > 0) return spelt(random, random.pick(queue).turnId);
  // Mostly the one that has just ended: the one that a late command is for.
  const over = [...ended.keys()];
  if (kind < 9 && over.length > 0)
    return spelt(random, random.chance(0.7) ? over.at(-1)! : random.pick(over));
  return UNKNOWN;
}

const input = (random: Random) => [{ type: "text", text: random.pick(["Prune", "Graft", "Mulch"]) }];

function approvalOf(random: Random, { state }: Simulation) {
  const all = [...state.approvals.values()];
  const open = all.filter(({ resolved }) => resolved === undefined);
  return random.chance(0.8) && open.length > 0 ? random.pick(open) : all.at(-1);
}

function userInputOf(random: Random, { state }: Simulation): string {
  const all = [...state.userInputs.values()];
  const open = all.filter(({ settled }) => settled === undefined);
  const held = random.chance(0.8) && open.length > 0 ? random.pick(open) : all.at(-1);
  return held === undefined ? UNKNOWN : spelt(random, held.request.userInputId);
}

function taskOf(random: Random, { state }: Simulation): string {
  const open = [...state.items.values()].filter((item) => item.kind === "toolCall");
  if (random.chance(0.7) && open.length > 0) return random.pick(open).itemId;
  const over = [...state.finished];
  return random.chance(0.8) && over.length > 0 ? random.pick(over) : UNKNOWN;
}

const answers = (random: Random) => {
  const good = { questionId: "q", selectedLabel: "yes" };
  return random.pick([[good], [good], [{ ...good, selectedLabel: "maybe" }], [good, good], []]);
};

type Params = (random: Random, simulation: Simulation) => object | undefined;

/** The params of each command; undefined where there is nothing to say. */
const PARAMS: { readonly [M in CommandName]?: Params } = {
  "turn/start": (random) => ({
    input: input(random),
    ...random.pick([{}, {}, { ifBusy: "queue" }, { ifBusy: "steer" }, { ifBusy: "replace" }]),
    ...(random.chance(0.2) ? { displayText: "A word" } : {}),
  }),
  "turn/steer": (random, simulation) => ({
    expectedTurnId: turnOf(random, simulation),
    input: input(random),
  }),
  "turn/interrupt": (random, simulation) => ({
    ...(random.chance(0.7) ? { turnId: turnOf(random, simulation) } : {}),
    ...(random.chance(0.4) ? { retract: true } : {}),
  }),
  "turn/cancel": (random, simulation) => (random.chance(0.7) ? { turnId: turnOf(random, simulation) } : {}),
  "turn/unqueue": (random, simulation) => ({ turnId: turnOf(random, simulation) }),
  "goal/set": (random) => ({ objective: random.pick(["Bloom", "Fruit", " Bloom "]) }),
  "goal/edit": (random) => ({ objective: random.pick(["Bloom", "Fruit", "Rest"]) }),
  "goal/pause": () => ({}),
  "goal/resume": () => ({}),
  "goal/clear": () => ({}),
  "session/setModel": (random) => ({
    model: random.pick([
      { modelId: "small" },
      { modelId: "large", providerId: "there" },
      { modelId: "large", providerId: "here" },
      { modelId: " " },
    ]),
  }),
  "session/setApprovalMode": (random) => ({
    mode: random.pick(["allowAll", "promptUnmatched", "onRequest", "denyUnmatched"]),
  }),
  "session/setReasoningEffort": (random) => ({ reasoningEffort: random.pick(["low", "high"]) }),
  "session/rename": (random) => ({ name: random.pick(["Orchard", "Meadow"]) }),
  "session/compact": (random, simulation) =>
    random.chance(0.4) ? { turnId: turnOf(random, simulation) } : {},
  "session/userShell": () => ({ commandText: "date" }),
  "session/leave": (random) => (random.chance(0.3) ? (random.chance(0.5) ? { stop: true } : {}) : undefined),
  "approval/decide": (random, simulation) => {
    const held = approvalOf(random, simulation);
    const approvalId = held === undefined ? UNKNOWN : spelt(random, held.request.approvalId);
    const stale = random.chance(0.15);
    return {
      approvalId,
      choiceId: random.pick(["once", "always", "deny", "other"]),
      requirementId: { approvalId, sourceIndex: (held?.sourceIndex ?? 0) + (stale ? 1 : 0) },
      ...(random.chance(0.2) ? { feedback: "not now" } : {}),
    };
  },
  "userInput/answer": (random, simulation) => ({
    userInputId: userInputOf(random, simulation),
    answers: answers(random),
  }),
  "userInput/cancel": (random, simulation) => ({ userInputId: userInputOf(random, simulation) }),
  "userInput/clarify": (random, simulation) => ({
    userInputId: userInputOf(random, simulation),
    clarification: { format: "text", content: random.chance(0.8) ? "Which one?" : "x".repeat(501) },
  }),
  "userInput/interrupt": (random, simulation) => ({
    userInputId: userInputOf(random, simulation),
    answers: answers(random),
  }),
  "task/background": (random, simulation) => ({ taskId: taskOf(random, simulation) }),
  "task/stop": (random, simulation) => ({ taskId: taskOf(random, simulation) }),
  "task/stopAll": () => ({}),
};

/** The methods that schedules send. */
export const SENT_METHODS = Object.keys(PARAMS) as readonly CommandName[];
