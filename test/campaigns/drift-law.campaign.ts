/** The law of the drift gate at full length, with another seed each time; the one of a failure is printed. */
import { expect, it } from "vitest";
import { driftOf } from "../../codegen/drift/drift.js";
import { casesOfMany } from "../codegen/drift/law/cases.js";
import { EDITS } from "../codegen/drift/law/edits/all.js";
import { noCounts } from "../codegen/drift/law/law.js";
import { runCases, runEdits } from "../codegen/drift/law/run.js";

const SEED = Number(process.env["DRIFT_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = Number(process.env["DRIFT_RUNS"] ?? 20);

it("each edit is told as it is known, and as values show", async () => {
  console.log(`DRIFT_SEED=${SEED} DRIFT_RUNS=${RUNS}`);
  const counts = noCounts();
  const draws = { runs: 20, seed: SEED };
  const { broken, looked } = await runEdits(EDITS, driftOf, counts, { runs: RUNS, seed: SEED, draws });
  console.log(counts);
  expect(broken).toEqual([]);
  expect(looked).toEqual(Object.fromEntries(EDITS.map(({ name }) => [name, RUNS])));
  for (const verdict of ["none", "additive", "unknown", "breaking"] as const)
    expect([verdict, counts.verdicts[verdict] > RUNS]).toEqual([verdict, true]);
});

it("several edits at once are told as values show", async () => {
  console.log(`DRIFT_SEED=${SEED} DRIFT_RUNS=${RUNS}`);
  const counts = noCounts();
  const length = { runs: RUNS * 15, seed: SEED, draws: { runs: 40, seed: SEED } };
  expect(await runCases(casesOfMany(6), driftOf, counts, length)).toBeUndefined();
  console.log(counts);
  expect(counts.cases).toBeGreaterThan(RUNS * 10);
});
