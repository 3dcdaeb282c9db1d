import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/ledger/canonical.js";
import {
  checkPayload,
  decodePayload,
  type Frozen,
  type FrozenObject,
  type PayloadShapes,
  signatureOf,
} from "../../src/ledger/signature.js";
import { reversed } from "../support/reversed.js";

/** A protocol that is nobody's: what an entry of the table can say, each once. */
const SHAPES: PayloadShapes = {
  Order: {
    members: {
      id: {},
      note: { null: true },
      copies: { default: 1 },
      parts: { items: { ref: "Part" } },
      labels: { values: {} },
      byName: { values: { ref: "Part" } },
      mixed: { members: { kind: {} }, values: {} },
      inline: { members: { kind: {} } },
      free: {},
      "10": {},
      "9": {},
      __proto__: {},
    },
  },
  Part: { members: { name: {}, inner: { ref: "Part", null: true } } },
};
// As the literal above is written, `__proto__` is no member of its own.
Object.defineProperty(SHAPES["Order"]!.members, "__proto__", { value: {}, enumerable: true });

/** By a table of its own each time: what was worked out for one test is not lent to the next. */
function decode(params: unknown, options = {}): FrozenObject {
  return decodePayload({ ...SHAPES }, "Order", params as object, options);
}

function parsed(text: string): unknown {
  return JSON.parse(text) as unknown;
}

describe("a payload", () => {
  it("has the known members at every level, and no others", () => {
    const params = {
      id: "a",
      later: 1,
      parts: [{ name: "x", later: 1, inner: { name: "y", later: 1, inner: { later: 1 } } }],
    };
    expect(decode(params)).toEqual({ id: "a", parts: [{ name: "x", inner: { name: "y", inner: {} } }] });
    expect(decode({ inline: { kind: 1, later: 1 } })).toEqual({ inline: { kind: 1 } });
  });

  it("has every entry of a map, and the known members of each", () => {
    const params = {
      labels: { a: 1, b: { c: 2 } },
      byName: { p: { name: "x", later: 1 } },
      mixed: { kind: 1, more: 2 },
    };
    expect(decode(params)).toEqual({
      labels: { a: 1, b: { c: 2 } },
      byName: { p: { name: "x" } },
      mixed: { kind: 1, more: 2 },
    });
  });

  it("has a free-form value as a whole", () => {
    const free = parsed('{"a":[null,{"later":1,"__proto__":{"x":[1]}}],"b":null}');
    expect(canonicalJson(decode({ free })["free"])).toBe(canonicalJson(free));
  });

  it("has words as they are, and what is no list as a whole where a list is known", () => {
    expect(decode({ id: true, parts: [false, null, "x", 1] })).toEqual({
      id: true,
      parts: [false, null, "x", 1],
    });
    expect(decode({ parts: { later: true } })).toEqual({ parts: { later: true } });
  });

  it("has its members in canonical order, at every level", () => {
    const payload = decode(
      parsed('{"note":"n","free":{"b":1,"a":{"d":1,"c":1}},"labels":{"y":1,"x":1},"id":1}'),
    );
    expect(JSON.stringify(payload)).toBe(
      '{"free":{"a":{"c":1,"d":1},"b":1},"id":1,"labels":{"x":1,"y":1},"note":"n"}',
    );
  });

  it("is the same by a table that was used before", () => {
    const params = { id: "a", note: null, copies: 1, mixed: { kind: 1, more: 2 }, parts: [{ later: 1 }] };
    for (let i = 0; i < 3; i++) expect(decodePayload(SHAPES, "Order", params)).toEqual(decode(params));
    expect(decodePayload(SHAPES, "Part", { name: "x", id: 1 })).toEqual({ name: "x" });
  });

  it("drops null where it stands for absence, and keeps it elsewhere", () => {
    expect(decode({ id: null, note: null, parts: [null, { inner: null }], labels: { a: null } })).toEqual({
      id: null,
      parts: [null, {}],
      labels: { a: null },
    });
  });

  it("drops what has the value of a default", () => {
    expect(decode({ copies: 1 })).toEqual({});
    expect(decode({ copies: 2 })).toEqual({ copies: 2 });
    expect(decode({ copies: "1" })).toEqual({ copies: "1" });
  });

  it("counts undefined as absent, in a list as null, and only what an object owns", () => {
    expect(decode({ id: undefined, parts: [undefined] })).toEqual({ parts: [null] });
    expect(Object.keys(decode({ id: undefined }))).toEqual([]);
    expect(Object.keys(decode({ labels: { a: undefined, b: 1 } })["labels"]!)).toEqual(["b"]);
    expect(decode(Object.create({ id: "inherited" }) as object)).toEqual({});
    expect(decodePayload({ C: { members: { constructor: {} } } }, "C", {})).toEqual({});
  });

  it("takes what says itself how it is written at its word", () => {
    expect(decode({ free: { at: new Date(0) } })).toEqual({ free: { at: "1970-01-01T00:00:00.000Z" } });
  });

  it("keeps a member named __proto__ as one, wherever it stands, and sets no prototype", () => {
    const payload = decode(
      parsed('{"__proto__":{"x":1},"labels":{"__proto__":"l"},"free":{"__proto__":null}}'),
    );
    expect(Object.getPrototypeOf(payload)).toBe(Object.prototype);
    expect(JSON.stringify(payload)).toBe(
      '{"__proto__":{"x":1},"free":{"__proto__":null},"labels":{"__proto__":"l"}}',
    );
    expect(decode({})).toEqual({});
    expect(Object.keys(decode({}))).toEqual([]);
  });

  it("leaves out what it is told to, at the top alone", () => {
    expect(decode({ id: "a", free: { id: "b" } }, { leaveOut: ["id"] })).toEqual({ free: { id: "b" } });
    expect(decode({ mixed: { kind: 1 } }, { leaveOut: ["kind"] })).toEqual({ mixed: { kind: 1 } });
    const map = (params: object) =>
      decodePayload({ Map: { values: {} } }, "Map", params, { leaveOut: ["id"] });
    expect(Object.keys(map({ id: 1, other: 2 }))).toEqual(["other"]);
    expect(map({ other: { id: 1 } })).toEqual({ other: { id: 1 } });
  });

  it("changes the scalars of known members alone", () => {
    const seen: string[] = [];
    const scalar = (value: Frozen, name: string): Frozen => {
      seen.push(name);
      return typeof value === "string" ? value.toUpperCase() : value;
    };
    const params = {
      id: "a",
      parts: [{ name: "b" }],
      labels: { id: "c" },
      byName: { id: { name: "d" }, name: "plain" },
      mixed: { kind: "e", id: "f" },
      free: { id: "g", parts: ["h"] },
    };
    expect(decode(params, { scalar })).toEqual({
      id: "A",
      parts: [{ name: "B" }],
      labels: { id: "c" },
      byName: { id: { name: "D" }, name: "plain" },
      mixed: { kind: "E", id: "f" },
      free: { id: "g", parts: ["h"] },
    });
    expect(seen.sort()).toEqual(["id", "kind", "name", "name"]);
  });

  it("is frozen, and shares nothing with the params", () => {
    const params = { id: "a", parts: [{ name: "x" }], free: { list: [{}] } };
    const payload = decode(params) as unknown as typeof params;
    params.parts[0]!.name = "y";
    params.free.list.push({});
    expect(payload).toEqual({ id: "a", parts: [{ name: "x" }], free: { list: [{}] } });
    for (const part of [payload, payload.parts, payload.parts[0]!, payload.free, payload.free.list])
      expect(Object.isFrozen(part)).toBe(true);
  });

  it("has -0 as 0", () => {
    expect(Object.is(decode({ id: -0 })["id"], 0)).toBe(true);
  });

  it("needs a table that has its definition", () => {
    expect(() => decodePayload(SHAPES, "Nobody", {})).toThrow(RangeError);
    expect(() => decodePayload(SHAPES, "Nobody", {})).toThrow(/Nobody/);
    expect(() => decodePayload(SHAPES, "toString", {})).toThrow(RangeError);
  });

  it("follows the references of a table of 20,000 definitions that end in the first", () => {
    const ring: Record<string, { members: Record<string, { ref: string }> }> = {};
    for (let i = 0; i < 20_000; i++) ring[`D${i}`] = { members: { next: { ref: `D${(i + 1) % 20_000}` } } };
    expect(decodePayload(ring, "D0", { next: { next: { later: 1 } } })).toEqual({ next: { next: {} } });
  });
});

describe("the check of a payload", () => {
  it.each<[string, string, unknown]>([
    ["2^53-1", "[9007199254740991,-9007199254740991]", undefined],
    ["2^53", "[9007199254740992]", { pointer: "/0", fault: "unsafeInteger" }],
    ["2^53+1, which becomes 2^53", '{"n":9007199254740993}', { pointer: "/n", fault: "unsafeInteger" }],
    ["-2^53", '{"n":{"m":[-9007199254740992]}}', { pointer: "/n/m/0", fault: "unsafeInteger" }],
    ["an integer with an exponent", "1e300", { pointer: "", fault: "unsafeInteger" }],
    ["a number that is too large", '{"a/b~":1e400}', { pointer: "/a~1b~0", fault: "notFinite" }],
    ["fractions", "[0.1,1e-300,4503599627370495.5]", undefined],
    ["a pair", '"\\ud83d\\ude00"', undefined],
    ["half a pair", '["a","\\ud83d"]', { pointer: "/1", fault: "loneSurrogate" }],
    ["the other half", '["\\ude00\\ud83d"]', { pointer: "/0", fault: "loneSurrogate" }],
    ["half a pair in a name", '{"a":{"\\ud83d":1}}', { pointer: "/a", fault: "loneSurrogate" }],
    ["a backslash that looks like an escape", '"\\\\ud800"', undefined],
    ["the first of two", '{"a":1e300,"b":"\\ud800"}', { pointer: "/a", fault: "unsafeInteger" }],
    ["words", "[null,true,false]", undefined],
  ])("of %s", (_, text, found) => {
    expect(checkPayload(parsed(text) as Frozen)).toEqual(found);
  });

  it("finds exactly the values that do not come back from UTF-8 or as one number", () => {
    const counts = { fine: 0, refused: 0 };
    const leaf = fc.oneof(
      fc.string({ unit: fc.constantFrom("a", "\ud800", "\udc00", "\u{1F600}", "\u00e9") }),
      fc.double(),
      fc.maxSafeInteger(),
    );
    const value = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("tree")), fc.dictionary(fc.string(), tie("tree"))),
    })).tree;
    fc.assert(
      fc.property(value, (made) => {
        const leaves: unknown[] = [];
        JSON.stringify(made, (name, inner: unknown) => {
          leaves.push(name, inner);
          return inner;
        });
        const odd = leaves.some((one) =>
          typeof one === "string"
            ? Buffer.from(one, "utf8").toString("utf8") !== one
            : typeof one === "number" &&
              (!Number.isFinite(one) || (one % 1 === 0 && Math.abs(one) > 2 ** 53 - 1)),
        );
        counts[odd ? "refused" : "fine"]++;
        expect(checkPayload(made as Frozen) !== undefined).toBe(odd);
      }),
      { numRuns: 3_000, seed: 5 },
    );
    expect(counts.fine).toBeGreaterThan(300);
    expect(counts.refused).toBeGreaterThan(300);
  });
});

describe("a signature", () => {
  it("is SHA-256 over the canonical form of method and payload, in base64url", () => {
    const text = '["order/make",{"free":{"a":[1,"\u00e9"]},"id":"x"}]';
    const expected = createHash("sha256").update(text, "utf8").digest("base64url");
    const payload = decode({ id: "x", free: { a: [1, "\u00e9"] } });
    expect(signatureOf("order/make", payload)).toBe(expected);
    expect(signatureOf("order/make", payload)).toHaveLength(43);
  });

  it("is one for all orders of members, and another for another method", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (free) => {
        const sign = (value: unknown) => signatureOf("m", decode({ free: value }));
        expect(sign(reversed(free))).toBe(sign(free));
        expect(sign(JSON.parse(JSON.stringify(free, null, 1)))).toBe(sign(free));
        expect(signatureOf("n", decode({ free }))).not.toBe(sign(free));
        expect(sign({ ...free, more: 1 })).not.toBe(sign({ ...free, more: 2 }));
      }),
      { numRuns: 500 },
    );
  });

  it("does not mix a method with what comes after it", () => {
    expect(signatureOf('m",{"a":1}]', decode({}))).not.toBe(signatureOf("m", decode({})));
  });
});
