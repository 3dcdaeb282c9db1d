/** What single keywords decide, alone and beside others. */
import { describe, expect, it } from "vitest";
import type { Validate } from "../../../support/compile.js";
import { definitionsOf } from "./definitions.js";

async function places(schema: object, value: unknown, defs: object = {}): Promise<string[]> {
  const { S } = await definitionsOf({ S: schema, ...defs });
  return ((S as Validate)(value, { all: true }) ?? []).map((v) => `${v.instanceLocation} ${v.keyword}`);
}

const EMOJI = "\u{1F600}";
const INFINITE = JSON.parse("1e400") as number;

describe("lengths", () => {
  it.each([
    [{ type: "string", minLength: 2 }, EMOJI, [" minLength"]],
    [{ type: "string", minLength: 2 }, EMOJI + EMOJI, []],
    [{ type: "string", maxLength: 1 }, EMOJI, []],
    [{ type: "string", maxLength: 1 }, `${EMOJI}x`, [" maxLength"]],
    [{ type: "string", maxLength: 1 }, "\ud83d", []],
    [{ type: "string", maxLength: 1 }, "\ude00\ud83d", [" maxLength"]],
    [{ type: "string", maxLength: 2 }, `\ud83d${EMOJI}`, []],
    [{ type: "string", maxLength: 1 }, "e\u0301", [" maxLength"]],
    [{ type: "string", minLength: 0, maxLength: 0 }, "", []],
  ])("count code points: %j of %j", async (schema, value, expected) => {
    expect(await places(schema, value)).toEqual(expected);
  });
});

describe("numbers", () => {
  it.each([
    [{ type: "number" }, INFINITE, [" type"]],
    [{ type: "number" }, -INFINITE, [" type"]],
    [{ type: "number" }, Number.NaN, [" type"]],
    [{ type: "integer" }, INFINITE, [" type"]],
    [{ type: ["number", "string"] }, INFINITE, [" type"]],
    [{ type: "integer" }, JSON.parse("1.0"), []],
    [{ type: "integer" }, JSON.parse("1e2"), []],
    [{ type: "integer" }, 1.5, [" type"]],
    [{ type: "integer", minimum: 0 }, -0, []],
    [{ type: "integer", maximum: 9007199254740991 }, 9007199254740992, [" maximum"]],
    [{ const: 0 }, -0, []],
    [{ type: "number", minimum: 0.5 }, 0.5, []],
    [{ type: "integer" }, true, [" type"]],
    [{ type: "integer" }, "1", [" type"]],
  ])("are finite, and whole where they must be: %j of %j", async (schema, value, expected) => {
    expect(await places(schema, value)).toEqual(expected);
  });
});

describe("constants and enums", () => {
  it.each([
    [{ const: { k: [1, null] } }, { k: [1, null] }, []],
    [{ const: { k: [1, null], j: 1 } }, { j: 1, k: [1, null] }, []],
    [{ const: { k: [1, null] } }, { k: [1] }, [" const"]],
    [{ const: { k: [1] } }, { k: { 0: 1 } }, [" const"]],
    [{ const: { k: 1 } }, { k: 1, j: 2 }, [" const"]],
    [{ const: null }, null, []],
    [{ const: null }, 0, [" const"]],
    [{ const: false }, 0, [" const"]],
    [{ enum: [1, "all", null] }, null, []],
    [{ enum: [1, "all", null] }, "1", [" enum"]],
    [{ enum: [1, "all", null] }, 1, []],
    [{ enum: [[1], { k: 2 }] }, [1], []],
    [{ enum: [[1], { k: 2 }] }, { k: 2 }, []],
    [{ enum: [[1], { k: 2 }] }, { k: 1 }, [" enum"]],
    [{ type: "string", enum: ["a", 1] }, 1, [" type"]],
  ])("compare as JSON: %j of %j", async (schema, value, expected) => {
    expect(await places(schema, value)).toEqual(expected);
  });
});

describe("openness", () => {
  const words = { type: "string", enum: ["queue", "steer"] };
  it.each([
    ["open", "queue", []],
    ["open", "paused", []],
    ["open", "Queue", []],
    ["open", 1, [" type"]],
    ["open", null, [" type"]],
    ["closed", "queue", []],
    ["closed", "paused", [" enum"]],
    ["closed", "Queue", [" enum"]],
    ["closed", 1, [" enum"]],
  ])("of an enum: %s of %j", async (openness, value, expected) => {
    expect(await places({ ...words, "x-msp-openness": openness }, value)).toEqual(expected);
  });
});

describe("lists of types, and no type", () => {
  it.each([
    [{ type: ["string", "null"], maxLength: 1 }, null, []],
    [{ type: ["string", "null"], maxLength: 1 }, "xy", [" maxLength"]],
    [{ type: ["string", "null"], maxLength: 1 }, 1, [" type"]],
    [{ type: ["integer", "array"], minimum: 2, minItems: 1 }, 1, [" minimum"]],
    [{ type: ["integer", "array"], minimum: 2, minItems: 1 }, [], [" minItems"]],
    [{ required: ["k"] }, 5, []],
    [{ required: ["k"] }, "x", []],
    [{ required: ["k"] }, null, []],
    [{ required: ["k"] }, [], []],
    [{ required: ["k"] }, {}, [" required"]],
    [{ required: ["k"] }, { k: null }, []],
    [{ minimum: 2 }, "x", []],
    [{ minimum: 2 }, 1, [" minimum"]],
    [{ items: { type: "string" } }, { 0: 1 }, []],
    [{ items: { type: "string" } }, ["x", 1], ["/1 type"]],
    [{ pattern: "^a" }, 5, []],
    [{ pattern: "^a" }, "b", [" pattern"]],
    [{}, undefined, []],
    [{}, { any: [1] }, []],
  ])("let each keyword speak of its own kind: %j of %j", async (schema, value, expected) => {
    expect(await places(schema, value)).toEqual(expected);
  });
});

describe("a reference", () => {
  const defs = { T: { type: "string", enum: ["a", "bc"] } };
  it.each([
    [{ z: "a" }, []],
    [{ z: "bc" }, ["/z maxLength"]],
    [{ z: "xy" }, ["/z enum", "/z maxLength"]],
    [{ z: 1 }, ["/z enum"]],
    [{ y: "bc", x: "bc" }, []],
    [{ y: "c" }, ["/y enum"]],
  ])("and what stands beside it both hold: %j", async (value, expected) => {
    const R = {
      type: "object",
      properties: {
        x: { $ref: "#/$defs/T" },
        y: { $ref: "#/$defs/T", description: "why" },
        z: { $ref: "#/$defs/T", maxLength: 1 },
      },
    };
    expect(await places(R, value, defs)).toEqual(expected);
  });
});

describe("members", () => {
  const both = {
    type: "object",
    properties: { a: { type: "string" }, free: {} },
    required: ["a"],
    additionalProperties: { type: "integer" },
  };
  it.each([
    [both, { a: "x", b: 1, free: "any" }, []],
    [both, { a: "x", b: "y", c: null }, ["/b type", "/c type"]],
    [both, { b: 1 }, [" required"]],
    [{ type: "object", additionalProperties: { type: "integer" } }, { a: 1, b: "x" }, ["/b type"]],
    [{ type: "object", additionalProperties: { type: "integer" } }, [], [" type"]],
    [{ type: "object", additionalProperties: {} }, { a: "any" }, []],
    [{ required: ["x"], additionalProperties: { type: "string" } }, { x: 1 }, ["/x type"]],
    [{ type: "object", properties: {}, required: ["x"] }, {}, [" required"]],
    [{ type: "object", properties: {}, required: ["x"] }, { x: null }, []],
    [{ dependentRequired: { w: ["h"], h: ["w"] } }, { w: 1 }, [" dependentRequired"]],
    [{ dependentRequired: { w: ["h"], h: ["w"] } }, { w: 1, h: 1 }, []],
    [{ dependentRequired: { w: ["h", "d"] } }, { w: 1 }, [" dependentRequired", " dependentRequired"]],
    [{ dependentRequired: { w: ["h"] } }, "w", []],
  ])("declared, required and of a map: %j of %j", async (schema, value, expected) => {
    expect(await places(schema, value)).toEqual(expected);
  });

  it("are checked alike in an object of many", async () => {
    const names = Array.from({ length: 40 }, (_, i) => `m${i}`);
    const schema = {
      type: "object",
      properties: Object.fromEntries(names.map((name, i) => [name, { type: "integer", minimum: i }])),
      required: ["m0"],
    };
    expect(await places(schema, { m0: 0, m39: 39, other: "x" })).toEqual([]);
    expect(await places(schema, { m0: 0, m39: 38, m1: "x" })).toEqual(["/m39 minimum", "/m1 type"]);
    expect(
      await places({ ...schema, additionalProperties: { type: "string" } }, { m0: 0, m1: 1, other: 2 }),
    ).toEqual(["/other type"]);
  });
});
