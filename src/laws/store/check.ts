/** Holds a store to the laws, and reports. */
import { isLawBroken } from "../broken.js";
import { crashLaws } from "./crash-laws.js";
import { entryLaws } from "./entry-laws.js";
import { holderLaws } from "./holder-laws.js";
import { lacks, type StoreLaw } from "./law.js";
import { modelLaw } from "./model-law.js";
import type { StorePlace, StoreSubject } from "./subject.js";
import { Trial } from "./trial.js";

/** The laws that every store keeps. */
export const storeLaws: readonly StoreLaw[] = [...entryLaws, ...holderLaws, modelLaw, ...crashLaws];

/** What became of one law. */
export interface StoreLawReport {
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
export interface StoreReport {
  readonly subject: string;
  readonly seed: number;
  /** Whether no law is broken or inconclusive, and at least one holds. */
  readonly holds: boolean;
  readonly laws: readonly StoreLawReport[];
}

/** How a store is checked. */
export interface CheckStoreOptions {
  /** The laws to try, by id. Default: all. */
  readonly only?: readonly string[];
  /** Chooses the sequences of the model. Default: 1. */
  readonly seed?: number;
}

/** Tries the laws on a store, one after the other, each on an empty place. Throws a TypeError for a law there is not. */
export async function checkStore(
  subject: StoreSubject,
  { only, seed = 1 }: CheckStoreOptions = {},
): Promise<StoreReport> {
  for (const id of only ?? []) {
    if (!storeLaws.some((law) => law.id === id)) throw new TypeError(`there is no law ${JSON.stringify(id)}`);
  }
  const laws: StoreLawReport[] = [];
  for (const law of storeLaws) {
    if (only === undefined || only.includes(law.id)) laws.push(await tryLaw(law, subject, seed));
  }
  const holds =
    laws.some(({ verdict }) => verdict === "holds") &&
    laws.every(({ verdict }) => verdict === "holds" || verdict === "notApplicable");
  return { subject: subject.name, seed, holds, laws };
}

async function tryLaw(law: StoreLaw, subject: StoreSubject, seed: number): Promise<StoreLawReport> {
  const { id, promise } = law;
  const first = await subject.makePlace();
  const missing = lacks(first, law);
  const unused: StorePlace[] = [first];
  const used: StorePlace[] = [];
  let trial = new Trial(first);
  const begin = async (): Promise<Trial> => {
    const place = unused.pop() ?? (await subject.makePlace());
    used.push(place);
    trial = new Trial(place);
    return trial;
  };
  try {
    if (missing) return { law: id, promise, verdict: "notApplicable", counts: {} };
    await law.run(begin, seed);
    const enough = Object.entries(law.least).every(([what, least]) => (trial.counts[what] ?? 0) >= least);
    return { law: id, promise, verdict: enough ? "holds" : "inconclusive", counts: trial.counts };
  } catch (error) {
    // What is not a broken promise is an error of the subject that no law foresees: no store may throw it.
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
