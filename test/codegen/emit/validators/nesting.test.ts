/** Values that nest: definitions that contain themselves, and how deep is too deep. */
import { describe, expect, it } from "vitest";
import { MAX_NESTING } from "../../../../codegen/emit/validators/compiler.js";
import { planOfFile, type Validate, type Violation, validatorsOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA } from "../../../support/repo.js";
import { definitionsOf } from "./definitions.js";

/** A value of so many levels, the innermost as given. */
function nest(levels: number, wrap: (inner: unknown, level: number) => unknown, innermost: unknown): unknown {
  let value = innermost;
  for (let level = 0; level < levels; level++) value = wrap(value, level);
  return value;
}

const keywords = (violations: readonly Violation[] | null): string[] =>
  (violations ?? []).map(({ keyword }) => keyword);

const mutual = await definitionsOf({
  delete: {
    type: "object",
    properties: { next: { $ref: "#/$defs/delete" }, peer: { $ref: "#/$defs/turn~1start" } },
  },
  "turn/start": { type: "object", properties: { back: { $ref: "#/$defs/delete" } } },
});
const remove = mutual["delete"] as Validate;
const start = mutual["turn/start"] as Validate;

describe("definitions that contain each other", () => {
  it("exist under their own names, whatever the language makes of them", () => {
    expect(Object.keys(mutual)).toEqual(["delete", "turn/start"]);
    expect(remove({ peer: { back: { next: {} } } })).toBeNull();
    expect(remove({ peer: { back: { next: 1 } } })).toEqual([
      { instanceLocation: "/peer/back/next", keyword: "type", message: "must be object" },
    ]);
    expect(start({ back: { peer: { back: null } } })?.[0]?.instanceLocation).toBe("/back/peer/back");
  });

  it("are followed down to the limit, and no further", () => {
    const chain = (levels: number): unknown =>
      nest(levels, (inner, level) => (level % 2 === 0 ? { back: inner } : { peer: inner }), {});
    const even = MAX_NESTING - (MAX_NESTING % 2);
    expect(remove(chain(even))).toBeNull();
    expect(keywords(remove(chain(even + 2)))).toEqual(["depth"]);
  });
});

describe("nesting beyond the limit", () => {
  it.each([
    ["one level beyond", MAX_NESTING + 1],
    ["10,000 levels", 10_000],
    ["100,000 levels", 100_000],
  ])("is a violation of its own, not an overflow: %s", (_, levels) => {
    const value = nest(levels, (next) => ({ next }), {});
    for (const all of [false, true]) {
      const found = remove(value, { all });
      expect(keywords(found)).toEqual(["depth"]);
      expect(found?.[0]?.message).toContain(String(MAX_NESTING));
      expect(found?.[0]?.instanceLocation).toBe("/next".repeat(MAX_NESTING + 1));
    }
  });

  it("is found in the middle of other violations", () => {
    const value = { next: nest(10_000, (next) => ({ next }), {}), peer: { back: 1 } };
    expect(keywords(remove(value))).toEqual(["depth"]);
    expect(keywords(remove(value, { all: true }))).toEqual(["depth", "type"]);
  });

  it("is found through lists, unions and maps", async () => {
    const depot = (await validatorsOf(planOfFile(DEPOT_SCHEMA))).definitions;
    const place = depot["Place"] as Validate;
    const tree = depot["TreeResult"] as Validate;
    const event = depot["Event"] as Validate;
    const parts = nest(10_000, (inner) => ({ label: "x", parts: [inner] }), { label: "x" });
    const twins = nest(10_000, (twin) => ({ label: "x", twin }), null);
    for (const value of [parts, twins]) {
      expect(keywords(place(value))).toEqual(["depth"]);
      expect(keywords(tree({ root: value }))).toEqual(["depth"]);
      expect(keywords(event({ what: "closed", place: value }))).toEqual(["depth"]);
    }
    const { Map: map } = await definitionsOf({
      Map: { type: "object", additionalProperties: { $ref: "#/$defs/Map" } },
    });
    expect(keywords((map as Validate)(nest(10_000, (k) => ({ k }), {})))).toEqual(["depth"]);
  });

  it("does not count where any value may stand", async () => {
    const { Free } = await definitionsOf({
      Free: { type: "object", properties: { free: { type: "object", properties: {} } } },
    });
    expect(Free?.({ free: nest(100_000, (k) => ({ k }), {}) })).toBeNull();
  });
});

describe("definitions whose checks are large", () => {
  it("with hundreds of members, reach the limit without an overflow", async () => {
    const names = Array.from({ length: 300 }, (_, i) => `m${i}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const { Wide } = await definitionsOf({
      Wide: {
        type: "object",
        properties: { ...properties, next: { $ref: "#/$defs/Wide" } },
        required: names,
      },
    });
    const level = Object.fromEntries(names.map((name) => [name, ""]));
    const wide = Wide as Validate;
    expect(wide(nest(MAX_NESTING, (next) => ({ ...level, next }), { ...level }))).toBeNull();
    expect(keywords(wide(nest(MAX_NESTING + 1, (next) => ({ ...level, next }), { ...level })))).toEqual([
      "depth",
    ]);
  });

  it("with many levels of their own, count them and do not overflow", async () => {
    const levels = 180;
    const { Steep } = await definitionsOf({
      Steep: nest(levels, (inner) => ({ type: "object", properties: { a: inner } }), {
        $ref: "#/$defs/Steep",
      }),
    });
    const steep = Steep as Validate;
    expect(steep(nest(levels * 100, (a) => ({ a }), {}))).toBeNull();
    expect(keywords(steep(nest(levels * MAX_NESTING, (a) => ({ a }), {})))).toEqual(["depth"]);
  });
});
