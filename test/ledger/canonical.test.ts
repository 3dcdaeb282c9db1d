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
    ["members in two orders", { a: { d: 1, c: 2 }, b: 3 }, { b: 3, a: { c: 2, d: 1 } }],
    ["an escaped and a plain letter", JSON.parse('"\\u0041"') as unknown, "A"],
  ])("is one for %s", (_, a, b) => {
    expect(canonicalJson(a)).toBe(canonicalJson(b));
  });

  it.each<[string, unknown, string]>([
    [
      "names by UTF-16 unit",
      { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 },
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    ],
    ["names that an object has in the order of numbers", { 9: 1, 10: 2, a: 3 }, '{"10":2,"9":1,"a":3}'],
    ["such names within what is in order", { a: [{ 9: 1, 10: 2 }] }, '{"a":[{"10":2,"9":1}]}'],
    [
      "the shortest texts of numbers",
      JSON.parse("[1E21,0.0000001,333333333.33333329,4.50,2e-3,1e23]"),
      "[1e+21,1e-7,333333333.3333333,4.5,0.002,1e+23]",
    ],
    [
      "escapes",
      '\u0000\b\t\n\f\r"\\/\u001f\u007f\u2028',
      '"\\u0000\\b\\t\\n\\f\\r\\"\\\\/\\u001f\u007f\u2028"',
    ],
    ["a function", { a: () => 1 }, '{"a":null}'],
    ["a symbol", { a: Symbol("a") }, '{"a":null}'],
    ["a member that is undefined, out of order", { b: 1, a: undefined }, '{"b":1}'],
    ["what says itself how it is written, and not in order", new Reversed(), '{"a":2,"b":1}'],
    ["such a value as a member", { at: new Reversed() }, '{"at":{"a":2,"b":1}}'],
    ["no value", undefined, "null"],
  ])("writes %s", (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it("is the same text whether the members were in order before or not", () => {
    let sorted = 0;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = canonicalJson(value);
        expect(text).toBe(plainly(value));
        if (JSON.stringify(value) === text) sorted++;
      }),
      { numRuns: 2_000, seed: 11 },
    );
    expect(sorted).toBeGreaterThan(500);
    expect(sorted).toBeLessThan(2_000);
  });
});

/** Is written with its members out of order. */
class Reversed {
  toJSON(): object {
    return { b: 1, a: 2 };
  }
}

/** The canonical form as its definition has it. */
function plainly(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(plainly).join(",")}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${plainly(member)}`).join(",")}}`;
}
