/** Holds command results to the laws, and reports. */
import { type CheckOptions, checkLaws, type PlaceReport } from "../places/check.js";
import { claimLaws } from "./claim-laws.js";
import { fenceLaws } from "./fence-laws.js";
import type { ResultsLaw } from "./law.js";
import { modelLaw } from "./model-law.js";
import { retentionLaws } from "./retention-laws.js";
import { settlementLaws } from "./settlement-laws.js";
import type { ResultsSubject } from "./subject.js";
import { ResultsTrial } from "./trial.js";

/** The laws that all command results keep. */
export const resultsLaws: readonly ResultsLaw[] = [
  ...claimLaws,
  ...settlementLaws,
  ...retentionLaws,
  ...fenceLaws,
  modelLaw,
];

/** Tries the laws on command results, one after the other, each on an empty place. Throws a TypeError for a law there is not. */
export function checkResults(subject: ResultsSubject, options: CheckOptions = {}): Promise<PlaceReport> {
  return checkLaws(resultsLaws, subject, (place) => new ResultsTrial(place), options);
}
