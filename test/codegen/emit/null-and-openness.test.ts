/** Null, absent and optional; words that an enum does not know: the same answer in every product. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bindingsOf } from "../../support/bindings.js";
import { bundleOf, loadModule, planOf, textOf, validatorsOf } from "../../support/compile.js";
import { arbitrariesOf } from "../../support/samples.js";

const string = { type: "string" };
const plan = planOf(
  bundleOf(
    {
      N: {
        type: "object",
        properties: {
          a: string,
          b: { type: ["string", "null"] },
          c: { anyOf: [{ $ref: "#/$defs/T" }, { type: "null" }] },
          d: { type: ["integer", "null"] },
        },
        required: ["b"],
      },
      T: { type: "object", properties: { x: string } },
      TurnTerminal: { ...string, enum: ["completed", "failed"], "x-msp-openness": "open" },
      IfBusy: { ...string, enum: ["queue", "steer"], "x-msp-openness": "closed" },
      Ask: {
        type: "object",
        properties: {
          ifBusy: { $ref: "#/$defs/IfBusy" },
          terminal: { $ref: "#/$defs/TurnTerminal" },
          note: string,
        },
      },
      Answer: { type: "object", properties: { terminal: { $ref: "#/$defs/TurnTerminal" } } },
    },
    { methods: { ask: { params: { $ref: "#/$defs/Ask" }, result: { $ref: "#/$defs/Answer" } } } },
  ),
);

describe("null, absent and optional", () => {
  it("are told apart by the validator", async () => {
    const check = (await validatorsOf(plan)).definitions["N"]!;
    for (const value of [{ b: null }, { b: "", c: null, d: null }, { b: "", c: {}, d: 1 }])
      expect(check(value)).toBeNull();
    expect(check({})).toMatchObject([{ instanceLocation: "", keyword: "required" }]);
    expect(check({ b: "", a: null })).toMatchObject([{ instanceLocation: "/a", keyword: "type" }]);
  });

  it("all occur in the samples", async () => {
    const { definitions } = await arbitrariesOf(plan);
    const values = fc.sample(definitions["N"]!.valid, { numRuns: 400, seed: 1 }) as Record<string, unknown>[];
    const stateOf = (value: Record<string, unknown>, name: string): string =>
      Object.hasOwn(value, name) ? (value[name] === null ? "null" : "value") : "absent";
    for (const name of ["c", "d"]) {
      expect(new Set(values.map((value) => stateOf(value, name)))).toEqual(
        new Set(["absent", "null", "value"]),
      );
    }
    expect(new Set(values.map((value) => `${stateOf(value, "c")} ${stateOf(value, "d")}`)).size).toBe(9);
  });
});

describe("a word that an enum does not know", () => {
  it.each(["paused", "Completed"])("is valid in an open enum and wrong in a closed one: %s", async (word) => {
    const { definitions } = await validatorsOf(plan);
    expect(definitions["TurnTerminal"]!(word)).toBeNull();
    expect(definitions["IfBusy"]!(word)).toMatchObject([{ keyword: "enum" }]);
    expect(definitions["TurnTerminal"]!(1)).toMatchObject([{ keyword: "type" }]);
    const { enums } = (await loadModule(await textOf(plan, "tables", "tables.js"))) as {
      enums: Record<string, { open: boolean; values: string[] }>;
    };
    expect(enums["TurnTerminal"]).toEqual({ open: true, values: ["completed", "failed"] });
    expect(enums["TurnTerminal"]!.values.includes(word)).toBe(false);
  });

  it("passes the server as it came, or is refused with its place", async () => {
    const { server } = await bindingsOf(plan);
    const host = server.createServer({
      ask: (params: unknown) => ({ terminal: (params as { terminal?: string }).terminal }),
    });
    const peer = { grants: [], experimental: false };
    expect(await host.dispatch("ask", { terminal: "paused" }, peer)).toEqual({
      result: { terminal: "paused" },
    });
    const { error } = await host.dispatch("ask", { ifBusy: "paused" }, peer);
    expect(error).toMatchObject({
      code: -32602,
      data: { details: { violations: [{ instanceLocation: "/ifBusy", keyword: "enum" }] } },
    });
  });
});
