/** What the dialect lacks is told with its place; what it has is not confused with names that look like it. */
import { describe, expect, test } from "vitest";
import { bundleOf, findingsOf, planOf, textOf } from "../../support/compile.js";

/** `SEVERITY RULE POINTER` of each finding that is not about missing prose or use. */
function told(text: string): string[] {
  return findingsOf(text)
    .filter(
      ({ rule }) => !["missing-description", "unused-definition", "integer-without-range"].includes(rule),
    )
    .map(({ severity, rule, instanceLocation }) => `${severity} ${rule} ${instanceLocation}`);
}

const hintOf = (text: string): unknown =>
  findingsOf(text).find(({ severity }) => severity === "error")?.params["hint"];

describe("keywords of JSON Schema that the dialect lacks", () => {
  test.each([
    ["format", { type: "string", format: "date-time" }, "error unknown-keyword /$defs/T/format"],
    ["uniqueItems", { type: "array", uniqueItems: true }, "error unknown-keyword /$defs/T/uniqueItems"],
    ["allOf", { allOf: [{}] }, "error unknown-keyword /$defs/T/allOf"],
    ["not", { not: {} }, "error unknown-keyword /$defs/T/not"],
    [
      "unevaluatedProperties",
      { unevaluatedProperties: {} },
      "error unknown-keyword /$defs/T/unevaluatedProperties",
    ],
    ["a closed object", { additionalProperties: false }, "error invalid-value /$defs/T/additionalProperties"],
    ["a boolean schema", true, "error invalid-value /$defs/T"],
    ["a boolean schema inside", { properties: { a: false } }, "error invalid-value /$defs/T/properties/a"],
    ["a boolean schema in a union", { anyOf: [true, {}] }, "error invalid-value /$defs/T/anyOf/0"],
  ])("%s is refused where it stands", (_, node, expected) => {
    expect(told(bundleOf({ T: node }))).toEqual([expected]);
  });

  test("a tuple is refused at both of its halves", () => {
    const tuple = { type: "array", prefixItems: [{ type: "string" }], items: false };
    expect(told(bundleOf({ T: tuple }))).toEqual([
      "error unknown-keyword /$defs/T/prefixItems",
      "error invalid-value /$defs/T/items",
    ]);
  });
});

describe("annotations", () => {
  const defs = {
    E: { type: "string", enum: ["a"], "x-msp-openness": "open", "x-vendor-note": "hi" },
    F: { type: "string", minLenght: 3 },
    G: { enum: ["a"], "x-msp-opennes": "closed" },
  };

  test("marks are understood, other tools' are listed, slips are refused", () => {
    expect(told(bundleOf({ E: defs.E }))).toEqual(["note foreign-annotation /$defs/E/x-vendor-note"]);
    expect(told(bundleOf({ F: defs.F }))).toEqual(["error unknown-keyword /$defs/F/minLenght"]);
    expect(told(bundleOf({ G: defs.G }))[0]).toBe("error unknown-mark /$defs/G/x-msp-opennes");
  });

  test("a slip is answered with what was meant", () => {
    expect(hintOf(bundleOf({ F: defs.F }))).toContain('"minLength"');
    expect(hintOf(bundleOf({ G: defs.G }))).toContain('"x-msp-openness"');
    expect(hintOf(bundleOf({ A: { type: "strnig" } }))).toContain('"string"');
    expect(hintOf(bundleOf({ Aa: {}, B: { $ref: "#/$defs/aA" } }))).toContain('"Aa"');
    expect(hintOf(bundleOf({}, { mehtods: {} }))).toContain('"methods"');
    expect(hintOf(bundleOf({ F: { somethingElse: 1 } }))).toBe("");
  });
});

describe("the dialect's name", () => {
  const bundle = ($schema?: string): string =>
    JSON.stringify({ ...($schema && { $schema }), $defs: {} }, null, 2);
  test.each([
    ["draft-07", "http://json-schema.org/draft-07/schema#", ["error unknown-dialect /$schema"]],
    ["2019-09", "https://json-schema.org/draft/2019-09/schema", ["error unknown-dialect /$schema"]],
    ["none", undefined, ["warning unstated-dialect "]],
    [
      "2020-12 with a #",
      "https://json-schema.org/draft/2020-12/schema#",
      ["warning unstated-dialect /$schema"],
    ],
    ["2020-12", "https://json-schema.org/draft/2020-12/schema", []],
  ])("%s", (_, name, expected) => {
    expect(told(bundle(name))).toEqual(expected);
  });
});

describe("names and references", () => {
  test("a member named like a keyword is a member, and no finding", async () => {
    const K = {
      type: "object",
      properties: {
        items: { type: "array", items: { type: "string" } },
        anyOf: { type: "array", items: { type: "string" } },
        $ref: { type: "string" },
        enum: { type: "boolean" },
        deprecated: { type: "string" },
        "x-msp-openness": { type: "string" },
      },
      required: ["items", "$ref"],
    };
    expect(told(bundleOf({ K }))).toEqual([]);
    const types = await textOf(planOf(bundleOf({ K })), "types");
    for (const line of ["items: string[];", "$ref: string;", "enum?: boolean;", '"x-msp-openness"?: string;'])
      expect(types).toContain(line);
  });

  test("a description beside a reference makes no second type and is no finding", async () => {
    const defs = {
      T: { type: "string", enum: ["a", "b"], "x-msp-openness": "closed" },
      R: {
        type: "object",
        properties: {
          x: { $ref: "#/$defs/T" },
          y: { $ref: "#/$defs/T", description: "why" },
          z: { $ref: "#/$defs/T", maxLength: 1 },
        },
      },
    };
    expect(told(bundleOf(defs))).toEqual([]);
    const types = await textOf(planOf(bundleOf(defs)), "types");
    expect([...types.matchAll(/export type (\w+) = "a"/g)].map((m) => m[1])).toEqual(["T"]);
    for (const member of ["x", "y", "z"]) expect(types).toContain(`  ${member}?: T;`);
  });

  test("an unknown type is refused, never loosened", () => {
    expect(told(bundleOf({ A: { type: "strnig" } }))).toEqual(["error unknown-type /$defs/A/type"]);
  });
});
