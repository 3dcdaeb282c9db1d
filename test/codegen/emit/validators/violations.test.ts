/** What a refusal says: place, keyword, sentence; the first reason, or all of them. */
import { describe, expect, it } from "vitest";
import { planOfFile, type Validate, type Violation, validatorsOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA } from "../../../support/repo.js";
import { definitionsOf } from "./definitions.js";

const places = (violations: readonly Violation[] | null): string[] =>
  (violations ?? []).map(({ instanceLocation, keyword }) => `${instanceLocation} ${keyword}`);

const depot = (await validatorsOf(planOfFile(DEPOT_SCHEMA))).definitions;
const of = (name: string): Validate => depot[name] as Validate;

describe("a violation", () => {
  it("has a JSON Pointer, a keyword and a sentence", () => {
    expect(of("FindParams")({ limit: 501 })).toEqual([
      { instanceLocation: "/limit", keyword: "maximum", message: "must be at most 500" },
    ]);
  });

  it("stands at the object where a member is missing, and names it", () => {
    const line = { quantity: 1, sku: "AB12" };
    const value = { lines: [line, { quantity: 2 }], target: { to: "depot", name: "north" } };
    expect(of("MoveParams")(value)).toEqual([
      { instanceLocation: "/lines/1", keyword: "required", message: 'must have the member "sku"' },
    ]);
  });

  it("escapes the names of members in its pointer", async () => {
    const { S, M } = await definitionsOf({
      S: { type: "object", properties: { "a/b~c": { type: "string" } } },
      M: { type: "object", additionalProperties: { type: "string" } },
    });
    expect(places(S?.({ "a/b~c": 1 }) ?? null)).toEqual(["/a~1b~0c type"]);
    expect(places(M?.({ "x/y~": 1 }) ?? null)).toEqual(["/x~1y~0 type"]);
  });

  it.each([
    ["type", { type: ["integer", "null"] }, "1", "must be integer or null"],
    ["enum", { enum: ["a", null, 1] }, "b", 'must be one of "a", null, 1'],
    ["const", { const: { k: [1] } }, {}, 'must be {"k":[1]}'],
    ["pattern", { type: "string", pattern: "^a$" }, "b", "must match ^a$"],
    ["minimum", { type: "number", minimum: 1.5 }, 1, "must be at least 1.5"],
    ["maximum", { type: "number", maximum: -2 }, 1, "must be at most -2"],
    ["minLength", { type: "string", minLength: 2 }, "b", "must have at least 2 characters"],
    ["maxLength", { type: "string", maxLength: 0 }, "b", "must have at most 0 characters"],
    ["minItems", { type: "array", minItems: 2 }, [1], "must have at least 2 elements"],
    ["maxItems", { type: "array", maxItems: 0 }, [1], "must have at most 0 elements"],
    ["required", { type: "object", required: ["a"] }, {}, 'must have the member "a"'],
    [
      "dependentRequired",
      { dependentRequired: { a: ["b"] } },
      { a: 1 },
      'must have the member "b" beside "a"',
    ],
  ])("of %s says what must be", async (keyword, schema, value, message) => {
    const { S } = await definitionsOf({ S: schema });
    expect(S?.(value)).toEqual([{ instanceLocation: "", keyword, message }]);
  });
});

describe("of several violations", () => {
  const value = {
    sku: "nope",
    code: 1.5,
    height: 0,
    notes: [],
    tags: { a: 1, b: "fine", c: null },
    weight: "heavy",
  };
  const all = [
    "/sku pattern",
    "/code type",
    "/height minimum",
    "/notes type",
    "/tags/a type",
    "/tags/c type",
    "/weight type",
    " dependentRequired",
  ];

  it("the first is told", () => {
    expect(places(of("Article")(value))).toEqual(all.slice(0, 1));
    expect(places(of("Article")(value, {}))).toEqual(all.slice(0, 1));
    expect(places(of("Article")(value, { all: false }))).toEqual(all.slice(0, 1));
  });

  it("every one is told on request", () => {
    expect(places(of("Article")(value, { all: true }))).toEqual(all);
  });

  it("those of one part stand together, also under references and lists", () => {
    const move = {
      lines: [{ quantity: 0 }, { quantity: 2.5, sku: "AB12" }],
      target: 1,
      note: 2,
      priority: "soon",
    };
    expect(places(of("MoveParams")(move, { all: true }))).toEqual([
      "/lines/0/quantity minimum",
      "/lines/0 required",
      "/lines/1/quantity type",
      "/target type",
      "/note type",
      "/priority enum",
    ]);
  });

  it("a part of the wrong type has no others", async () => {
    const { S } = await definitionsOf({
      S: { type: "string", enum: ["ab"], "x-msp-openness": "open", minLength: 2, pattern: "^a" },
    });
    for (const other of [null, 1, {}, []])
      expect(places(S?.(other, { all: true }) ?? null)).toEqual([" type"]);
    expect(places(S?.("x", { all: true }) ?? null)).toEqual([" minLength", " pattern"]);
  });
});

describe("of a union", () => {
  it("only the arm that the tag selects is told", () => {
    expect(places(of("Target")({ to: "place", name: 1, carrier: 2 }, { all: true }))).toEqual([" required"]);
    expect(places(of("Target")({ to: "depot", label: 1, carrier: 2 }, { all: true }))).toEqual([
      " required",
      "/carrier type",
    ]);
  });

  it("an unknown tag is told at the tag, a missing one at the object", () => {
    expect(of("Target")({ to: "moon" }, { all: true })).toEqual([
      { instanceLocation: "/to", keyword: "oneOf", message: 'must be one of "place", "depot"' },
    ]);
    expect(places(of("Target")({}, { all: true }))).toEqual([" required"]);
    expect(places(of("Target")(null))).toEqual([" type"]);
  });

  it("that is open, an unknown tag selects the catch-all, a known one its arm", () => {
    expect(of("Event")({ what: "burnt" })).toBeNull();
    expect(places(of("Event")({ what: "burnt", details: 1, lines: 1 }, { all: true }))).toEqual([
      "/details type",
    ]);
    expect(places(of("Event")({ what: "arrived", details: 1, lines: [] }, { all: true }))).toEqual([
      "/lines minItems",
    ]);
    expect(places(of("Event")({ what: 1 }, { all: true }))).toEqual(["/what type"]);
  });

  it("told apart by JSON type, only the arm of that type is told", () => {
    expect(places(of("Filter")(["AB12", 1, "x"], { all: true }))).toEqual(["/1 type", "/2 pattern"]);
    expect(places(of("Filter")("x", { all: true }))).toEqual([" pattern"]);
    expect(places(of("Filter")(1, { all: true }))).toEqual([" type"]);
  });
});

describe("a value", () => {
  it("is left as it is, with its unknown members", () => {
    const text = '{"yes":true,"later":{"x":[1]},"toString":1,"__proto__":{"yes":1}}';
    const value = JSON.parse(text) as unknown;
    expect(of("ConfirmResult")(value, { all: true })).toBeNull();
    expect(JSON.stringify(value)).toBe(text);
    const wrong = Object.freeze({ yes: 1, later: Object.freeze({}) });
    expect(places(of("ConfirmResult")(wrong, { all: true }))).toEqual(["/yes type"]);
  });

  it("that is frozen or has no prototype is checked like any other", () => {
    const bare = Object.assign(Object.create(null) as object, { yes: true });
    expect(of("ConfirmResult")(Object.freeze(bare))).toBeNull();
    expect(places(of("ConfirmResult")(Object.create(null)))).toEqual([" required"]);
  });
});
