/** Only what a value owns counts, whatever its members are called. */
import { describe, expect, it } from "vitest";
import type { Validate } from "../../../support/compile.js";
import { definitionsOf } from "./definitions.js";

const validators = await definitionsOf({
  P: { type: "object", properties: { constructor: { type: "string" } }, required: ["toString"] },
  Proto: {
    type: "object",
    properties: JSON.parse('{"__proto__":{"type":"integer"},"a":{"type":"string"}}') as object,
    required: ["__proto__"],
  },
  OptionalProto: { type: "object", properties: JSON.parse('{"__proto__":{"type":"integer"}}') as object },
  Depends: { dependentRequired: { toString: ["valueOf"] } },
  Map: { type: "object", additionalProperties: { type: "integer" } },
  Const: { const: JSON.parse('{"__proto__":{"a":1}}') as object },
  Tag: {
    oneOf: [
      { type: "object", properties: { constructor: { const: "a" } }, required: ["constructor"] },
      { type: "object", properties: { constructor: { const: "b" } }, required: ["constructor"] },
    ],
  },
  Name: { enum: ["toString", "__proto__"] },
  Plain: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
  constructor: { type: "string" },
});
const ask = (name: string, text: string): string[] =>
  ((validators[name] as Validate)(JSON.parse(text), { all: true }) ?? []).map(
    ({ instanceLocation, keyword }) => `${instanceLocation} ${keyword}`,
  );

describe("names that every object has", () => {
  it.each([
    ["P", "{}", [" required"]],
    ["P", '{"toString":"x"}', []],
    ["P", '{"toString":"x","constructor":"y"}', []],
    ["P", '{"toString":"x","constructor":1}', ["/constructor type"]],
    ["P", '{"__proto__":{"toString":"x"}}', [" required"]],
    ["P", '{"toString":null,"__proto__":{"constructor":1}}', []],
    ["Depends", "{}", []],
    ["Depends", '{"toString":1}', [" dependentRequired"]],
    ["Depends", '{"toString":1,"valueOf":1}', []],
    ["Map", '{"toString":1,"__proto__":2}', []],
    ["Map", '{"__proto__":"x"}', ["/__proto__ type"]],
    ["Tag", "{}", [" required"]],
    ["Tag", '{"constructor":"a"}', []],
    ["Tag", '{"constructor":"c"}', ["/constructor oneOf"]],
    ["Name", '"__proto__"', []],
    ["Name", '"valueOf"', [" enum"]],
  ] as const)("%s of %s", (name, text, expected) => {
    expect(ask(name, text)).toEqual(expected);
  });
});

describe("__proto__", () => {
  it.each([
    ["Proto", "{}", [" required"]],
    ["Proto", '{"__proto__":1}', []],
    ["Proto", '{"__proto__":1,"a":2}', ["/a type"]],
    ["Proto", '{"__proto__":"x"}', ["/__proto__ type"]],
    ["OptionalProto", "{}", []],
    ["OptionalProto", '{"__proto__":{}}', ["/__proto__ type"]],
    ["Const", '{"__proto__":{"a":1}}', []],
    ["Const", '{"__proto__":{"a":2}}', [" const"]],
    ["Const", "{}", [" const"]],
    ["Plain", '{"__proto__":{"a":"x"}}', [" required"]],
  ] as const)("as a member is one like any other: %s of %s", (name, text, expected) => {
    expect(ask(name, text)).toEqual(expected);
  });

  it("is neither lost nor taken for a prototype", () => {
    const value = JSON.parse('{"toString":"x","__proto__":{"polluted":true}}') as Record<string, unknown>;
    expect((validators["P"] as Validate)(value)).toBeNull();
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"toString":"x","__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("and constructor name definitions like any other word", async () => {
    const named = await definitionsOf(
      JSON.parse('{"__proto__":{"type":"string"},"constructor":{"$ref":"#/$defs/__proto__"}}'),
    );
    expect(Object.keys(named)).toEqual(["__proto__", "constructor"]);
    const proto = Object.getOwnPropertyDescriptor(named, "__proto__")?.value as Validate;
    expect(proto("x")).toBeNull();
    expect(proto(1)).toHaveLength(1);
    expect((named["constructor"] as Validate)(1)).toHaveLength(1);
  });
});

describe("a member that is undefined", () => {
  it("counts as absent", async () => {
    const { S, M, C, D } = await definitionsOf({
      S: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a"] },
      M: { type: "object", additionalProperties: { type: "string" } },
      C: { const: { a: 1 } },
      D: { dependentRequired: { a: ["b"] } },
    });
    expect(S?.({ a: "x", b: undefined })).toBeNull();
    expect(S?.({ a: undefined })?.map(({ keyword }) => keyword)).toEqual(["required"]);
    expect(M?.({ a: undefined })).toBeNull();
    expect(C?.({ a: 1, b: undefined })).toBeNull();
    expect(C?.({ a: undefined })).toHaveLength(1);
    expect(D?.({ a: undefined })).toBeNull();
    expect(D?.({ a: 1, b: undefined })).toHaveLength(1);
  });
});
