import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/ledger/canonical.js";
import { reversed } from "../support/reversed.js";

describe("the canonical form", () => {
  it("is one for all orders of members, and means the same value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(reversed(value))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it("differs where the values do", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
        const same = JSON.stringify(reversed(reversed(a))) === JSON.stringify(reversed(reversed(b)));
        if (same) expect(canonicalJson(a)).toBe(canonicalJson(b));
        else if (canonicalJson(a) === canonicalJson(b)) expect(a).toEqual(b);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ["array order", [1, 2], [2, 1]],
    ["null and absent", { a: null }, {}],
    ["a number and its text", { a: 1 }, { a: "1" }],
    ["two forms of one letter", { a: "e\u0301" }, { a: "\u00e9" }],
    ["a member named __proto__", JSON.parse('{"b":1,"__proto__":{"x":1}}') as object, { b: 1 }],
    ["2^53 and the next that a double has", { n: 9007199254740992 }, { n: 9007199254740994 }],
  ])("tells apart %s", (_, a, b) => {
    expect(canonicalJson(a)).not.toBe(canonicalJson(b));
  });

  it.each([
    ["undefined and absent", { a: 1, b: undefined }, { a: 1 }],
    ["undefined and null in an array", [undefined], [null]],
    ["0 and -0", { n: -0 }, { n: 0 }],
    ["1 and 1.0", JSON.parse("[1.0,1e0]") as object, [1, 1]],
    ["a date and its text", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["an escaped and a plain letter", JSON.parse('"\\u0041"') as unknown, "A"],
  ])("is one for %s", (_, a, b) => {
    expect(canonicalJson(a)).toBe(canonicalJson(b));
  });
});
