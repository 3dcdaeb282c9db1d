/** Tries laws on a host: several at once, in rounds, what broke before first, and again what breaks. */
import { setTimeout as after } from "node:timers/promises";
import type { Driver } from "../driver/driver.js";
import type { AnyLaw } from "../law.js";
import type { LawsReport } from "../report/report.js";
import { Stand } from "../stand.js";
import type { Trial } from "../trial.js";
import { caseCount, caseNumbers, type Runs, WHOLE } from "./plan.js";
import { missingOf, reportOf, type State, type TriedAgain } from "./rows.js";
import { type Broken, runLaw } from "./run-law.js";
import type { RunLawsOptions } from "./run-options.js";
import { type Tried, tryCase } from "./try-case.js";

/** What a run came to. */
export interface LawsRun {
  readonly report: LawsReport;
  /** One for each broken law. */
  readonly findings: readonly TriedAgain[];
}

/** A round has this part of each law's own number; percent. */
const ROUND = 20;
const TRIES_AGAIN = 3;
/** How long the rest of what a host says is waited for, where a case broke; milliseconds. */
const REST_MS = 2_000;
const SHRINK_MS = 30_000;

/**
 * Tries laws on a host.
 * @throws {DriverError} where the surroundings fail: no verdict
 * @throws the reason of the signal, when it is aborted
 */
export async function runLaws(driver: Driver, options: RunLawsOptions): Promise<LawsRun> {
  return new LawsRunner(driver, options).run();
}

class LawsRunner {
  readonly #driver: Driver;
  readonly #options: RunLawsOptions;
  readonly #states: readonly State[];
  readonly #seed: number;
  readonly #started = performance.now();
  readonly #stands = new Set<Stand>();
  readonly #failed = new AbortController();
  /** Findings of laws in whose own cases they were not made, by the law whose case it was. */
  readonly #elsewhere = new Map<string, readonly (Broken | TriedAgain)[]>();
  #done = 0;
  #total = 0;
  #runs: Runs;

  constructor(driver: Driver, options: RunLawsOptions) {
    this.#driver = driver;
    this.#options = options;
    this.#seed = options.seed ?? 1;
    this.#runs = options.runs ?? WHOLE;
    this.#states = options.laws.map((law) => ({ law, runs: [], planned: 0, keptHeld: 0 }));
  }

  async run(): Promise<LawsRun> {
    const { signal } = this.#options;
    const kill = () => {
      this.#failed.abort();
      for (const stand of this.#stands) void stand.clear().catch(() => undefined);
    };
    signal?.addEventListener("abort", kill, { once: true });
    if (signal?.aborted === true) kill();
    try {
      await this.#pool(this.#applicable, (state, stand) => this.#tryKept(state, stand));
      if (this.#options.timeMs === undefined) await this.#round(0, this.#runs);
      else await this.#rounds(this.#options.timeMs);
      signal?.throwIfAborted();
      return await this.#end();
    } finally {
      signal?.removeEventListener("abort", kill);
      await Promise.all([...this.#stands].map((stand) => stand.clear()));
    }
  }

  get #applicable(): State[] {
    return this.#states.filter(({ law }) => missingOf(law, this.#driver).length === 0);
  }

  /** Rounds until the time is over: each law has as many as any other, or one less. */
  async #rounds(timeMs: number): Promise<void> {
    const over = () => performance.now() - this.#started >= timeMs;
    for (let round = 1; round === 1 || (!over() && this.#applicable.some(isOpen)); round++) {
      await this.#round((round - 1) * ROUND, { percent: round * ROUND }, over);
      this.#runs = { percent: round * ROUND };
    }
  }

  /** Tries the cases of every law from one part of its number up to another. */
  async #round(fromPercent: number, runs: Runs, over = () => false): Promise<void> {
    const { shard, case: chosen } = this.#options;
    const numbersOf = (law: AnyLaw): number[] => {
      if (chosen !== undefined) return [chosen];
      const from = fromPercent === 0 ? 0 : caseCount(law, { percent: fromPercent });
      return caseNumbers(from, caseCount(law, runs), shard);
    };
    const open = this.#applicable.filter(isOpen);
    this.#total = this.#done + open.reduce((sum, { law }) => sum + numbersOf(law).length, 0);
    await this.#pool(open, async (state, stand) => {
      const cases = numbersOf(state.law);
      if (over() || this.#enough) return;
      await this.#try(state, stand, cases);
    });
  }

  /** Whether as many laws are broken as the run was to stop at. */
  get #enough(): boolean {
    return this.#broken >= (this.#options.maxFailures ?? Number.POSITIVE_INFINITY);
  }

  get #broken(): number {
    const excused = new Set((this.#options.known ?? []).map(({ law }) => law));
    return this.#states.filter(({ law, finding }) => finding !== undefined && !excused.has(law.id)).length;
  }

  async #try(state: State, stand: Stand, cases: readonly number[]): Promise<void> {
    const { law } = state;
    const before = this.#done;
    const run = await runLaw(law, stand, {
      seed: this.#seed,
      cases,
      others: "note",
      shrinkMs: this.#shrinkMs,
      signal: this.#failed.signal,
      onTried: (tried, smaller) => this.#tried(law, tried, smaller),
    });
    this.#done = before + cases.length;
    state.planned += cases.length;
    state.runs.push(run);
    if (run.broken !== undefined && !this.#failed.signal.aborted)
      state.finding = await this.#again(law, run.broken, stand, { kept: false, runSeed: this.#seed });
    if (run.elsewhere.length > 0)
      this.#elsewhere.set(law.id, [...(this.#elsewhere.get(law.id) ?? []), ...run.elsewhere]);
    this.#progress(law);
  }

  get #shrinkMs(): number {
    return this.#options.shrinkMs ?? SHRINK_MS;
  }

  #tried({ id }: AnyLaw, { history }: Tried, smaller: boolean): void {
    const { coverage } = this.#options;
    if (coverage !== undefined) for (const line of history.lines) coverage.note(line);
    if (smaller) return;
    this.#done++;
    this.#progress({ id });
  }

  #progress({ id }: Pick<AnyLaw, "id">): void {
    this.#options.onProgress?.({
      done: this.#done,
      total: this.#total,
      law: id,
      broken: this.#states.filter(({ finding }) => finding !== undefined).length,
    });
  }

  /** Tries what broke before. */
  async #tryKept(state: State, stand: Stand): Promise<void> {
    const { law } = state;
    for (const kept of this.#options.kept ?? []) {
      if (kept.of !== law.id || this.#failed.signal.aborted) continue;
      const tried = await tryCase(law, stand, kept.case, kept.seed);
      this.#tried(law, tried, true);
      if (tried.broken?.law !== kept.law) {
        state.keptHeld++;
        continue;
      }
      const { number, case: of, seed, runSeed } = kept;
      const { history } = tried;
      const broken: Broken = { ...tried.broken, of: law.id, number, case: of, seed, history };
      const finding = await this.#again(law, broken, stand, { kept: true, runSeed });
      if (finding.law === law.id) state.finding ??= finding;
      else this.#elsewhere.set(law.id, [...(this.#elsewhere.get(law.id) ?? []), finding]);
    }
  }

  /** Tries a case that broke a law on new places. */
  async #again(
    law: AnyLaw,
    broken: Broken,
    used: Stand,
    more: Pick<TriedAgain, "kept" | "runSeed">,
  ): Promise<TriedAgain> {
    // There may be no place for two.
    await used.clear();
    let found = broken;
    let broke = 0;
    for (let i = 0; i <= TRIES_AGAIN && !this.#failed.signal.aborted; i++) {
      // The last one is for what is told of it. Where it breaks only in haste, haste is what is told.
      const calm = i === TRIES_AGAIN;
      const stand = this.#stand();
      try {
        const tried = await tryCase(law, stand, broken.case, broken.seed, {
          calm,
          onBroken: (trial, seen) =>
            seen.law === broken.law ? this.#rest(trial, broken, stand) : Promise.resolve(),
        });
        if (tried.broken?.law !== broken.law) continue;
        if (!calm) broke++;
        // What passed on a new place is all that matters, and what else was said after it broke is there too.
        found = { ...broken, ...tried.broken, history: tried.history };
      } finally {
        await this.#gone(stand);
      }
    }
    return { ...found, ...more, again: { tries: TRIES_AGAIN, broke } };
  }

  async #rest(trial: Trial, broken: Broken, stand: Stand): Promise<void> {
    const patience = new AbortController();
    const { signal } = patience;
    await Promise.race([trial.quiet(), after(REST_MS, undefined, { signal }).catch(() => undefined)]);
    patience.abort();
    await this.#options.onBroken?.(broken, stand);
  }

  /** Does something for each state, several at once, each on a stand of its own. */
  async #pool(states: readonly State[], act: (state: State, stand: Stand) => Promise<void>): Promise<void> {
    const { workers = 2 } = this.#options;
    const queue = [...states];
    const work = async () => {
      for (let state = queue.shift(); state !== undefined; state = queue.shift()) {
        if (this.#failed.signal.aborted) return;
        const stand = this.#stand();
        try {
          await act(state, stand);
        } catch (error) {
          this.#failed.abort();
          throw error;
        } finally {
          await this.#gone(stand);
        }
      }
    };
    const count = Math.max(1, Math.min(workers, this.#driver.maxPlaces, states.length));
    const ends = await Promise.allSettled(Array.from({ length: count }, work));
    this.#options.signal?.throwIfAborted();
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  #stand(): Stand {
    const stand = new Stand(this.#driver);
    this.#stands.add(stand);
    return stand;
  }

  async #gone(stand: Stand): Promise<void> {
    await stand.clear();
    this.#stands.delete(stand);
  }

  /** The findings in which the law of the case was not the one that broke: made small, and tried again. */
  async #others(): Promise<TriedAgain[]> {
    const own = new Set(this.#states.flatMap(({ finding, law }) => (finding === undefined ? [] : [law.id])));
    const out = new Map<string, TriedAgain>();
    for (const { law } of this.#states)
      for (const seen of this.#elsewhere.get(law.id) ?? []) {
        if (own.has(seen.law) || out.has(seen.law)) continue;
        out.set(seen.law, "again" in seen ? seen : await this.#smaller(law, seen));
      }
    return [...out.values()];
  }

  async #smaller(law: AnyLaw, seen: Broken): Promise<TriedAgain> {
    const stand = this.#stand();
    try {
      const { broken } = await runLaw(law, stand, {
        seed: this.#seed,
        cases: [seen.number],
        shrinkMs: this.#shrinkMs,
        signal: this.#failed.signal,
        onTried: (tried) => this.#tried(law, tried, true),
      });
      const same = broken?.law === seen.law ? broken : seen;
      return await this.#again(law, same, stand, { kept: false, runSeed: this.#seed });
    } finally {
      await this.#gone(stand);
    }
  }

  async #end(): Promise<LawsRun> {
    const others = await this.#others();
    this.#options.signal?.throwIfAborted();
    const own = this.#states.flatMap(({ finding }) => (finding === undefined ? [] : [finding]));
    const findings = [...own, ...others];
    const report = reportOf({
      driver: this.#driver,
      options: this.#options,
      seed: this.#seed,
      runs: this.#runs,
      states: this.#states,
      findings,
      durationMs: Math.round(performance.now() - this.#started),
    });
    return { findings, report };
  }
}

/** Whether further cases of a law may be tried. */
function isOpen({ finding }: State): boolean {
  return finding === undefined;
}
