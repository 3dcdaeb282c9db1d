import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digest } from "../../src/client/digest.js";
import { reversed } from "../support/reversed.js";

/** One text for all orders of members. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical((value as Record<string, unknown>)[name])}`).join()}}`;
}

describe("the digest of a value", () => {
  it("is one for all orders of members, and for the value after a trip over the wire", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(digest(reversed(value))).toBe(digest(value));
        expect(digest(JSON.parse(JSON.stringify(value)))).toBe(digest(value));
        expect(digest(value)).toHaveLength(4);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is another for another value", () => {
    const values = new Map<string, string>();
    const note = (value: unknown): void => {
      const text = canonical(JSON.parse(JSON.stringify(value)));
      const known = values.get(digest(value));
      if (known !== undefined) expect(known).toBe(text);
      values.set(digest(value), text);
    };
    for (let i = 0; i < 30_000; i++) {
      note({ n: i });
      note({ n: String(i) });
      note({ [`k${i}`]: 1 });
      note([i, { a: [i % 7, i], b: "x".repeat(i % 50) }]);
    }
    fc.assert(
      fc.property(fc.jsonValue(), (value) => note(value)),
      { numRuns: 5_000 },
    );
    expect(values.size).toBeGreaterThan(120_000);
  });

  it.each([
    ["array order", [1, 2], [2, 1]],
    ["nesting", [[1], 2], [1, [2]]],
    ["where one text ends", ["ab", "c"], ["a", "bc"]],
    ["which member has the value", { a: 1, b: 2 }, { a: 2, b: 1 }],
    ["a member twice and a member less", { a: { b: 1 }, c: 1 }, { a: { c: 1 }, b: 1 }],
    ["null and absent", { a: null }, {}],
    ["an empty array and an empty object", [], {}],
    ["a number and its text", 1, "1"],
    ["true and its text", true, "true"],
    ["two forms of one letter", "e\u0301", "\u00e9"],
    ["a member named __proto__", JSON.parse('{"b":1,"__proto__":{"x":1}}') as object, { b: 1 }],
    ["2^53 and the next that a double has", 9007199254740992, 9007199254740994],
    ["a lone surrogate and another", "\ud800", "\ud801"],
  ])("tells apart %s", (_, a, b) => {
    expect(digest(a)).not.toBe(digest(b));
  });

  it.each([
    ["undefined and absent", { a: 1, b: undefined }, { a: 1 }],
    ["undefined and null in an array", [undefined], [null]],
    ["0 and -0", -0, 0],
    ["1 and 1.0", JSON.parse("[1.0,1e0]") as unknown, [1, 1]],
    ["a date and its text", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
  ])("is one for %s", (_, a, b) => {
    expect(digest(a)).toBe(digest(b));
  });
});
