import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/ledger/canonical.js";
import { firstDifference } from "../../src/ledger/difference.js";
import { reversed } from "../support/reversed.js";

function parsed(text: string): unknown {
  return JSON.parse(text) as unknown;
}

/** What a pointer leads to; undefined where there is nothing. */
function at(value: unknown, pointer: string): unknown {
  let found = value;
  for (const token of pointer.split("/").slice(1)) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

describe("the first difference of two payloads", () => {
  it.each<[string, string, string | undefined]>([
    ["{}", "{}", undefined],
    ['{"a":1,"b":[2]}', '{"b":[2],"a":1.0}', undefined],
    ["[-0]", "[0]", undefined],
    ['{"b":1,"a":1}', '{"b":2,"a":2}', "/a"],
    ['{"a":{"c":1}}', '{"a":{"b":0,"c":1}}', "/a/b"],
    ['{"a":{"c":1}}', '{"a":{}}', "/a/c"],
    ['{"a":[1,2]}', '{"a":[1,2,3]}', "/a/2"],
    ['{"a":[1,2]}', '{"a":[]}', "/a/0"],
    ['{"a":[1,{"x":1}]}', '{"a":[1,{"x":"1"}]}', "/a/1/x"],
    ['{"a":null}', "{}", "/a"],
    ['{"a":[]}', '{"a":{}}', "/a"],
    ['{"a/b~c":1}', '{"a/b~c":2}', "/a~1b~0c"],
    ['{"":1}', '{"":2}', "/"],
    ['{"10":1,"9":1}', '{"10":2,"9":2}', "/10"],
    ['{"b":1,"__proto__":{"x":1}}', '{"b":1}', "/__proto__"],
    ['{"__proto__":{"x":1}}', '{"__proto__":{"x":2}}', "/__proto__/x"],
    ['{"toString":1}', "{}", "/toString"],
    ['"e\u0301"', '"\u00e9"', ""],
    ["[]", "{}", ""],
    ["null", "{}", ""],
    ["1", '"1"', ""],
  ])("of %s and %s is at %s", (a, b, pointer) => {
    expect(firstDifference(parsed(a), parsed(b))).toBe(pointer);
    expect(firstDifference(parsed(b), parsed(a))).toBe(pointer);
  });

  it("is nowhere exactly where the canonical forms are one, and else at a place where the two differ", () => {
    let differ = 0;
    const value = fc.jsonValue({ maxDepth: 3 });
    const pairs = fc.oneof(
      fc.tuple(value, value),
      value.map((one): [unknown, unknown] => [one, reversed(one)]),
      fc.tuple(fc.array(value), value).map(([list, more]): [unknown, unknown] => [list, [...list, more]]),
    );
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const pointer = firstDifference(a, b);
        expect(pointer === undefined).toBe(canonicalJson(a) === canonicalJson(b));
        if (pointer === undefined) return;
        differ++;
        const [x, y] = [at(a, pointer), at(b, pointer)];
        expect(
          x === undefined ? y !== undefined : y === undefined || canonicalJson(x) !== canonicalJson(y),
        ).toBe(true);
      }),
      { numRuns: 2_000, seed: 3 },
    );
    expect(differ).toBeGreaterThan(800);
  });

  it("counts an undefined member as absent", () => {
    expect(firstDifference({ a: undefined }, {})).toBeUndefined();
    expect(firstDifference({ a: undefined }, { a: 1 })).toBe("/a");
  });
});
