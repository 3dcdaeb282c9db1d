/** What a law of command results is. */
import type { ResultsTrial } from "./trial.js";

/** A promise of all command results, and how it is put to the test. */
export interface ResultsLaw {
  readonly id: string;
  /** What is promised, in a sentence. */
  readonly promise: string;
  /** What the place must be able to do, beyond opening results. */
  readonly needs?: "mortal" | "effects";
  /** How often what must have been exercised; with less the run says nothing. */
  readonly least: Readonly<Record<string, number>>;
  /**
   * Tries it; throws where it is broken.
   * @param begin a trial on an empty place; what is reported is the last one that was begun
   * @param seed chooses, where there is a choice
   */
  run(begin: () => Promise<ResultsTrial>, seed: number): Promise<void>;
}

/** A law that is tried once, on one place. */
export interface SimpleResultsLaw extends Omit<ResultsLaw, "run"> {
  run(trial: ResultsTrial): Promise<void>;
}

/** Makes laws of simple ones. */
export function simply(laws: readonly SimpleResultsLaw[]): readonly ResultsLaw[] {
  return laws.map((law) => ({ ...law, run: async (begin) => law.run(await begin()) }));
}
