/** What is told of a run of the laws: plain JSON, of one form for every way of showing it. */
import type { CoverageReport } from "../coverage/coverage.js";
import type { Ability } from "../driver/driver.js";
import type { Counts, LawLevel, Verdict } from "../law.js";

/** The version of the form of {@link LawsReport}. */
export const REPORT_FORMAT = 1;

/** How a case that breaks a law is told. */
export interface BrokenRow {
  /** The law whose case it is, and the number of the case. */
  readonly of: string;
  readonly number: number;
  /** The case in its smallest form. */
  readonly case: unknown;
  /** What chose the ids in it. */
  readonly seed: number;
  readonly what: string;
  readonly details: unknown;
  /** Of how many further tries on new places how many broke the law again. */
  readonly again: { readonly tries: number; readonly broke: number };
  /** Whether it was kept from a run before. */
  readonly kept: boolean;
  /** What passed, for people. */
  readonly timeline: string;
  /** Frames of clients in it, without handshakes. */
  readonly clientFrames: number;
  /** The command that does it again. */
  readonly repeat: string;
}

/** What a run says of one law. */
export interface LawRow {
  readonly id: string;
  readonly level: LawLevel;
  readonly promise: string;
  readonly verdict: Verdict;
  /** Why there is no verdict on the promise; undefined where there is one. */
  readonly why?: string;
  /** Cases that were asked for, and those that were tried. */
  readonly planned: number;
  readonly cases: number;
  /** Of these, the ones that say nothing, and why: the first reasons. */
  readonly void: number;
  readonly voidReasons: readonly string[];
  readonly counts: Counts;
  /** What must have been exercised in so many cases as were asked for. */
  readonly least: Counts;
  /** Abilities that it needs and the host has not. */
  readonly missing: readonly Ability[];
  readonly broken?: BrokenRow;
  /** Why its being broken is known, and until when that is an excuse. */
  readonly known?: { readonly reason: string; readonly until: string; readonly over: boolean };
  /** What became of cases that were kept from runs before. */
  readonly keptHeld?: number;
}

/** What a run as a whole says. */
export interface LawsReport {
  readonly kind: "lawsReport";
  readonly format: typeof REPORT_FORMAT;
  /** Of the toolkit. */
  readonly version: string;
  readonly verdict: Exclude<Verdict, "notApplicable">;
  /** What speaks against the run beside broken laws; empty for nothing. */
  readonly objections: readonly string[];
  readonly profile: "pr" | "nightly";
  readonly seed: number;
  /** `N` for every law, or `N%` of each one's own number. */
  readonly runs: string;
  readonly shard?: { readonly index: number; readonly of: number };
  /** Whether only some laws, or one case, were asked for. */
  readonly chosen?: { readonly laws: readonly string[]; readonly case?: number };
  readonly driver: { readonly name: string; readonly abilities: readonly Ability[] };
  readonly laws: readonly LawRow[];
  /** How much of the schema was exercised. */
  readonly coverage?: CoverageReport;
  readonly durationMs: number;
}

/** How many laws came to what. */
export function tally(rows: readonly LawRow[]): Readonly<Record<Verdict, number>> {
  const out = { holds: 0, broken: 0, inconclusive: 0, notApplicable: 0 };
  for (const { verdict } of rows) out[verdict]++;
  return out;
}

/** Whether a broken law is excused. */
export function isExcused({ verdict, known }: LawRow): boolean {
  return verdict === "broken" && known !== undefined && !known.over;
}

/**
 * What the rows say together, and what else speaks against the run. A broken law outranks what is inconclusive; a run
 * in which nothing holds says nothing.
 */
export function conclude(
  rows: readonly LawRow[],
  objections: readonly string[] = [],
): Pick<LawsReport, "verdict" | "objections"> {
  const found = [...objections];
  for (const row of rows) {
    if (row.known === undefined) continue;
    if (row.verdict === "holds") found.push(`${row.id} is a known failure, and holds: take it off the list`);
    else if (row.verdict === "broken" && row.known.over)
      found.push(`${row.id} is a known failure until ${row.known.until}, and that is over`);
  }
  if (found.length > 0 || rows.some((row) => row.verdict === "broken" && !isExcused(row)))
    return { verdict: "broken", objections: found };
  const holds = rows.some(({ verdict }) => verdict === "holds");
  const unclear = rows.some(({ verdict }) => verdict === "inconclusive");
  return { verdict: holds && !unclear ? "holds" : "inconclusive", objections: found };
}
