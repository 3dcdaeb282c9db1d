/**
 * All laws of the aggregate, over one schedule after the other.
 */
import type { Command } from "../../../src/host/session/decision.js";
import type { SessionState } from "../../../src/host/session/state.js";
import type { ToldEvent } from "../../../src/host/session/view.js";
import type { Standing } from "../../../src/host/session-memory.js";
import { Random } from "../../../src/laws/random.js";
import { foldLog } from "./fold-log.js";
import { type Counts, LawBroken, same } from "./law.js";
import { GoalLaws } from "./law-goals.js";
import { ItemLaws } from "./law-items.js";
import { LedgerLaws } from "./law-ledger.js";
import { TurnLaws } from "./law-turns.js";
import { Schedule } from "./schedule.js";
import { type Core, type Happened, type Observer, Simulation } from "./simulation.js";

/** All laws of one session. */
export class Laws implements Observer {
  readonly #ledger: LedgerLaws;
  readonly #turns: TurnLaws;
  readonly #items: ItemLaws;
  readonly #goals: GoalLaws;

  constructor(counts: Counts) {
    this.#ledger = new LedgerLaws(counts);
    this.#turns = new TurnLaws(counts);
    this.#items = new ItemLaws(counts);
    this.#goals = new GoalLaws(counts);
  }

  happened(happened: Happened, events: readonly ToldEvent[]): void {
    this.#turns.happened(happened);
    this.#items.happened(happened);
    this.#goals.happened(happened);
    this.#ledger.happened(happened, events);
  }

  repeated(command: Command, standing: Standing): void {
    this.#ledger.repeated(command, standing);
  }

  settled(simulation: Simulation): void {
    this.#turns.settled(simulation);
    this.#goals.settled(simulation);
    this.#ledger.settled(simulation);
  }

  finished(): void {
    this.#turns.finished();
    this.#ledger.finished();
  }
}

/** A law that a schedule broke, and where. */
export interface Broken {
  readonly law: string;
  readonly message: string;
  readonly seed: number;
  /** How many steps were taken. */
  readonly step: number;
}

/** Steps of one schedule. */
export const STEPS = 160;

/** How often the whole state is compared with the fold of its log. */
const COMPARED = 50;

/** Runs one schedule; what it broke, if anything. Anything else that is thrown is thrown. */
export function runSchedule(seed: number, counts: Counts, core?: Core, steps = STEPS): Broken | undefined {
  const random = new Random(seed);
  const laws = new Laws(counts);
  const simulation = new Simulation(laws, core);
  const schedule = new Schedule(random, simulation, counts);
  let step = 0;
  try {
    for (; step < steps; step++) {
      const isCompared = step % COMPARED === 0;
      simulation.watch = isCompared ? new Untouched(simulation) : undefined;
      schedule.step();
      if (isCompared) compare(simulation, counts);
    }
    schedule.drain();
    compare(simulation, counts);
    laws.finished();
  } catch (error) {
    if (!(error instanceof LawBroken)) throw error;
    return { law: error.law, message: error.message, seed, step };
  }
  return undefined;
}

/** Looks whether deciding changes anything. */
class Untouched {
  readonly #simulation: Simulation;
  #before: unknown;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  decides(): void {
    this.#before = picture(this.#simulation.state, this.#simulation);
  }

  applies(): void {
    same("deciding changes nothing", picture(this.#simulation.state, this.#simulation), this.#before);
  }
}

function compare(simulation: Simulation, counts: Counts): void {
  const folded = picture(foldLog(simulation.log), simulation);
  same("the state is the fold of its records", picture(simulation.state, simulation), folded);
  counts.met("a state that is compared with its fold");
}

/** All that a state says, as a copy. */
function picture(state: SessionState, { sent }: Simulation): unknown {
  const { ledger, ...members } = state;
  const rows = [...sent.keys()].map((id) => ledger.get(id));
  return structuredClone({ ...members, rows, size: ledger.size, open: ledger.open });
}
