/** The canonical form of a bundle file. */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { formatBundle, type Json } from "../../../codegen/index.js";
import { DEPOT_SCHEMA, MSP_SCHEMA, WORKSPACE_SCHEMA } from "../../support/repo.js";

const format = (text: string): string => formatBundle(JSON.parse(text) as Json);

describe("the canonical form", () => {
  test.each([MSP_SCHEMA, DEPOT_SCHEMA, WORKSPACE_SCHEMA])(
    "is what the project's own bundles have",
    (path) => {
      expect(existsSync(path)).toBe(true);
      expect(format(readFileSync(path, "utf8"))).toBe(readFileSync(path, "utf8"));
    },
  );

  test("is the same from every order, and again from itself", () => {
    const text = readFileSync(DEPOT_SCHEMA, "utf8");
    const reversed = (value: Json): Json =>
      Array.isArray(value)
        ? value.map(reversed)
        : value !== null && typeof value === "object"
          ? Object.fromEntries(
              Object.keys(value)
                .toReversed()
                .map((key) => [key, reversed(value[key]!)]),
            )
          : value;
    const other = JSON.stringify(reversed(JSON.parse(text) as Json));
    expect(other.startsWith('{"reserved"')).toBe(true);
    expect(format(other)).toBe(text);
    expect(format(format(other))).toBe(text);
  });

  test("orders members by code point, not by UTF-16 unit, and writes them as themselves", () => {
    expect(format('{"\\ud83d\\ude00":1,"\\uff61":2,"z":3,"é":4,"Z":5}')).toBe(
      '{\n  "Z": 5,\n  "z": 3,\n  "é": 4,\n  "｡": 2,\n  "😀": 1\n}\n',
    );
  });

  test("sorts required and no other array", () => {
    const node =
      '{"type":["string","object"],"enum":["b","a"],"required":["b","a"],"anyOf":[{"title":"b"},{}]}';
    const sorted = JSON.parse(format(`{"$defs":{"A":${node}}}`)) as { $defs: { A: unknown } };
    expect(sorted.$defs.A).toEqual({ ...(JSON.parse(node) as object), required: ["a", "b"] });
  });

  test.each(["const", "default", "examples", "enum", "x-vendor"])("leaves data under %s as it is", (key) => {
    const data = [{ required: ["b", "a"], properties: { required: ["d", "c"] } }];
    const text = JSON.stringify({ $defs: { A: { [key]: data } } });
    expect(JSON.parse(format(text))).toEqual(JSON.parse(text));
  });

  test.each([
    ["a definition", { $defs: { required: { required: ["b", "a"] } } }],
    ["a member", { $defs: { A: { properties: { required: { required: ["b", "a"] } } } } }],
    ["a member named like data", { $defs: { A: { properties: { default: { required: ["b", "a"] } } } } }],
    ["a definition named like an annotation", { $defs: { "x-a": { required: ["b", "a"] } } }],
  ])("is not misled by %s named like a keyword", (_, bundle) => {
    expect(format(JSON.stringify(bundle)).replace(/\s/g, "")).toContain('"required":["a","b"]');
  });

  test("names that one member needs are not sorted as keywords", () => {
    const bundle = { $defs: { A: { dependentRequired: { required: ["b", "a"] } } } };
    expect(JSON.parse(format(JSON.stringify(bundle)))).toEqual(bundle);
  });

  test("keeps a member named __proto__", () => {
    expect(format('{"$defs":{"__proto__":{"__proto__":1}}}').replace(/\s/g, "")).toBe(
      '{"$defs":{"__proto__":{"__proto__":1}}}',
    );
  });
});
