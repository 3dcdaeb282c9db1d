/** Tries the cases of one law, and makes what breaks it as small as it can be. */
import fc from "fast-check";
import type { AnyLaw, Counts, Verdict } from "../law.js";
import type { History } from "../model/history.js";
import type { Stand } from "../stand.js";
import { type Tried, tryCase } from "./try-case.js";

/** Which cases are tried, and how hard. */
export interface RunLawOptions {
  /** Chooses the cases and all that chance decides in them. */
  readonly seed: number;
  /** Numbers of the cases, from 0. Each is made for itself: which others are tried changes nothing. */
  readonly cases: Iterable<number>;
  /** How often a case that breaks is tried in a smaller form. Default: 200. */
  readonly maxShrinks?: number;
}

/** A case that breaks a law, in its smallest form. */
export interface Broken {
  /** The law that is broken: the one that was tried, or another that was seen broken. */
  readonly law: string;
  /** The law whose case it is, and the number of the case. */
  readonly of: string;
  readonly number: number;
  /** The smallest case that still breaks. */
  readonly case: unknown;
  /** What chose the ids in it. */
  readonly seed: number;
  readonly what: string;
  readonly details: unknown;
  readonly history: History;
}

/** What the cases of a law came to. */
export interface LawRun {
  readonly law: string;
  /** Cases that were tried; without the smaller forms of one that broke. */
  readonly cases: number;
  /** Of these, the ones that say nothing, and why: the first reasons. */
  readonly void: number;
  readonly voidReasons: readonly string[];
  readonly counts: Counts;
  readonly broken?: Broken;
}

/** Tries cases of a law, one after the other, until one breaks or there are no more. */
export async function runLaw(law: AnyLaw, stand: Stand, options: RunLawOptions): Promise<LawRun> {
  const counts: Record<string, number> = {};
  const reasons = new Set<string>();
  let cases = 0;
  let voids = 0;
  for (const number of options.cases) {
    const found = await runCase(law, stand, number, options);
    cases++;
    const { first, broken } = found;
    for (const [what, times] of Object.entries(first.counts)) counts[what] = (counts[what] ?? 0) + times;
    if (first.void !== undefined) {
      voids++;
      if (reasons.size < 5) reasons.add(first.void);
    }
    if (broken !== undefined)
      return { law: law.id, cases, void: voids, voidReasons: [...reasons], counts, broken };
  }
  return { law: law.id, cases, void: voids, voidReasons: [...reasons], counts };
}

/** The seed of a case: of the run's, the law's name and the case's number (FNV-1a). */
export function caseSeed(seed: number, law: string, number: number): number {
  let hash = 0x811c9dc5;
  for (const char of `${seed} ${law} ${number}`)
    hash = Math.imul(hash ^ (char.codePointAt(0) as number), 0x01000193);
  return hash >>> 0;
}

async function runCase(
  law: AnyLaw,
  stand: Stand,
  number: number,
  { seed: base, maxShrinks = 200 }: RunLawOptions,
): Promise<{ readonly first: Tried; readonly broken?: Broken }> {
  const seed = caseSeed(base, law.id, number);
  let first: Tried | undefined;
  let smallest: { readonly tried: Tried; readonly of: unknown } | undefined;
  let shrinks = 0;
  const property = fc.asyncProperty(law.cases() as fc.Arbitrary<unknown>, async (of) => {
    if (smallest !== undefined && shrinks++ >= maxShrinks) return true;
    const tried = await tryCase(law, stand, of, seed);
    first ??= tried;
    const { broken } = tried;
    // A smaller case must break the same promise: another fault is another finding.
    if (broken === undefined || (smallest !== undefined && broken.law !== smallest.tried.broken?.law))
      return true;
    smallest = { tried, of };
    return false;
  });
  await fc.check(property, { seed: seed | 0, numRuns: 1 });
  if (first === undefined) throw new Error(`law ${law.id} made no case`);
  if (smallest === undefined) return { first };
  const { tried, of } = smallest;
  const { law: which, what, details } = tried.broken as NonNullable<Tried["broken"]>;
  const { history } = tried;
  return { first, broken: { law: which, of: law.id, number, case: of, seed, what, details, history } };
}

/** What a run says of a law: whether what must have been exercised was. */
export function verdictOf(law: AnyLaw, { cases, void: voids, counts, broken }: LawRun): Verdict {
  if (broken !== undefined && broken.law === law.id) return "broken";
  if (cases === 0 || voids * 2 > cases) return "inconclusive";
  return Object.entries(law.least).every(([what, least]) => (counts[what] ?? 0) >= least)
    ? "holds"
    : "inconclusive";
}
