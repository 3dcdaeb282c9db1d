/** What the runs of laws, in parts, say together: the rows of a report, and the report. */
import { type Ability, type Driver, methodsServed } from "../driver/driver.js";
import type { AnyLaw } from "../law.js";
import { type BrokenRow, conclude, type LawRow, type LawsReport, REPORT_FORMAT } from "../report/report.js";
import { clientFrames, timeline } from "../report/timeline.js";
import { caseCount, leastOf, type Runs, runsText, shortfall } from "./plan.js";
import type { Broken, LawRun } from "./run-law.js";
import type { RunLawsOptions } from "./run-options.js";

/** A case that broke a law, and what came of trying it again. */
export interface TriedAgain extends Broken {
  readonly again: BrokenRow["again"];
  readonly kept: boolean;
  /** The seed of the run that found it. */
  readonly runSeed: number;
}

/** What was found of a law so far. */
export interface State {
  readonly law: AnyLaw;
  readonly runs: LawRun[];
  planned: number;
  finding?: TriedAgain;
  /** Cases that were kept and broke nothing any more. */
  keptHeld: number;
}

/** A run that is over. */
export interface Over {
  readonly driver: Driver;
  readonly options: RunLawsOptions;
  readonly seed: number;
  readonly runs: Runs;
  readonly states: readonly State[];
  readonly findings: readonly TriedAgain[];
  readonly durationMs: number;
}

/** What a law needs and a host has not. */
export function missingOf({ needs }: AnyLaw, { abilities }: Driver): Ability[] {
  return needs.filter((ability) => !abilities.has(ability));
}

/** The report of a run. Laws that were not asked for and were seen broken are in it too. */
export function reportOf(over: Over): LawsReport {
  const { driver, options, seed, findings, durationMs } = over;
  const { laws, all = laws, shard, case: chosen, coverage, minCoverage, version = "" } = options;
  const unasked = all.filter((law) => !laws.includes(law) && findings.some((found) => found.law === law.id));
  const rows = [
    ...over.states,
    ...unasked.map((law): State => ({ law, runs: [], planned: 0, keptHeld: 0 })),
  ].map((state) => rowOf(state, over));
  const covered = coverage?.report(methodsServed(driver));
  const objections =
    covered !== undefined && minCoverage !== undefined && covered.percent < minCoverage
      ? [`the coverage is ${covered.percent} %, and less than ${minCoverage} %`]
      : [];
  const ids = laws.map(({ id }) => id);
  const whole = laws.length === all.length && chosen === undefined;
  return {
    kind: "lawsReport",
    format: REPORT_FORMAT,
    version,
    ...conclude(rows, objections),
    profile: options.timeMs === undefined ? "pr" : "nightly",
    seed,
    runs: runsText(over.runs),
    ...(shard === undefined ? {} : { shard }),
    ...(whole ? {} : { chosen: { laws: ids, ...(chosen === undefined ? {} : { case: chosen }) } }),
    driver: { name: driver.name, abilities: [...driver.abilities].sort() },
    laws: rows,
    ...(covered === undefined ? {} : { coverage: covered }),
    durationMs,
  };
}

function rowOf({ law, runs, planned, keptHeld }: State, over: Over): LawRow {
  const { options, findings } = over;
  const { known = [] } = options;
  const today = options.today ?? new Date().toISOString().slice(0, 10);
  const excuse = known.find((entry) => entry.law === law.id);
  const counts: Record<string, number> = {};
  for (const run of runs)
    for (const [what, times] of Object.entries(run.counts)) counts[what] = (counts[what] ?? 0) + times;
  const sum = (of: (run: LawRun) => number) => runs.reduce((total, run) => total + of(run), 0);
  const { id, level, promise } = law;
  const single = options.case !== undefined;
  const sharded = options.shard !== undefined;
  const row = {
    id,
    level,
    promise,
    planned,
    cases: sum(({ cases }) => cases),
    void: sum((run) => run.void),
    voidReasons: [...new Set(runs.flatMap(({ voidReasons }) => voidReasons))].slice(0, 5),
    counts,
    least: single ? {} : leastOf(law, sharded ? caseCount(law, over.runs) : planned),
    missing: missingOf(law, over.driver),
    ...(excuse === undefined
      ? {}
      : { known: { reason: excuse.reason, until: excuse.until, over: today > excuse.until } }),
    ...(keptHeld === 0 ? {} : { keptHeld }),
  };
  const found = findings.find((finding) => finding.law === id);
  if (found !== undefined)
    return { ...row, verdict: "broken", broken: brokenRow(found, options.repeat ?? repeatCommand) };
  const { missing } = row;
  if (missing.length > 0)
    return { ...row, verdict: "notApplicable", why: `the host has not: ${missing.join(", ")}` };
  if (sharded)
    return { ...row, verdict: "holds", why: "a part of the cases: mspkit laws merge judges all of them" };
  const why = planned === 0 ? "it was not run: the run was over before" : shortfall(row, row.least);
  return why === undefined ? { ...row, verdict: "holds" } : { ...row, verdict: "inconclusive", why };
}

/** The command that tries a case again, without the words of a host. */
export function repeatCommand(of: string, seed: number, number: number): string {
  return `mspkit laws run --law ${of} --seed ${seed} --case ${number}`;
}

function brokenRow(finding: TriedAgain, repeat: NonNullable<RunLawsOptions["repeat"]>): BrokenRow {
  const { of, number, case: smallest, seed, what, details, again, kept, history, runSeed } = finding;
  return {
    of,
    number,
    case: smallest,
    seed,
    what,
    details: details ?? null,
    again,
    kept,
    timeline: timeline(history),
    clientFrames: clientFrames(history),
    repeat: repeat(of, runSeed, number),
  };
}
