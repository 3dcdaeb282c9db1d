import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CannotEmit } from "../../../../codegen/diagnostics/finding.js";
import { emitArbitraries } from "../../../../codegen/emit/arbitraries/emit.js";
import { agree, tooFew } from "../../../support/agreement.js";
import { bundleOf, planOf, planOfFile, validatorsOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA } from "../../../support/repo.js";
import { arbitrariesOf } from "../../../support/samples.js";

const string = { type: "string" };
/** What others stumbled over: recursion, patterns with a bound and with a look-ahead, dependent members, odd names. */
const HARD = {
  R: {
    type: "object",
    properties: {
      kids: { type: "array", items: { $ref: "#/$defs/R" } },
      s: { ...string, pattern: "^[a-z0-9_]+$", maxLength: 5 },
      u: { ...string, maxLength: 5 },
      w: { type: "integer" },
      h: { type: "integer" },
      fp: { ...string, pattern: "^(?=.*x)[a-z]{3}$" },
      open: { ...string, enum: ["a", "b"], "x-msp-openness": "open" },
    },
    required: ["s"],
    dependentRequired: { w: ["h"], h: ["w"] },
  },
  Names: {
    type: "object",
    properties: { constructor: string, toString: string, ["__proto__"]: string },
    required: ["toString"],
  },
  Long: { type: "array", items: string, minItems: 50, maxItems: 5000 },
  Either: {
    anyOf: [
      { type: "number", minimum: 0.5 },
      { type: "null" },
      { type: "array", items: { type: "boolean" }, minItems: 1 },
    ],
  },
  Narrow: { $ref: "#/$defs/Word", maxLength: 3 },
  Word: { ...string, minLength: 1 },
  Bound: { type: "integer", minimum: -3, maximum: 9007199254740991 },
  Deep: { const: { k: [1, null] } },
};

const sample = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number, seed = 3): T[] =>
  fc.sample(arbitrary, { numRuns, seed });

describe("arbitraries of hard definitions", () => {
  const plan = planOf(bundleOf(JSON.parse(JSON.stringify(HARD))));

  it("agree with the validators", async () => {
    const result = agree(await arbitrariesOf(plan), await validatorsOf(plan), 1_000);
    expect(result.broken).toEqual([]);
    expect(tooFew(result, 1_000)).toEqual([]);
  });

  it("reach both sides of what may vary", async () => {
    const { definitions } = await arbitrariesOf(plan);
    const values = sample(definitions["R"]!.valid, 2_000) as Record<string, unknown>[];
    const has = (name: string): boolean[] => values.map((value) => Object.hasOwn(value, name));
    expect(new Set(has("w"))).toEqual(new Set([true, false]));
    expect(has("w")).toEqual(has("h"));
    const integers = values.flatMap(({ w }) => (typeof w === "number" ? [w] : []));
    expect(integers.some((n) => Math.abs(n) > 2 ** 31)).toBe(true);
    expect(integers.some((n) => Math.abs(n) === Number.MAX_SAFE_INTEGER)).toBe(true);
    expect(integers.every(Number.isSafeInteger)).toBe(true);
    const words = new Set(values.flatMap(({ open }) => (typeof open === "string" ? [open] : [])));
    expect(words.has("a") && words.has("b") && words.size > 2).toBe(true);
    expect(values.some((value) => Object.hasOwn(value, "x-unknown"))).toBe(true);
    expect(values.some(({ fp }) => typeof fp === "string" && fp.includes("x"))).toBe(true);
    expect(values.some(({ u }) => typeof u === "string" && u.length > [...u].length)).toBe(true);
  });

  it("give the same values for the same seed", async () => {
    const [a, b] = [await arbitrariesOf(plan), await arbitrariesOf(plan)];
    for (const name of Object.keys(HARD)) {
      expect(sample(a.definitions[name]!.valid, 50)).toEqual(sample(b.definitions[name]!.valid, 50));
      if (a.definitions[name]!.invalid !== undefined) {
        expect(sample(a.definitions[name]!.invalid!, 50)).toEqual(sample(b.definitions[name]!.invalid!, 50));
      }
    }
    expect(sample(a.definitions["R"]!.valid, 50, 4)).not.toEqual(sample(a.definitions["R"]!.valid, 50, 5));
  });

  it("shrink an invalid value without losing its reason", async () => {
    const { definitions } = await arbitrariesOf(plan);
    const validators = await validatorsOf(plan);
    let shrunk = 0;
    for (let seed = 0; seed < 40; seed++) {
      const seen: string[] = [];
      fc.check(
        fc.property(definitions["R"]!.invalid!, ({ value, instanceLocation, keyword }) => {
          seen.push(`${instanceLocation.replace(/\d+/g, "*")} ${keyword}`);
          const violations = validators.definitions["R"]!(value, { all: true });
          expect(violations).toEqual([expect.objectContaining({ instanceLocation, keyword })]);
          return false;
        }),
        { seed, numRuns: 1 },
      );
      expect(new Set(seen).size).toBe(1);
      if (seen.length > 1) shrunk++;
    }
    expect(shrunk).toBeGreaterThan(10);
  });

  it("name what they cannot draw, with its place", () => {
    const refused = (node: unknown, rules = {}): unknown => {
      try {
        return emitArbitraries(
          planOf(bundleOf({ D: node, T: { ...string, pattern: "a" } }), "experimental", rules),
        );
      } catch (error) {
        return error instanceof CannotEmit ? error.pointer : error;
      }
    };
    expect(refused({ ...string, pattern: "^(a|b)\\1$" })).toBe("/$defs/D");
    expect(refused({ $ref: "#/$defs/T", pattern: "b" })).toBe("/$defs/D");
    const excused = { severities: { "overlapping-union": "off" } };
    expect(
      refused(
        { type: "object", properties: { u: { anyOf: [string, { ...string, minLength: 1 }] } } },
        excused,
      ),
    ).toBe("/$defs/D/properties/u");
  });
});

describe("arbitraries of real definitions", () => {
  it("stay bounded in size: a recursive one, the widest one, and every union", async () => {
    const msp = planOfFile(MSP_SCHEMA);
    const depot = planOfFile(DEPOT_SCHEMA);
    const unions = [...msp.protocol.definitions.values()]
      .filter(({ schema }) => schema.union !== undefined)
      .map(({ name }) => name);
    expect(unions.length).toBeGreaterThan(4);
    const cases: [typeof msp, string[]][] = [
      [msp, ["Item", ...unions]],
      [depot, ["Place", "Event", "Target", "Filter"]],
    ];
    for (const [plan, names] of cases) {
      const { definitions } = await arbitrariesOf(plan);
      const validators = await validatorsOf(plan);
      for (const name of names) {
        const values = sample(definitions[name]!.valid, 10_000);
        expect(values.filter((value) => validators.definitions[name]!(value) !== null)).toEqual([]);
        expect(Math.max(...values.map((value) => JSON.stringify(value).length))).toBeLessThan(200_000);
      }
    }
  });

  it("make no member of the experimental surface for a stable peer", async () => {
    const { methods } = await arbitrariesOf(planOfFile(MSP_SCHEMA, "stable"));
    const values = sample(methods["turn/steer"]!.params!.valid, 500) as object[];
    expect(values.filter((value) => Object.hasOwn(value, "tokenBudget"))).toEqual([]);
    const opted = await arbitrariesOf(planOfFile(MSP_SCHEMA, "experimental"));
    expect(
      (sample(opted.methods["turn/steer"]!.params!.valid, 500) as object[]).some((value) =>
        Object.hasOwn(value, "tokenBudget"),
      ),
    ).toBe(true);
  });

  it("make no unknown member where the method refuses it", async () => {
    const { methods } = await arbitrariesOf(planOfFile(MSP_SCHEMA, "stable"));
    const known = new Set(["commandId", "sessionId"]);
    for (const value of sample(methods["goal/pause"]!.params!.valid, 300) as object[]) {
      expect(Object.keys(value).filter((name) => !known.has(name))).toEqual([]);
    }
  });
});
