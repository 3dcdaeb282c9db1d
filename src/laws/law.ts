/** What a law of a host is, and what can come of it. */
import type { Arbitrary } from "fast-check";
import type { Ability } from "./driver/driver.js";
import type { Trial } from "./trial.js";

export { CaseVoid, isCaseVoid, isLawBroken, LawBroken } from "./broken.js";

/**
 * What a law is about: `core`, what every host promises while it lives; `durable`, what outlives it; `connections`, what
 * holds between several connections; `ephemeral`, what a host without a durable store promises.
 */
export type LawLevel = "core" | "durable" | "connections" | "ephemeral";

/** How often what was exercised, by name. */
export type Counts = Readonly<Record<string, number>>;

/** A promise of every host, and how it is put to the test. */
export interface Law<Case = never> {
  /** Short, of small letters and hyphens; stable. */
  readonly id: string;
  readonly level: LawLevel;
  /** What is promised, in one sentence. */
  readonly promise: string;
  /** What a host must be able to do for the promise to be tried at all. */
  readonly needs: readonly Ability[];
  /** What must have been exercised at least so often, whatever the number of cases; with less the run says nothing. */
  readonly least: Counts;
  /** How many cases the default budget has. */
  readonly runs: number;
  /** Makes cases: plain JSON, so that one can be kept and tried again. */
  cases(): Arbitrary<Case>;
  /**
   * Tries one case on a host.
   * @throws {LawBroken} where the promise is not kept
   */
  run(trial: Trial, of: Case): Promise<void>;
}

/** A law whose cases are nobody's business but its own. */
export type AnyLaw = Law<never>;

/** What a run says of a law. */
export type Verdict = "holds" | "broken" | "inconclusive" | "notApplicable";

/** Gives a law with the type of its cases hidden. */
export function law<Case>(of: Law<Case>): AnyLaw {
  return of as unknown as AnyLaw;
}
