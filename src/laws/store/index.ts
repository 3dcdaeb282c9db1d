/**
 * The laws of a store, and those of command results, for whoever writes one. They need no test runner.
 */
export type { CheckOptions, PlaceLawReport, PlaceReport } from "../places/check.js";
export type { PlaceLaw } from "../places/law.js";
export { checkResults, resultsLaws } from "../results/check.js";
export type { ResultsLaw } from "../results/law.js";
export type { MortalResults, PlaceEffects, ResultsPlace, ResultsSubject } from "../results/subject.js";
export type { Keeper, ResultsTrial } from "../results/trial.js";
export { checkStore, storeLaws } from "./check.js";
export type { StoreLaw } from "./law.js";
export type { FailingStore, MortalStore, StorePlace, StoreSubject } from "./subject.js";
export type { Answer, Held, Host, Told, Trial } from "./trial.js";
