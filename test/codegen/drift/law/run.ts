/** Runs the law over random cases of some edits, and tells what was really looked at. */
import fc from "fast-check";
import { casesOf } from "./cases.js";
import type { Edit } from "./edits/edit.js";
import { type Case, type Counts, type Draws, type DriftOf, examine } from "./law.js";

/** How long the law runs. */
export interface Length {
  /** Cases of each edit. */
  readonly runs: number;
  readonly seed: number;
  /** Whether a case that breaks it is made small, which takes a while. */
  readonly shrink?: boolean;
  readonly draws?: Draws;
}

/**
 * Holds cases against the law, one after the other.
 * @returns how the first one that breaks it does; undefined where none does
 */
export async function runCases(
  cases: fc.Arbitrary<Case>,
  driftOf: DriftOf,
  counts: Counts,
  { runs, seed, shrink = false, draws }: Length,
): Promise<string | undefined> {
  const property = fc.asyncProperty(cases, async (one) => {
    const broken = await examine(one, driftOf, counts, draws);
    if (broken.length > 0) throw new Error([...new Set(broken)].join("\n"));
  });
  const result = await fc.check(property, { numRuns: runs, seed, endOnFailure: !shrink });
  if (!result.failed) return undefined;
  const [one] = result.counterexample ?? [];
  const said = result.errorInstance instanceof Error ? result.errorInstance.message : "";
  const about = JSON.stringify(one?.sites.map((site) => site.about));
  return `${one?.edits.join(", ")} of ${about}:\n${said}\n${JSON.stringify(one?.base)}`;
}

/** Runs the law over each of some edits. @returns how it is broken, by edit, and how many edits were looked at */
export async function runEdits(
  edits: readonly Edit[],
  driftOf: DriftOf,
  counts: Counts,
  length: Length,
): Promise<{ readonly broken: string[]; readonly looked: Record<string, number> }> {
  const broken: string[] = [];
  const looked: Record<string, number> = {};
  for (const edit of edits) {
    const before = counts.cases;
    const found = await runCases(casesOf(edit), driftOf, counts, length);
    if (found !== undefined) broken.push(found);
    looked[edit.name] = counts.cases - before;
  }
  return { broken, looked };
}
