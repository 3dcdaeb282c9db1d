/** Bundles of unusual shape come to an end: output, or a finding with its place. */
import { describe, expect, test } from "vitest";
import { emitProducts, fingerprintOf, PRODUCTS, project } from "../../../codegen/index.js";
import { bundleOf, findingsOf, load, planOf, textOf, validatorsOf } from "../../support/compile.js";

type Node = Record<string, unknown>;

/** A method that has it on both sides, so that all that looks at messages has something to look at. */
const METHOD = { methods: { m: { params: { $ref: "#/$defs/D0" }, result: { $ref: "#/$defs/D0" } } } };

function definitions(count: number, make: (next: string, i: number) => Node): Record<string, Node> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`D${i}`, make(`#/$defs/D${(i + 1) % count}`, i)]),
  );
}

function nest(depth: number, wrap: (inner: Node) => Node): Node {
  let node: Node = { type: "string" };
  for (let i = 0; i < depth; i++) node = wrap(node);
  return node;
}

const fingerprint = (text: string): string =>
  fingerprintOf(project(load(text).protocol, "stable")).fingerprint;

async function sizeOf(text: string): Promise<number> {
  const files = await emitProducts(planOf(text), PRODUCTS);
  return files.reduce((sum, file) => sum + file.text.length, 0);
}

describe("a ring of 2,000 definitions", () => {
  const member = (next: string, i: number): Node => ({
    type: "object",
    properties: { next: { $ref: next }, ...(i === 0 ? { stop: { type: "string" } } : {}) },
  });
  const arm = (next: string): Node => ({
    anyOf: [{ type: "null" }, { type: "array", items: { $ref: next } }],
  });

  test.each([
    ["through members", member],
    ["through items of a union", arm],
  ])("%s gives every product and a fingerprint", async (_, make) => {
    const text = bundleOf(definitions(2_000, make), METHOD);
    expect(findingsOf(text).filter(({ severity }) => severity === "error")).toEqual([]);
    // Linear in size: ten times the definitions, not a hundred times the text.
    const small = await sizeOf(bundleOf(definitions(200, make), METHOD));
    expect(await sizeOf(text)).toBeLessThan(12 * small);
    expect(fingerprint(text)).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  test("has a fingerprint that every member of it can move", () => {
    const plain = fingerprint(bundleOf(definitions(2_000, member), METHOD));
    const moved = fingerprint(
      bundleOf(
        definitions(2_000, (next, i) =>
          i === 1_000 ? { ...member(next, i), required: ["next"] } : member(next, i),
        ),
        METHOD,
      ),
    );
    expect(moved).not.toBe(plain);
  });

  test("without a value in between is one finding, at the first, in few words", () => {
    const found = findingsOf(bundleOf(definitions(2_000, (next) => ({ $ref: next }))));
    const circles = found.filter(({ rule }) => rule === "circular-ref");
    expect(circles.map(({ instanceLocation }) => instanceLocation)).toEqual(["/$defs/D0"]);
    expect(circles[0]!.message.length).toBeLessThan(200);
  });

  test("that is open, a chain, is read as well", async () => {
    const chain = definitions(2_000, (next, i) =>
      i === 1_999 ? { type: "string" } : { type: "object", properties: { next: { $ref: next } } },
    );
    expect(fingerprint(bundleOf(chain, METHOD))).toMatch(/^sha256:/);
    expect(await sizeOf(bundleOf(chain, METHOD))).toBeGreaterThan(0);
  });
});

describe("a nest", () => {
  test.each([
    ["of members", (inner: Node): Node => ({ type: "object", properties: { a: inner } })],
    ["of items", (inner: Node): Node => ({ type: "array", items: inner })],
    ["of maps", (inner: Node): Node => ({ type: "object", additionalProperties: inner })],
    ["of unions", (inner: Node): Node => ({ anyOf: [{ type: "array", items: inner }, { type: "null" }] })],
  ])("%s, 200 deep, gives every product", async (_, wrap) => {
    const text = bundleOf({ D0: nest(200, wrap) }, METHOD);
    expect(findingsOf(text).filter(({ severity }) => severity === "error")).toEqual([]);
    const { definitions: validators } = await validatorsOf(planOf(text));
    expect(validators["D0"]!(true)).not.toBeNull();
    expect(await sizeOf(text)).toBeGreaterThan(0);
    expect(fingerprint(text)).toMatch(/^sha256:/);
  });

  test("of unions of one type, 200 deep, is a finding at each", () => {
    const text = bundleOf({
      D0: nest(200, (inner) => ({ anyOf: [inner, { type: "string", minLength: 1 }] })),
    });
    const found = findingsOf(text).filter(({ rule }) => rule === "overlapping-union");
    expect(found).toHaveLength(200);
    expect(found[0]!.instanceLocation).toBe("/$defs/D0/anyOf");
  });

  test.each([700, 100_000])("of members %i deep is refused with a place", (depth) => {
    const text = `{"$defs":{"D0":${'{"properties":{"a":'.repeat(depth)}{}${"}}".repeat(depth)}}}`;
    const [found, ...more] = findingsOf(text);
    expect(more).toEqual([]);
    expect(found).toMatchObject({ rule: "json-syntax", line: 1 });
    expect(found!.column).toBeGreaterThan(1_000);
  });

  test("of alternatives that share their parts is not walked along every path", async () => {
    const text = bundleOf(
      definitions(40, (next, i) =>
        i === 39
          ? { type: ["string", "integer"] }
          : {
              anyOf: [
                { $ref: next, type: "string" },
                { $ref: next, type: "integer" },
              ],
            },
      ),
    );
    expect(findingsOf(text).filter(({ severity }) => severity === "error")).toEqual([]);
  });
});

test("a large bound is a number in the output, not a size", async () => {
  const L = (maxItems: number): string =>
    bundleOf({ L: { type: "array", items: { type: "string" }, minItems: 50, maxItems } });
  expect(await textOf(planOf(L(5_000)), "types")).toContain("string[]");
  expect((await sizeOf(L(5_000))) - (await sizeOf(L(50)))).toBeLessThan(100);
  const { definitions: validators } = await validatorsOf(planOf(L(5_000)));
  const of = (length: number): unknown => validators["L"]!(Array.from({ length }, () => "x"));
  expect([49, 50, 5_000, 5_001].map((n) => of(n) === null)).toEqual([false, true, true, false]);
});

test("definitions that are reached in a million ways give every product", async () => {
  const lattice = definitions(25, (next, i) => ({
    type: "object",
    properties: i === 24 ? { x: { type: "string" } } : { a: { $ref: next }, b: { $ref: next } },
  }));
  expect(await sizeOf(bundleOf(lattice, METHOD))).toBeGreaterThan(0);
});
