/** Tries the law that must find a mutant on it, and on the host without a fault. */
import type { Driver } from "../../src/laws/driver/driver.js";
import type { AnyLaw, Verdict } from "../../src/laws/law.js";
import type { History } from "../../src/laws/model/history.js";
import { type LawRun, runLaw, verdictOf } from "../../src/laws/run/run-law.js";
import { Stand } from "../../src/laws/stand.js";

/** A counterexample has at most so many frames of clients, without handshakes. */
export const MOST_FRAMES = 12;

/** What a law said of a host. */
export interface Found {
  readonly verdict: Verdict;
  /** The law that was seen broken; undefined for none. */
  readonly broken?: string;
  /** How it was seen. */
  readonly what?: string;
  /** Frames of clients in the counterexample. */
  readonly frames?: number;
  /** Cases until it was found, or all of them. */
  readonly cases: number;
  readonly ms: number;
  /** Why the mutant counts as escaped; undefined where it was caught, and for a host without a fault. */
  readonly escaped?: string;
}

/** How many frames clients wrote in a history, without handshakes. */
export function clientFrames({ lines }: History): number {
  return lines.filter(({ dir, handshake }) => dir === "client" && !handshake).length;
}

/**
 * Tries a law at its default budget. What the kit itself throws is no verdict: it goes on to the caller.
 * @param most how many cases are tried
 */
export async function tryLaw(
  law: AnyLaw,
  driver: Driver,
  seed: number,
  most: number = law.runs,
): Promise<Found> {
  const stand = new Stand(driver);
  const begun = performance.now();
  let run: LawRun;
  try {
    run = await runLaw(law, stand, { seed, cases: Array.from({ length: most }, (_, i) => i) });
  } finally {
    await stand.clear();
  }
  const ms = performance.now() - begun;
  const verdict = law.needs.every((need) => driver.abilities.has(need))
    ? verdictOf(law, run)
    : "notApplicable";
  const { broken, cases } = run;
  if (broken === undefined) return { verdict, cases, ms };
  return {
    verdict,
    cases,
    ms,
    broken: broken.law,
    what: broken.what,
    frames: clientFrames(broken.history),
  };
}

/** Why a mutant was not caught as it must be; undefined where it was. */
export function whyEscaped(expected: string, { verdict, broken, frames, what }: Found): string | undefined {
  if (broken === undefined) return `${expected} says: ${verdict}`;
  if (broken !== expected) return `${broken} is broken instead of ${expected}: ${what}`;
  if ((frames ?? 0) > MOST_FRAMES) return `the counterexample has ${frames} frames`;
  return undefined;
}
