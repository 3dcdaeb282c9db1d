/** Holds something that is kept in places to its laws, and reports. */
import { isLawBroken } from "../broken.js";
import type { PlaceLaw } from "./law.js";

/** What became of one law. */
export interface PlaceLawReport {
  readonly law: string;
  readonly promise: string;
  /** `notApplicable`: the subject cannot do what the law needs. `inconclusive`: too little was exercised to say. */
  readonly verdict: "holds" | "broken" | "notApplicable" | "inconclusive";
  /** How often what was exercised. */
  readonly counts: Readonly<Record<string, number>>;
  /** What was found, where it is broken, and the steps that led there. */
  readonly broken?: { readonly what: string; readonly steps: readonly string[] };
}

/** What became of all of them. */
export interface PlaceReport {
  readonly subject: string;
  readonly seed: number;
  /** Whether no law is broken or inconclusive, and at least one holds. */
  readonly holds: boolean;
  readonly laws: readonly PlaceLawReport[];
}

/** How it is checked. */
export interface CheckOptions {
  /** The laws to try, by id. Default: all. */
  readonly only?: readonly string[];
  /** Chooses the sequences of the model. Default: 1. */
  readonly seed?: number;
}

/** A trial, as far as it is reported. */
interface Told {
  readonly counts: Readonly<Record<string, number>>;
  readonly steps: readonly string[];
  end(): Promise<void>;
}

/** What is tried. */
interface Subject<P> {
  readonly name: string;
  makePlace(): Promise<P>;
}

/**
 * Tries laws on a subject, one after the other, each on an empty place. Throws a TypeError for a law there is not.
 * @param trialOf makes a trial on a place
 */
export async function checkLaws<
  P extends { remove(): Promise<void> },
  T extends Told,
  N extends keyof P & string,
>(
  laws: readonly PlaceLaw<T, N>[],
  subject: Subject<P>,
  trialOf: (place: P) => T,
  { only, seed = 1 }: CheckOptions,
): Promise<PlaceReport> {
  for (const id of only ?? []) {
    if (!laws.some((law) => law.id === id)) throw new TypeError(`there is no law ${JSON.stringify(id)}`);
  }
  const reports: PlaceLawReport[] = [];
  for (const law of laws) {
    if (only === undefined || only.includes(law.id)) reports.push(await tryLaw(law, subject, trialOf, seed));
  }
  const holds =
    reports.some(({ verdict }) => verdict === "holds") &&
    reports.every(({ verdict }) => verdict === "holds" || verdict === "notApplicable");
  return { subject: subject.name, seed, holds, laws: reports };
}

async function tryLaw<P extends { remove(): Promise<void> }, T extends Told, N extends keyof P & string>(
  law: PlaceLaw<T, N>,
  subject: Subject<P>,
  trialOf: (place: P) => T,
  seed: number,
): Promise<PlaceLawReport> {
  const { id, promise, needs } = law;
  const first = await subject.makePlace();
  const unused: P[] = [first];
  const used: P[] = [];
  let trial = trialOf(first);
  const begin = async (): Promise<T> => {
    const place = unused.pop() ?? (await subject.makePlace());
    used.push(place);
    trial = trialOf(place);
    return trial;
  };
  try {
    if (needs !== undefined && first[needs] === undefined)
      return { law: id, promise, verdict: "notApplicable", counts: {} };
    await law.run(begin, seed);
    const enough = Object.entries(law.least).every(([what, least]) => (trial.counts[what] ?? 0) >= least);
    return { law: id, promise, verdict: enough ? "holds" : "inconclusive", counts: trial.counts };
  } catch (error) {
    // What is not a broken promise is an error of the subject that no law foresees: it may throw none.
    const what = isLawBroken(error) ? error.message : `an error: ${String(error)}`;
    return {
      law: id,
      promise,
      verdict: "broken",
      counts: trial.counts,
      broken: { what, steps: trial.steps },
    };
  } finally {
    await trial.end();
    for (const place of [...unused, ...used]) await place.remove();
  }
}
