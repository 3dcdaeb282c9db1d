/** The law finds faults of the drift gate: each is built into its source, and caught within a few cases. */
import { expect, it } from "vitest";
import { casesOf } from "../codegen/drift/law/cases.js";
import { EDITS } from "../codegen/drift/law/edits/all.js";
import { noCounts } from "../codegen/drift/law/law.js";
import { type DriftMutant, MUTANTS, mutated, UNCHANGED } from "../codegen/drift/law/mutants.js";
import { runCases } from "../codegen/drift/law/run.js";

const SEED = 7;
const RUNS = 4;
const PATIENCE = 400_000;

/** How the law is broken; undefined where it is kept. */
async function found(mutant: DriftMutant, runs: number): Promise<string | undefined> {
  const driftOf = await mutated(mutant);
  for (const name of mutant.by) {
    const edit = EDITS.find((one) => one.name === name);
    if (edit === undefined) throw new Error(`no edit is called ${name}`);
    const broken = await runCases(casesOf(edit), driftOf, noCounts(), { runs, seed: SEED });
    if (broken !== undefined) return broken;
  }
  return undefined;
}

it(
  "the gate as it is keeps the law, built the same way, in all the cases by which faults are found",
  async () => {
    const by = [...new Set(MUTANTS.flatMap((mutant) => mutant.by))];
    expect(await found({ ...UNCHANGED, by }, RUNS)).toBeUndefined();
  },
  PATIENCE,
);

it.each(MUTANTS)(
  "finds that $name",
  async (mutant) => {
    expect(await found(mutant, RUNS)).toBeDefined();
  },
  PATIENCE,
);
