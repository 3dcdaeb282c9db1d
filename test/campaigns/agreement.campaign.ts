/** The agreement law at full length: a thousand valid and a thousand invalid samples of every definition. */
import { describe, expect, it } from "vitest";
import type { Surface } from "../../codegen/index.js";
import { agree, tooFew } from "../support/agreement.js";
import { planOfFile, validatorsOf } from "../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA } from "../support/repo.js";
import { arbitrariesOf } from "../support/samples.js";

const RUNS = 1_000;
const SURFACES: readonly Surface[] = ["stable", "experimental"];

describe.each([
  ["MSP", MSP_SCHEMA],
  ["depot", DEPOT_SCHEMA],
])("%s", (_, schema) => {
  it.each(SURFACES)("agrees on a thousand samples of each kind per definition: %s", async (surface) => {
    const plan = planOfFile(schema, surface);
    const result = agree(await arbitrariesOf(plan), await validatorsOf(plan), RUNS);
    const sum = (part: "valid" | "invalid" | "reasons" | "known"): number =>
      result.counts.reduce((total, count) => total + count[part], 0);
    console.log(
      `${surface}: ${result.counts.length} definitions, ${sum("valid")} valid and ${sum("invalid")} invalid values, ${sum("reasons")} of ${sum("known")} reasons met`,
    );
    expect(result.broken).toEqual([]);
    expect(tooFew(result, RUNS)).toEqual([]);
    expect(sum("reasons") / sum("known")).toBeGreaterThan(0.5);
  });
});
