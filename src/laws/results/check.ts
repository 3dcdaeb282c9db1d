/** Holds command results to the laws, and reports. */
import { isLawBroken } from "../broken.js";
import { claimLaws } from "./claim-laws.js";
import { fenceLaws } from "./fence-laws.js";
import type { ResultsLaw } from "./law.js";
import { modelLaw } from "./model-law.js";
import { retentionLaws } from "./retention-laws.js";
import { settlementLaws } from "./settlement-laws.js";
import type { ResultsPlace, ResultsSubject } from "./subject.js";
import { ResultsTrial } from "./trial.js";

/** The laws that all command results keep. */
export const resultsLaws: readonly ResultsLaw[] = [
  ...claimLaws,
  ...settlementLaws,
  ...retentionLaws,
  ...fenceLaws,
  modelLaw,
];

/** What became of one law. */
export interface ResultsLawReport {
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
export interface ResultsReport {
  readonly subject: string;
  readonly seed: number;
  /** Whether no law is broken or inconclusive, and at least one holds. */
  readonly holds: boolean;
  readonly laws: readonly ResultsLawReport[];
}

/** How results are checked. */
export interface CheckResultsOptions {
  /** The laws to try, by id. Default: all. */
  readonly only?: readonly string[];
  /** Chooses the sequences of the model. Default: 1. */
  readonly seed?: number;
}

/** Tries the laws on command results, one after the other, each on an empty place. Throws a TypeError for a law there is not. */
export async function checkResults(
  subject: ResultsSubject,
  { only, seed = 1 }: CheckResultsOptions = {},
): Promise<ResultsReport> {
  for (const id of only ?? []) {
    if (!resultsLaws.some((law) => law.id === id))
      throw new TypeError(`there is no law ${JSON.stringify(id)}`);
  }
  const laws: ResultsLawReport[] = [];
  for (const law of resultsLaws) {
    if (only === undefined || only.includes(law.id)) laws.push(await tryLaw(law, subject, seed));
  }
  const holds =
    laws.some(({ verdict }) => verdict === "holds") &&
    laws.every(({ verdict }) => verdict === "holds" || verdict === "notApplicable");
  return { subject: subject.name, seed, holds, laws };
}

async function tryLaw(law: ResultsLaw, subject: ResultsSubject, seed: number): Promise<ResultsLawReport> {
  const { id, promise } = law;
  const first = await subject.makePlace();
  const unused: ResultsPlace[] = [first];
  const used: ResultsPlace[] = [];
  let trial = new ResultsTrial(first);
  const begin = async (): Promise<ResultsTrial> => {
    const place = unused.pop() ?? (await subject.makePlace());
    used.push(place);
    trial = new ResultsTrial(place);
    return trial;
  };
  try {
    if (law.needs !== undefined && first[law.needs] === undefined)
      return { law: id, promise, verdict: "notApplicable", counts: {} };
    await law.run(begin, seed);
    const enough = Object.entries(law.least).every(([what, least]) => (trial.counts[what] ?? 0) >= least);
    return { law: id, promise, verdict: enough ? "holds" : "inconclusive", counts: trial.counts };
  } catch (error) {
    // What is not a broken promise is an error of the subject that no law foresees.
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
