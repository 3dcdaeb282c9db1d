import { describe, expect, it } from "vitest";
import type { Surface } from "../../../../codegen/index.js";
import { agree, tooFew } from "../../../support/agreement.js";
import { planOfFile, validatorsOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA, WORKSPACE_SCHEMA } from "../../../support/repo.js";
import { arbitrariesOf } from "../../../support/samples.js";

/** Samples of each kind per definition; the campaign takes a thousand. */
const RUNS = 40;

const SURFACES: readonly Surface[] = ["stable", "experimental"];

describe.each([
  ["MSP", MSP_SCHEMA],
  ["depot", DEPOT_SCHEMA],
  ["workspace", WORKSPACE_SCHEMA],
])("arbitraries and validators of %s", (_, schema) => {
  it.each(SURFACES)("agree on every definition of the %s surface", async (surface) => {
    const plan = planOfFile(schema, surface);
    const result = agree(await arbitrariesOf(plan), await validatorsOf(plan), RUNS);
    expect(result.broken).toEqual([]);
    expect(tooFew(result, RUNS)).toEqual([]);
    expect(result.counts.length).toBe(plan.protocol.definitions.size);
    // Reasons are many, so that few runs cannot meet all; that most runs meet different ones is what counts.
    const met = result.counts.reduce((sum, { reasons }) => sum + reasons, 0);
    const possible = result.counts.reduce((sum, { known }) => sum + Math.min(known, RUNS), 0);
    expect(met / possible).toBeGreaterThan(0.5);
  });
});

describe("the agreement", () => {
  const poisons: Record<string, (text: string) => string> = {
    "an open enum that keeps to its words is not wrong": (text) => text,
    "an optional member that is always null": (text) =>
      text.replace("note: text({ max: 200 })", "note: nothing"),
    "a bound that is dropped": (text) => text.replace("label: text({ min: 1, max: 40 })", "label: text()"),
    "a required member that is optional": (text) =>
      text.replace(/object\(\{ sku: (D\d+)\(d\), \}, \{/, "object({}, { sku: $1(d),"),
    "a wrong reason": (text) => text.replace('add("minLength"', 'add("maxLength"'),
  };
  it.each(Object.entries(poisons))("sees %s", async (name, poison) => {
    const plan = planOfFile(DEPOT_SCHEMA);
    let changed = false;
    const arbitraries = await arbitrariesOf(plan, (text) => {
      const poisoned = poison(text);
      changed = poisoned !== text;
      return poisoned;
    });
    const sound = name.endsWith("is not wrong");
    expect(changed).toBe(!sound);
    const { broken } = agree(arbitraries, await validatorsOf(plan), 200);
    expect(broken.length > 0).toBe(!sound);
  });
});
