/** Which values a union takes, with and without a rule by which they select an arm. */
import { describe, expect, it } from "vitest";
import { bundleOf, findingsOf, type Validate } from "../../../support/compile.js";
import { definitionsOf } from "./definitions.js";

const OFF = { "overlapping-union": "off", "open-union-without-catch-all": "off" } as const;

async function places(schema: object, value: unknown, defs: object = {}): Promise<string[]> {
  const { S } = await definitionsOf({ S: schema, ...defs }, OFF);
  return ((S as Validate)(value, { all: true }) ?? []).map((v) => `${v.instanceLocation} ${v.keyword}`);
}

describe("a union beside members", () => {
  const C = {
    type: "object",
    properties: { k: { type: "string" } },
    oneOf: [{ required: ["k"] }, { required: ["j"] }],
  };
  it.each([
    [{ k: "x" }, []],
    [{ j: 1 }, []],
    [{ k: "x", j: 1 }, [" oneOf"]],
    [{}, [" oneOf"]],
    [{ k: 1 }, ["/k type"]],
    [{ k: 1, j: 1 }, ["/k type", " oneOf"]],
    [5, [" type"]],
  ])("keeps both facts: %j", async (value, expected) => {
    expect(await places(C, value)).toEqual(expected);
  });

  it("is a finding where it is not excused", () => {
    const rules = findingsOf(bundleOf({ C })).map(({ rule, instanceLocation }) => [rule, instanceLocation]);
    expect(rules).toContainEqual(["overlapping-union", "/$defs/C/oneOf"]);
  });
});

describe("a union whose arms overlap", () => {
  const number = { type: "number" };
  const ten = { type: "integer", minimum: 10 };
  it.each([
    [{ anyOf: [number, ten] }, 12, []],
    [{ anyOf: [number, ten] }, 1.5, []],
    [{ anyOf: [number, ten] }, "x", [" anyOf"]],
    [{ oneOf: [number, ten] }, 12, [" oneOf"]],
    [{ oneOf: [number, ten] }, 9, []],
    [{ oneOf: [number, ten] }, "x", [" oneOf"]],
    [{ oneOf: [{ minLength: 2 }, { maxLength: 3 }, { type: "integer" }] }, "abcd", []],
    [{ oneOf: [{ minLength: 2 }, { maxLength: 3 }, { type: "integer" }] }, "abc", [" oneOf"]],
    [{ oneOf: [{ minLength: 2 }, { maxLength: 3 }, { type: "integer" }] }, 1, [" oneOf"]],
    [{ oneOf: [{ type: "string" }, { minLength: 2 }], "x-msp-openness": "open" }, "abc", []],
    [{ oneOf: [{ type: "string" }, { minLength: 2 }], "x-msp-openness": "open" }, "a", []],
  ])("asks each arm: %j of %j", async (schema, value, expected) => {
    expect(await places(schema, value)).toEqual(expected);
  });

  it("may contain itself", async () => {
    const S = {
      anyOf: [
        { type: "object", properties: { next: { $ref: "#/$defs/S" } }, required: ["a"] },
        { type: "object", properties: { next: { $ref: "#/$defs/S" } }, required: ["b"] },
      ],
    };
    expect(await places(S, { a: 1, next: { b: 1, next: { a: 1 } } })).toEqual([]);
    expect(await places(S, { a: 1, next: { b: 1, next: {} } })).toEqual([" anyOf"]);
  });
});

describe("a union of values", () => {
  const words = { W: { enum: ["a", "b"] } };
  it.each([
    [{ anyOf: [{ $ref: "#/$defs/W" }, { const: "c" }, { enum: [1] }] }, "b", []],
    [{ anyOf: [{ $ref: "#/$defs/W" }, { const: "c" }, { enum: [1] }] }, "c", []],
    [{ anyOf: [{ $ref: "#/$defs/W" }, { const: "c" }, { enum: [1] }] }, 1, []],
    [{ anyOf: [{ $ref: "#/$defs/W" }, { const: "c" }, { enum: [1] }] }, "d", [" anyOf"]],
    [{ anyOf: [{ $ref: "#/$defs/W" }, { const: "c" }, { enum: [1] }] }, null, [" type"]],
    [{ anyOf: [{ const: [1] }, { const: [2] }] }, [2], []],
    [{ anyOf: [{ const: [1] }, { const: [2] }] }, [3], [" anyOf"]],
    [{ anyOf: [{ enum: ["abc", "d"], minLength: 2 }, { const: "e" }] }, "abc", []],
    [{ anyOf: [{ enum: ["abc", "d"], minLength: 2 }, { const: "e" }] }, "d", [" anyOf"]],
  ])("takes what its arms list, and what they say of it: %j of %j", async (schema, value, expected) => {
    expect(await places(schema, value, words)).toEqual(expected);
  });
});

describe("a union that no value of the type beside it can meet", () => {
  it("refuses", async () => {
    const schema = { type: "object", anyOf: [{ type: "string" }, { type: "null" }] };
    expect(await places(schema, {})).toEqual([" type"]);
    expect(await places(schema, "x")).toEqual([" type"]);
  });
});

describe("a union of one arm", () => {
  it("is that arm", async () => {
    expect(await places({ anyOf: [{ required: ["k"] }] }, {})).toEqual([" required"]);
    expect(await places({ oneOf: [{ required: ["k"] }] }, 1)).toEqual([]);
  });
});

describe("tagged objects", () => {
  const U = {
    oneOf: [
      {
        type: "object",
        properties: { k: { const: "a" }, v: { type: "string" } },
        required: ["k", "v"],
      },
      {
        type: "object",
        properties: { k: { const: "b" }, n: { type: "integer" } },
        required: ["k", "n"],
      },
    ],
  };
  it.each([
    [{ k: "a", v: "x" }, []],
    [{ k: "b", n: 1 }, []],
    [{ k: "a", n: 1 }, [" required"]],
    [{ k: "b", v: "x", n: "1" }, ["/n type"]],
    [{ k: "c" }, ["/k oneOf"]],
    [{ v: "x" }, [" required"]],
    [["a"], [" type"]],
  ])("are refused for the reason of their own arm: %j", async (value, expected) => {
    expect(await places(U, value)).toEqual(expected);
  });
});
