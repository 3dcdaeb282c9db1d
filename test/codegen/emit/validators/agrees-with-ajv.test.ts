/** The oracle: on every value that was made, the validators and ajv give one verdict. */
import { afterAll, describe, expect, it } from "vitest";
import type { SurfacePlan } from "../../../../codegen/index.js";
import { bundleOf, planOf, planOfFile, validatorsOf } from "../../../support/compile.js";
import { MUTATIONS, type Mutation } from "../../../support/mutations.js";
import { compare, oracleOf, type Report } from "../../../support/oracle.js";
import { DEPOT_SCHEMA, MSP_SCHEMA, WORKSPACE_SCHEMA } from "../../../support/repo.js";
import { EXCUSED, ODD_DEFINITIONS } from "./odd-definitions.js";

/** The values that the protocol's maintainers are promised. */
const PROMISED = 100_000;

const reports: Report[] = [];

async function reportOf(plan: SurfacePlan, rounds: number, seed: number): Promise<Report> {
  const report = compare(plan, await validatorsOf(plan), await oracleOf(plan), { rounds, seed });
  expect(report.disagreements.slice(0, 5)).toEqual([]);
  expect(report.incoherent.slice(0, 5)).toEqual([]);
  expect([...report.byDefinition.keys()]).toEqual([...plan.protocol.definitions.keys()]);
  for (const [name, { valid, mutated }] of report.byDefinition) {
    expect(valid.accepted + valid.refused, name).toBe(rounds);
    expect(mutated.accepted + mutated.refused, name).toBeGreaterThan(rounds / 4);
  }
  return report;
}

describe("the surfaces of the protocols", () => {
  it.each([
    { name: "msp, stable", plan: () => planOfFile(MSP_SCHEMA, "stable"), rounds: 64, seed: 1 },
    { name: "msp, experimental", plan: () => planOfFile(MSP_SCHEMA), rounds: 64, seed: 2 },
    { name: "depot, stable", plan: () => planOfFile(DEPOT_SCHEMA, "stable"), rounds: 400, seed: 3 },
    { name: "depot, experimental", plan: () => planOfFile(DEPOT_SCHEMA), rounds: 400, seed: 4 },
    { name: "workspace, stable", plan: () => planOfFile(WORKSPACE_SCHEMA, "stable"), rounds: 64, seed: 5 },
  ])("$name: each definition decides as ajv does", async ({ plan, rounds, seed }) => {
    const report = await reportOf(plan(), rounds, seed);
    reports.push(report);
    expect(report.undecided).toBe(0);
    for (const [name, { valid, mutated }] of report.byDefinition) {
      expect(valid.refused, `made values of ${name} that are refused`).toBe(0);
      expect(mutated.refused, `mutated values of ${name} that are refused`).toBeGreaterThan(rounds / 8);
    }
    expect(report.mutated.refused).toBeGreaterThan(report.values / 4);
    expect(report.mutated.accepted).toBeGreaterThan(report.values / 8);
  });

  it("were asked about as many values as promised, by every mutation", () => {
    expect(reports).toHaveLength(5);
    const total = reports.reduce((n, { values }) => n + values, 0);
    expect(total).toBeGreaterThanOrEqual(PROMISED);
    const counts = new Map<Mutation, { accepted: number; refused: number }>();
    for (const { byMutation } of reports) {
      for (const [name, { accepted, refused }] of byMutation) {
        const sum = counts.get(name) ?? { accepted: 0, refused: 0 };
        counts.set(name, { accepted: sum.accepted + accepted, refused: sum.refused + refused });
      }
    }
    for (const name of Object.keys(MUTATIONS) as Mutation[]) {
      const { accepted, refused } = counts.get(name) ?? { accepted: 0, refused: 0 };
      expect(accepted + refused, name).toBeGreaterThan(20);
      if (!HARMLESS.includes(name)) expect(refused, name).toBeGreaterThan(3);
    }
  });
});

/** Mutations that seldom or never make a value invalid: what a validator must bear. */
const HARMLESS: readonly Mutation[] = ["at a bound", "unknown member", "odd member"];

describe("definitions that are odd", () => {
  /** No value satisfies these. */
  const NEVER = ["UnionBesideType"];
  /** Every value satisfies these. */
  const ALWAYS = ["Anything"];

  it("decide as ajv does, each accepting and refusing", async () => {
    const report = await reportOf(planOf(bundleOf(ODD_DEFINITIONS), "experimental", EXCUSED), 300, 5);
    reports.push(report);
    expect(report.undecided).toBeLessThan(report.values / 200);
    for (const [name, { valid, mutated }] of report.byDefinition) {
      const accepted = valid.accepted + mutated.accepted;
      const refused = valid.refused + mutated.refused;
      if (NEVER.includes(name)) expect(accepted, name).toBe(0);
      else expect(accepted, name).toBeGreaterThan(3);
      if (ALWAYS.includes(name)) expect(refused, name).toBe(0);
      else expect(refused, name).toBeGreaterThan(3);
    }
  });
});

afterAll(() => {
  const sum = (count: (report: Report) => number): number =>
    reports.reduce((n, report) => n + count(report), 0);
  process.stderr.write(
    `validators against ajv: ${sum((r) => r.values)} values, ${sum((r) => r.valid.accepted + r.mutated.accepted)} accepted, ` +
      `${sum((r) => r.valid.refused + r.mutated.refused)} refused, ${sum((r) => r.disagreements.length)} disagreements\n`,
  );
});
