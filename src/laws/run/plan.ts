/** Which cases of a law are tried, and how much of it must have been exercised by them. */
import type { AnyLaw, Counts } from "../law.js";

/** How many cases: the same number for every law, or so much of each one's own. */
export type Runs = { readonly each: number } | { readonly percent: number };

/** A part of the cases: those whose number, divided by `of`, leaves `index` - 1. */
export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly of: number;
}

/** The whole of each law's own number. */
export const WHOLE: Runs = { percent: 100 };

/** `N` or `N%`; undefined for anything else. */
export function readRuns(text: string): Runs | undefined {
  const match = /^([1-9]\d{0,6})(%?)$/.exec(text);
  if (match === null) return undefined;
  const number = Number(match[1]);
  return match[2] === "%" ? { percent: number } : { each: number };
}

/** Runs as text, which {@link readRuns} reads. */
export function runsText(runs: Runs): string {
  return "each" in runs ? String(runs.each) : `${runs.percent}%`;
}

/** `I/N`; undefined for anything else. */
export function readShard(text: string): Shard | undefined {
  const match = /^(\d{1,4})\/(\d{1,4})$/.exec(text);
  const [index, of] = [Number(match?.[1]), Number(match?.[2])];
  return match !== null && index >= 1 && index <= of ? { index, of } : undefined;
}

/** How many cases of a law are asked for. */
export function caseCount(law: AnyLaw, runs: Runs): number {
  return "each" in runs ? runs.each : Math.max(1, Math.ceil((law.runs * runs.percent) / 100));
}

/** The numbers of the cases from one up to below another that belong to a shard. */
export function caseNumbers(from: number, to: number, shard: Shard = { index: 1, of: 1 }): number[] {
  const out: number[] = [];
  for (let number = from; number < to; number++) if (number % shard.of === shard.index - 1) out.push(number);
  return out;
}

/**
 * What so many cases of a law must have exercised: what it asks for, and with fewer cases than its own number as much
 * less. With more cases it is no more, since what is too little is not said by their number.
 */
export function leastOf(law: AnyLaw, cases: number): Counts {
  const part = Math.min(1, cases / law.runs);
  return Object.fromEntries(
    Object.entries(law.least).map(([what, least]) => [what, Math.max(1, Math.floor(least * part))]),
  );
}

/** Why so many cases say nothing of a promise; undefined where they do. */
export function shortfall(
  {
    planned,
    cases,
    void: voids,
    voidReasons,
    counts,
  }: {
    readonly planned: number;
    readonly cases: number;
    readonly void: number;
    readonly voidReasons: readonly string[];
    readonly counts: Counts;
  },
  least: Counts,
): string | undefined {
  if (cases === 0) return "no case was tried";
  const because = voidReasons.length === 0 ? "" : `: ${voidReasons.join("; ")}`;
  if (voids * 2 > cases) return `${voids} of ${cases} cases came to nothing${because}`;
  if (cases < planned) return `it was given up after ${cases} of ${planned} cases${because}`;
  const short = Object.entries(least).filter(([what, number]) => (counts[what] ?? 0) < number);
  if (short.length === 0) return undefined;
  const words = short.map(([what, number]) => `${counts[what] ?? 0} of ${number} ${what}`);
  return `too little was exercised: ${words.join(", ")}`;
}
