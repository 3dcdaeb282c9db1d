/** What evidence is made of: the same for one seed, in whole messages, and of values that a side sends. */
import { describe, expect, it } from "vitest";
import { bundleOf } from "../../../support/compile.js";
import { carrying, oneOf, tried } from "./tried.js";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const text = { type: "string" };
const required = (...names: string[]) => ({ required: names });
const OVERLAP = { severities: { "overlapping-union": "off" } } as const;

describe("the seed", () => {
  const before = carrying({ type: "string", pattern: "^[a-z]{2,9}$" });
  const after = carrying({ type: "string", pattern: "^[a-m]{3,8}$" });

  it("decides what is found", async () => {
    const [one, again] = [await tried(before, after, { seed: 7 }), await tried(before, after, { seed: 7 })];
    expect(one.map(({ evidence }) => evidence)).toEqual(again.map(({ evidence }) => evidence));
    expect(Object.keys(oneOf(one, "pattern-changed").evidence?.witnesses ?? {})).toHaveLength(2);
  });

  it("and the number of runs are used", async () => {
    const wide = (max: number) => carrying({ type: "integer", minimum: 0, maximum: max });
    const counts = async (runs: number) => {
      const { evidence } = oneOf(await tried(wide(1e9), wide(2e9), { runs }), "bound-loosened");
      return evidence?.accepted["old-client-new-host"] ?? 0;
    };
    expect(await counts(400)).toBeGreaterThan((await counts(20)) + 100);
  });

  it("changes nothing where both versions are the same", async () => {
    expect(await tried(before, before)).toEqual([]);
  });
});

describe("what a side sends", () => {
  it("has no members that it does not declare and the other does", async () => {
    // An old client that sent a text by this name would be refused, and names are not there to be taken.
    const found = await tried(
      carrying(object({ a: text })),
      carrying(object({ a: text, b: { type: "integer" } })),
    );
    const { evidence } = oneOf(found, "member-added");
    expect(evidence?.disagreement).toBeUndefined();
    expect(evidence?.witnesses).toEqual({});
  });

  it("may have members that neither declares", async () => {
    const found = await tried(
      carrying(object({ a: text })),
      carrying(object({ a: text }, { additionalProperties: { type: "boolean" } })),
    );
    const { evidence } = oneOf(found, "others-restricted");
    const value = evidence?.witnesses["old-client-new-host"]?.value as { readonly v: object };
    expect(Object.keys(value.v)).not.toContain("a");
    expect(Object.keys(value.v)).toHaveLength(1);
  });

  it("may have any member of a map", async () => {
    const map = object({}, { additionalProperties: text });
    const { evidence } = oneOf(
      await tried(carrying(map), carrying({ ...map, properties: { b: { type: "integer" } } })),
      "member-added",
    );
    // An old client had a text by this name, and a new host sends a number to clients that take texts.
    expect(evidence?.disagreement).toBeUndefined();
    expect(evidence?.witnesses["old-client-new-host"]?.refusal.instanceLocation).toBe("/v/b");
    expect(evidence?.witnesses["new-client-old-host"]?.refusal.instanceLocation).toBe("/v/b");
  });

  it("is no arm that it does not know and the other does", async () => {
    const arm = (t: string, more: object = {}) =>
      object({ t: { const: t }, ...more }, required("t", ...Object.keys(more)));
    const union = (...arms: object[]) => ({
      anyOf: [...arms, object({ t: text }, required("t"))],
      "x-msp-openness": "open",
    });
    const found = await tried(
      carrying(union(arm("a"))),
      carrying(union(arm("a"), arm("b", { n: { type: "integer" } }))),
    );
    const { evidence } = oneOf(found, "arm-added");
    expect(evidence?.disagreement).toBeUndefined();
    expect(evidence?.accepted["old-client-new-host"]).toBeGreaterThan(20);
  });
});

describe("the arms of a union", () => {
  it("may overlap: what two arms take is refused by oneOf", async () => {
    const arms = (more: object) => ({
      oneOf: [
        object({ a: text }, required("a")),
        object({ b: text, ...more }, required("b", ...Object.keys(more))),
      ],
    });
    const before = carrying({ anyOf: arms({}).oneOf });
    const found = await tried(before, carrying(arms({})), { rules: OVERLAP });
    const shown = found.find(({ evidence }) => evidence?.witnesses["old-client-new-host"] !== undefined);
    // A value of both arms is what `anyOf` takes and `oneOf` does not.
    expect(shown?.evidence?.witnesses["old-client-new-host"]).toMatchObject({
      value: { v: { a: "", b: "" } },
      refusal: { instanceLocation: "/v", keyword: "oneOf" },
    });
  });
});

describe("a message as a whole", () => {
  const call = { params: { $ref: "#/$defs/P" }, result: { $ref: "#/$defs/R" } };
  const defs = {
    P: object({ id: { type: "string", minLength: 2 }, n: text }, required("id")),
    R: object({}),
  };
  const bundle = (section: object) => bundleOf(defs, section);

  it("that is gone is refused by name", async () => {
    const all = { methods: { "a/b": call, "a/c": { result: { $ref: "#/$defs/R" } } } };
    const found = await tried(bundle(all), bundle({ methods: {} }));
    const witnesses = found.flatMap(({ evidence }) => evidence?.witnesses["old-client-new-host"] ?? []);
    expect(witnesses.map(({ use, value, refusal }) => [use.message, value, refusal.keyword])).toEqual([
      ["a/b", { id: expect.stringMatching(/^..$/) }, "method"],
      ["a/c", {}, "method"],
    ]);
  });

  it("that the host asks anew is refused by an old client", async () => {
    const found = await tried(bundle({}), bundle({ requests: { "a/ask": call } }));
    const { evidence } = oneOf(found, "request-added");
    expect(Object.keys(evidence?.witnesses ?? {})).toEqual(["old-client-new-host"]);
    expect(evidence?.witnesses["old-client-new-host"]?.sender).toBe("host");
  });

  it("that nobody has to know is ignored: there is nothing to show", async () => {
    const found = await tried(
      bundle({}),
      bundle({ notifications: { "a/told": { params: { $ref: "#/$defs/P" } } } }),
    );
    expect(oneOf(found, "notification-added").evidence).toBeUndefined();
  });
});

describe("a method that refuses what it does not know", () => {
  const strict = { "x-msp-strict": true };

  it("refuses a member that it took before", async () => {
    const found = await tried(carrying(text, {}, {}), carrying(text, {}, strict));
    const { evidence } = oneOf(found, "unknown-members-refused");
    expect(evidence?.disagreement).toBeUndefined();
    const witness = evidence?.witnesses["old-client-new-host"];
    expect(Object.keys(witness?.value as object)).toHaveLength(2);
    expect(witness?.refusal).toMatchObject({ keyword: "x-msp-strict" });
  });

  it("is sent none by either version: other changes are shown without", async () => {
    const found = await tried(
      carrying(text, {}, strict),
      carrying({ type: "string", maxLength: 3 }, {}, strict),
    );
    const { evidence } = oneOf(found, "bound-tightened");
    expect(evidence?.witnesses["old-client-new-host"]?.value).toEqual({ v: expect.stringMatching(/^.{4}$/) });
  });
});

describe("the way into a message", () => {
  it("goes through members, elements, maps, references and alternatives", async () => {
    const inner = (max: number) => ({
      Inner: object({ n: { type: "integer", maximum: max }, z: text }, required("n")),
      Arm: object(
        { k: { const: "deep" }, list: { type: "array", items: { $ref: "#/$defs/Map" }, minItems: 2 } },
        {
          ...required("k"),
          dependentRequired: { list: ["why"] },
        },
      ),
      Map: object({ own: text }, { additionalProperties: { $ref: "#/$defs/Inner" }, ...required("own") }),
    });
    const value = { oneOf: [{ $ref: "#/$defs/Arm" }, object({ k: { const: "flat" } }, required("k"))] };
    (inner(9).Arm.properties as Record<string, object>)["why"] = text;
    const of = (max: number) => {
      const more = inner(max);
      (more.Arm.properties as Record<string, object>)["why"] = text;
      return carrying(value, more);
    };
    const { evidence } = oneOf(await tried(of(9), of(8)), "bound-tightened");
    expect(evidence?.disagreement).toBeUndefined();
    const witness = evidence?.witnesses["old-client-new-host"];
    expect(witness?.refusal).toMatchObject({ keyword: "maximum" });
    expect(witness?.refusal.instanceLocation).toMatch(/^\/v\/list\/0\/[^/]+\/n$/);
    expect(witness?.value).toMatchObject({
      v: { k: "deep", why: "", list: [expect.anything(), { own: "" }] },
    });
  });
});

describe("values that contain themselves", () => {
  const tree = (max: number) =>
    object(
      { name: { type: "string", maxLength: max }, kids: { type: "array", items: { $ref: "#/$defs/V" } } },
      required("name"),
    );

  it("are tried to a certain depth", async () => {
    const { evidence } = oneOf(await tried(carrying(tree(9)), carrying(tree(8))), "bound-tightened");
    expect(evidence?.witnesses["old-client-new-host"]?.value).toEqual({
      v: { name: expect.stringMatching(/^.{9}$/) },
    });
  });

  it("may be long rings, of which every definition changes", async () => {
    const RING = 600;
    const ring = (max: number) =>
      Object.fromEntries(
        Array.from({ length: RING }, (_, i) => [
          `R${i}`,
          object({ n: { type: "integer", maximum: max }, next: { $ref: `#/$defs/R${(i + 1) % RING}` } }),
        ]),
      );
    const texts: string[] = [];
    const found = await tried(
      carrying({ $ref: "#/$defs/R0" }, ring(9)),
      carrying({ $ref: "#/$defs/R0" }, ring(8)),
      {
        runs: 20,
        loaded: (module) => texts.push(module),
      },
    );
    expect(found).toHaveLength(RING);
    expect(texts).toHaveLength(2);
    const shown = found.filter(({ evidence }) => evidence?.witnesses["old-client-new-host"] !== undefined);
    // What stands deeper than a message may nest is told as not shown.
    expect(shown.length).toBeGreaterThan(90);
    for (const { evidence } of found)
      if (evidence?.witnesses["old-client-new-host"] === undefined)
        expect(evidence?.disagreement).toContain("no message shows it");
  });
});
