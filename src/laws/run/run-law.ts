/** Tries the cases of one law, and makes what breaks it as small as it can be. */
import fc from "fast-check";
import { isDriverError } from "../driver/driver.js";
import type { AnyLaw, Counts, Verdict } from "../law.js";
import type { History } from "../model/history.js";
import type { Stand } from "../stand.js";
import { shortfall } from "./plan.js";
import { type Tried, tryCase } from "./try-case.js";

/** Which cases are tried, and how hard. */
export interface RunLawOptions {
  /** Chooses the cases and all that chance decides in them. */
  readonly seed: number;
  /** Numbers of the cases, from 0. Each is made for itself: which others are tried changes nothing. */
  readonly cases: Iterable<number>;
  /** How often a case that breaks is tried in a smaller form. Default: 200. */
  readonly maxShrinks?: number;
  /** How long smaller forms are looked for; milliseconds. Default: without end. */
  readonly shrinkMs?: number;
  /**
   * What comes of a case in which another law is seen broken. `report`: it is made small, and the run of this law is
   * over. `note`: the case is void, and noted; after a few of them the run of this law is over. Default: `report`.
   */
  readonly others?: "report" | "note";
  /** Told of every case that was tried, also in smaller forms. */
  readonly onTried?: (tried: Tried, smaller: boolean) => void;
  /** Ends the run before the next case where it says so. */
  readonly stop?: () => boolean;
  /** Ends the run before the next case, or its next smaller form, when it is aborted. */
  readonly signal?: AbortSignal;
}

/** After so many cases in which other laws were seen broken a run of this law is over. */
const MOST_ELSEWHERE = 3;

/** A case that breaks a law, in its smallest form where that was looked for. */
export interface Broken {
  /** The law that is broken: the one that was tried, or another that was seen broken. */
  readonly law: string;
  /** The law whose case it is, and the number of the case. */
  readonly of: string;
  readonly number: number;
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
  /** The first case, as it is, for each other law that was seen broken, where that is noted. */
  readonly elsewhere: readonly Broken[];
}

/** Tries cases of a law, one after the other, until one breaks or there are no more. */
export async function runLaw(law: AnyLaw, stand: Stand, options: RunLawOptions): Promise<LawRun> {
  const counts: Record<string, number> = {};
  const reasons = new Set<string>();
  const elsewhere: Broken[] = [];
  let cases = 0;
  let voids = 0;
  let others = 0;
  const so = (): LawRun => ({
    law: law.id,
    cases,
    void: voids,
    voidReasons: [...reasons],
    counts,
    elsewhere,
  });
  for (const number of options.cases) {
    if (others >= MOST_ELSEWHERE || options.stop?.() === true || options.signal?.aborted === true) break;
    const { first, broken, other } = await runCase(law, stand, number, options);
    cases++;
    for (const [what, times] of Object.entries(first.counts)) counts[what] = (counts[what] ?? 0) + times;
    if (broken !== undefined) return { ...so(), broken };
    let { void: cause } = first;
    if (other !== undefined) {
      others++;
      cause = `the law ${other.law} is broken in it`;
      if (!elsewhere.some(({ law: seen }) => seen === other.law)) elsewhere.push(other);
    }
    if (cause === undefined) continue;
    voids++;
    if (reasons.size < 5) reasons.add(cause);
  }
  return so();
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
  options: RunLawOptions,
): Promise<{ readonly first: Tried; readonly broken?: Broken; readonly other?: Broken }> {
  const { maxShrinks = 200, shrinkMs = Number.POSITIVE_INFINITY, others = "report", onTried } = options;
  const seed = caseSeed(options.seed, law.id, number);
  let first: { readonly tried: Tried; readonly of: unknown } | undefined;
  let smallest: typeof first;
  let thrown: { readonly error: unknown } | undefined;
  let shrinks = 0;
  let until = Number.POSITIVE_INFINITY;
  const over = () => shrinks++ >= maxShrinks || performance.now() > until || options.signal?.aborted === true;
  const property = fc.asyncProperty(law.cases() as fc.Arbitrary<unknown>, async (of) => {
    if (thrown !== undefined || (smallest !== undefined && over())) return true;
    let tried: Tried;
    try {
      tried = await tryCase(law, stand, of, seed);
    } catch (error) {
      // What is wrong beside the host breaks no law, and the search for small cases would swallow it.
      thrown = { error };
      return true;
    }
    onTried?.(tried, first !== undefined);
    first ??= { tried, of };
    const { broken } = tried;
    if (others === "note" && broken?.law !== law.id) return true;
    // A smaller case must break the same promise: another fault is another finding.
    if (broken === undefined || (smallest !== undefined && broken.law !== smallest.tried.broken?.law))
      return true;
    if (smallest === undefined) until = performance.now() + shrinkMs;
    smallest = { tried, of };
    return false;
  });
  await fc.check(property, { seed: seed | 0, numRuns: 1 });
  if (thrown !== undefined) throw placed(thrown.error, law, number);
  if (first === undefined) throw new Error(`law ${law.id} made no case`);
  const told = ({ tried, of }: NonNullable<typeof first>): Broken | undefined => {
    const { broken, history } = tried;
    if (broken === undefined) return undefined;
    return { ...broken, of: law.id, number, case: of, seed, history };
  };
  const { tried } = first;
  if (smallest !== undefined) return { first: tried, broken: told(smallest) as Broken };
  const other = told(first);
  return { first: tried, ...(other === undefined ? {} : { other }) };
}

/** An error of the kit with the case in which it came up; one of the surroundings as it is. */
function placed(error: unknown, { id }: AnyLaw, number: number): unknown {
  if (isDriverError(error)) return error;
  const what = error instanceof Error ? error.message : String(error);
  return new Error(`in case ${number} of the law ${id}: ${what}`, { cause: error });
}

/** What a run says of a law: whether what must have been exercised was. */
export function verdictOf(law: AnyLaw, run: LawRun): Verdict {
  // Where another law was seen broken the cases came to no end.
  if (run.broken !== undefined) return run.broken.law === law.id ? "broken" : "inconclusive";
  return shortfall({ ...run, planned: run.cases }, law.least) === undefined ? "holds" : "inconclusive";
}
