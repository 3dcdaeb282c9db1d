/** Holds a store to the laws, and reports. */
import { type CheckOptions, checkLaws, type PlaceReport } from "../places/check.js";
import { crashLaws } from "./crash-laws.js";
import { entryLaws } from "./entry-laws.js";
import { holderLaws } from "./holder-laws.js";
import type { StoreLaw } from "./law.js";
import { modelLaw } from "./model-law.js";
import type { StoreSubject } from "./subject.js";
import { Trial } from "./trial.js";

/** The laws that every store keeps. */
export const storeLaws: readonly StoreLaw[] = [...entryLaws, ...holderLaws, modelLaw, ...crashLaws];

/** Tries the laws on a store, one after the other, each on an empty place. Throws a TypeError for a law there is not. */
export function checkStore(subject: StoreSubject, options: CheckOptions = {}): Promise<PlaceReport> {
  return checkLaws(storeLaws, subject, (place) => new Trial(place), options);
}
