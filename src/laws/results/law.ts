/** What a law of command results is. */
import type { PlaceLaw } from "../places/law.js";
import type { ResultsTrial } from "./trial.js";

/** A promise of all command results, and how it is put to the test. */
export type ResultsLaw = PlaceLaw<ResultsTrial, "mortal" | "effects">;
