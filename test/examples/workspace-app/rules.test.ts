/** The languages of rules: total, bounded, and what they say they are. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rejectionOf } from "../../../examples/workspace-app/rejections.js";
import { conditionProblem, holds } from "../../../examples/workspace-app/rules/condition.js";
import { checkDefinition } from "../../../examples/workspace-app/rules/definition.js";
import { evaluate, expressionProblem } from "../../../examples/workspace-app/rules/expression.js";
import { compareText, type Subject, valueAt } from "../../../examples/workspace-app/rules/subject.js";
import * as arbitraries from "../../../generated/workspace/stable/arbitraries.js";
import type { Condition, Expression, RuleDefinition } from "../../../generated/workspace/stable/types.js";
import * as validators from "../../../generated/workspace/stable/validators.js";
import type { JsonObject, JsonValue } from "../../../src/commands/app.js";

const about = (data: JsonObject): Subject => ({ eventId: "e", type: "t", data });
const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
/** Data with few names and few values, so that paths find something. */
const scalar: fc.Arbitrary<JsonValue> = fc.constantFrom(
  0,
  1,
  2,
  -1.5,
  "",
  "a",
  "b",
  "😀",
  "\uffff",
  true,
  null,
);
const data = fc.dictionary(
  fc.constantFrom("a", "b", "c/d", "~"),
  fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(fc.constantFrom("a", "b"), scalar)),
) as fc.Arbitrary<JsonObject>;
const path = fc.constantFrom(
  "",
  "/data",
  "/data/a",
  "/data/b/a",
  "/data/a/0",
  "/data/c~1d",
  "/data/~0",
  "/type",
);
const condition = fc.letrec<{ c: Condition }>((tie) => ({
  c: fc.oneof(
    { depthSize: "small" },
    fc.record({ op: fc.constant("exists"), path }),
    fc.record({ op: fc.constant("eq"), path, value: scalar }),
    fc.record({ op: fc.constant("in"), path, values: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
    fc.record({
      op: fc.constantFrom("lt", "le", "gt", "ge"),
      path,
      value: fc.constantFrom<number | string>(0, 1, "a", "😀"),
    }),
    fc.record({ op: fc.constantFrom("and", "or"), conditions: fc.array(tie("c"), { maxLength: 3 }) }),
    fc.record({ op: fc.constant("not"), condition: tie("c") }),
  ) as fc.Arbitrary<Condition>,
})).c;

describe("a condition", () => {
  it("has an answer for every event, and each answer occurs", () => {
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(condition, data, (one, given) => {
        expect(validators.definitions.Condition(one)).toBeNull();
        expect(conditionProblem(one, "/when")).toBeUndefined();
        seen[`${holds(one, about(given))}`]++;
      }),
      { numRuns: 2000 },
    );
    expect(seen.true).toBeGreaterThan(100);
    expect(seen.false).toBeGreaterThan(100);
  });

  it("has an answer whatever the bundle lets through, and is refused where its operator is not known", () => {
    let refused = 0;
    fc.assert(
      fc.property(arbitraries.definitions.Condition.valid, json, (one, value) => {
        expect(typeof holds(one, about({ value }))).toBe("boolean");
        if (conditionProblem(one, "") !== undefined) refused++;
      }),
      { numRuns: 500 },
    );
    expect(refused).toBeGreaterThan(10);
  });

  it("keeps the laws of logic", () => {
    const not = (one: Condition): Condition => ({ op: "not", condition: one });
    const all = (...conditions: Condition[]): Condition => ({ op: "and", conditions });
    const some = (...conditions: Condition[]): Condition => ({ op: "or", conditions });
    fc.assert(
      fc.property(condition, condition, data, (a, b, given) => {
        const is = (one: Condition): boolean => holds(one, about(given));
        expect(is(not(a))).toBe(!is(a));
        expect(is(all(a, b))).toBe(is(a) && is(b));
        expect(is(some(a, b))).toBe(is(a) || is(b));
        expect(is(not(all(a, b)))).toBe(is(some(not(a), not(b))));
        expect(is(all())).toBe(true);
        expect(is(some())).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("orders numbers, and strings by code points; what is there is in one order with it, or in none", () => {
    const values = [0, 1, -2, "a", "B", "\uffff", "😀", true, null, undefined] as const;
    let compared = 0;
    for (const found of values) {
      for (const value of [0, 1, "a", "😀"] as const) {
        const subject = about(found === undefined ? {} : { x: found });
        const is = (op: "eq" | "lt" | "le" | "gt" | "ge"): boolean =>
          holds({ op, path: "/data/x", value } as Condition, subject);
        const orders = [is("lt"), is("eq"), is("gt")].filter(Boolean);
        expect(orders).toHaveLength(typeof found === typeof value ? 1 : 0);
        expect(is("le")).toBe(is("lt") || is("eq"));
        expect(is("ge")).toBe(is("gt") || is("eq"));
        compared += orders.length;
      }
    }
    expect(compared).toBe(14);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        const order = Buffer.compare(Buffer.from(a), Buffer.from(b));
        expect(Math.sign(compareText(a, b))).toBe(order);
      }),
    );
  });

  it("equals by content, not by the order of members, and never by what a prototype has", () => {
    const eq = (at: string, value: unknown): Condition => ({ op: "eq", path: at, value }) as Condition;
    const subject = about({ o: { a: 1, b: [1, { c: null }] }, n: null });
    expect(holds(eq("/data/o", { b: [1, { c: null }], a: 1 }), subject)).toBe(true);
    expect(holds(eq("/data/o", { b: [1, { c: null }], a: 1, d: 1 }), subject)).toBe(false);
    expect(holds(eq("/data/o/b", [1]), subject)).toBe(false);
    expect(holds(eq("/data/n", null), subject)).toBe(true);
    expect(holds(eq("/data/m", null), subject)).toBe(false);
    for (const at of [
      "/data/constructor",
      "/data/__proto__",
      "/data/o/b/length",
      "/data/o/b/01",
      "/toString",
    ])
      expect(valueAt(subject, at), at).toBeUndefined();
    expect(valueAt(subject, "/data/o/b/1/c")).toBeNull();
  });

  it("is refused beyond its depth and its parts, and at neither", () => {
    const nested = (depth: number): Condition =>
      depth === 1 ? { op: "exists", path: "" } : { op: "not", condition: nested(depth - 1) };
    expect(conditionProblem(nested(16), "/when")).toBeUndefined();
    expect(conditionProblem(nested(17), "/when")?.path).toBe(`/when${"/condition".repeat(16)}`);
    const wide = (parts: number): Condition => ({
      op: "and",
      conditions: Array.from({ length: parts - 1 }, () => ({ op: "exists" as const, path: "" })),
    });
    expect(conditionProblem(wide(256), "/when")).toBeUndefined();
    expect(conditionProblem(wide(257), "/when")?.path).toBe("/when/conditions/255");
    expect(conditionProblem({ op: "matches" } as Condition, "/when")?.path).toBe("/when/op");
  });
});

describe("an expression", () => {
  const get = (at: string): Expression => ({ op: "get", path: at });
  const value = (one: unknown): Expression => ({ op: "value", value: one });
  const two = (op: string, left: Expression, right: Expression): Expression =>
    ({ op, left, right }) as Expression;
  const subject = about({ n: 6, zero: 0, text: "x😀", list: [1, 2, 3], o: { a: 1 } });

  it.each<[string, Expression, JsonValue]>([
    ["get", get("/data/list/2"), 3],
    ["value", value({ a: [null] }), { a: [null] }],
    ["add", two("add", get("/data/n"), value(0.5)), 6.5],
    ["subtract", two("subtract", get("/data/n"), value(8)), -2],
    ["multiply", two("multiply", get("/data/n"), get("/data/n")), 36],
    ["divide", two("divide", get("/data/n"), value(4)), 1.5],
    ["concat", { op: "concat", parts: [value("a"), get("/data/n"), value(null)] }, "a6null"],
    ["count of an array", { op: "count", of: get("/data/list") }, 3],
    ["count of an object", { op: "count", of: get("/data/o") }, 1],
    ["count of a string", { op: "count", of: get("/data/text") }, 2],
  ])("works out %s", (_, expression, expected) => {
    expect(expressionProblem(expression, "")).toBeUndefined();
    expect(evaluate(expression, subject)).toEqual({ value: expected });
  });

  it.each<[string, Expression]>([
    ["missing_value", get("/data/none")],
    ["not_a_number", two("add", get("/data/text"), value(1))],
    ["division_by_zero", two("divide", value(1), get("/data/zero"))],
    ["not_finite", two("multiply", value(1e308), value(10))],
    ["not_countable", { op: "count", of: get("/data/n") }],
    ["value_too_large", { op: "concat", parts: [value("x".repeat(65_537))] }],
    ["missing_value", two("add", value(1), get("/data/none"))],
  ])("comes to nothing by %s", (reason, expression) => {
    expect(evaluate(expression, subject)).toMatchObject({ failure: { reason } });
  });

  it("comes to a value or a reason, whatever the bundle lets through", () => {
    const seen = { value: 0, failure: 0 };
    fc.assert(
      fc.property(arbitraries.definitions.Expression.valid, data, (expression, given) => {
        const evaluated = evaluate(expression, about(given));
        seen["value" in evaluated ? "value" : "failure"]++;
        if ("value" in evaluated)
          expect(JSON.parse(JSON.stringify(evaluated.value))).toEqual(evaluated.value);
      }),
      { numRuns: 1000 },
    );
    expect(seen.value).toBeGreaterThan(50);
    expect(seen.failure).toBeGreaterThan(50);
  });
});

describe("a definition", () => {
  const sound: RuleDefinition = {
    on: "order",
    when: { op: "exists", path: "/data" },
    steps: [
      { do: "compute", set: { total: { op: "get", path: "/data/n" } } },
      { do: "publish", type: "t", data: { total: { op: "get", path: "/values/total" } } },
      { do: "wait", ms: 1 },
      { do: "call", function: "echo", arguments: { x: { op: "value", value: 1 } }, as: "echoed" },
    ],
  };
  const refusal = (definition: RuleDefinition): unknown => {
    try {
      checkDefinition(definition, new Set(["echo"]));
    } catch (error) {
      const { reason, data: more } = rejectionOf(error) ?? {};
      return [reason, more?.["path"] ?? more?.["limitBytes"] ?? "nested"];
    }
    return undefined;
  };
  let deep: JsonValue = 1;
  for (let i = 0; i < 5000; i++) deep = [deep];

  it("is taken as it should be", () => expect(refusal(sound)).toBeUndefined());

  it.each<[string, string, Partial<RuleDefinition>]>([
    ["invalid_condition", "/when/op", { when: { op: "matches" } as Condition }],
    ["invalid_step", "/steps/0/do", { steps: [{ do: "eval" } as never] }],
    ["unknown_function", "/steps/0/function", { steps: [{ do: "call", function: "rm", arguments: {} }] }],
    [
      "invalid_step",
      "/steps/0/set/a~1b",
      { steps: [{ do: "compute", set: { "a/b": { op: "get", path: "" } } }] },
    ],
    ["invalid_step", "/steps/0/set/a/op", { steps: [{ do: "compute", set: { a: { op: "now" } as never } }] }],
    ["data_too_large", "65536", { title: "x".repeat(70_000) }],
    ["data_too_large", "nested", { when: { op: "eq", path: "", value: deep } as Condition }],
  ])("is refused by %s at %s", (reason, where, bent) => {
    expect((refusal({ ...sound, ...bent }) as unknown[]).map(String)).toEqual([reason, where]);
  });
});
