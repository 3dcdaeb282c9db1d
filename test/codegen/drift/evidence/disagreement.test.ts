/** That a rule which is wrong is found out, and that what could not be tried is told. */
import { describe, expect, it } from "vitest";
import type { Difference } from "../../../../codegen/drift/change.js";
import { carrying, oneOf, type TriedOptions, tried } from "./tried.js";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const text = { type: "string" };

/** Lets a rule say something else of what is lost or gained. */
function saying(rule: string, what: Partial<Pick<Difference, "narrows" | "widens">>): TriedOptions {
  return { poison: (one) => (one.rule === rule ? { ...one, ...what } : one) };
}

describe("a rule that is wrong", () => {
  const before = carrying(object({ a: text, b: text }));
  const after = carrying(object({ a: text, b: text }, { required: ["b"] }));

  it("says that nothing is lost where something is", async () => {
    const { evidence } = oneOf(
      await tried(before, after, saying("member-required", { narrows: "no" })),
      "member-required",
    );
    expect(evidence?.disagreement).toContain("the rule says that no value is refused, and one was found");
    expect(evidence?.witnesses["old-client-new-host"]?.value).toEqual({ v: {} });
  });

  it("says that something is gained where nothing is", async () => {
    const { evidence } = oneOf(
      await tried(before, after, saying("member-required", { widens: "yes" })),
      "member-required",
    );
    expect(evidence?.disagreement).toMatch(
      /^new-client-old-host: the rule says that values are refused, and none of \d+ was; old-client-new-host: /,
    );
  });

  it("is not one that does not know", async () => {
    const found = await tried(
      before,
      after,
      saying("member-required", { narrows: "maybe", widens: "maybe" }),
    );
    const { evidence } = oneOf(found, "member-required");
    expect(evidence?.disagreement).toBeUndefined();
    expect(evidence?.witnesses["old-client-new-host"]?.refusal.keyword).toBe("required");
  });

  it("is found out in each sort of node", async () => {
    const pairs: readonly (readonly [string, object, object])[] = [
      ["value-removed", { enum: ["a", "b"] }, { enum: ["b"] }],
      ["type-removed", { type: "number" }, { type: "integer" }],
      ["bound-tightened", { type: "array", items: text }, { type: "array", items: text, maxItems: 3 }],
      ["pattern-added", text, { type: "string", pattern: "^a" }],
      ["null-removed", { type: ["null", "string"] }, text],
    ];
    for (const [rule, wide, narrow] of pairs) {
      const found = await tried(
        carrying(wide),
        carrying(narrow),
        saying(rule, { narrows: "no", widens: "yes" }),
      );
      const told = oneOf(found, rule).evidence?.disagreement ?? "";
      expect([rule, told.includes("one was found"), told.includes("none of")]).toEqual([rule, true, true]);
    }
  });
});

describe("a change that no message shows", () => {
  it("is told where the reader takes the value after all", async () => {
    // Another change makes up for the word that is gone: any word is taken.
    const before = carrying({ type: "string", enum: ["a", "b"] });
    const after = carrying({ type: "string", enum: ["a"], "x-msp-openness": "open" });
    const { evidence } = oneOf(await tried(before, after, { poison: alone }), "value-removed");
    expect(evidence?.witnesses).toEqual({});
    expect(evidence?.disagreement).toContain(
      "the rule says that values are refused, and no message shows it",
    );
  });

  it("is not shown by messages that are refused for something else", async () => {
    const list = (more: object) => ({ type: "string", enum: ["a", "b"], ...more });
    const both = (word: object, ...names: string[]) =>
      carrying(object({ word, w: text }, { required: ["word", ...names] }));
    const found = await tried(both(list({})), both(list({ enum: ["a"], "x-msp-openness": "open" }), "w"), {
      poison: alone,
    });
    // No message of the sender is taken, since all lack a member; that says nothing of the word.
    expect(oneOf(found, "member-required").evidence?.witnesses["old-client-new-host"]).toBeDefined();
    const { evidence } = oneOf(found, "value-removed");
    expect(evidence?.witnesses).toEqual({});
  });

  /** Takes the removal of a word for all that changed in a list. */
  function alone(one: Difference): Difference {
    const listing = (value: string) => ({
      pointer: "",
      enum: { values: [{ value }], open: false, stated: true },
    });
    const narrows = { sender: listing("b"), reader: listing("a") };
    return one.rule === "value-removed" ? { ...one, narrows: "yes", isolated: { narrows } } : one;
  }
});

describe("what cannot be tried", () => {
  const backReference = { type: "string", pattern: "^(a|b)\\1$", maxLength: 9 };

  it("is told, and the other changes are tried all the same", async () => {
    const parts = (a: object, b: object) => carrying(object({ a, b }));
    const found = await tried(
      parts(backReference, { type: "integer" }),
      parts({ ...backReference, maxLength: 8 }, { type: "integer", maximum: 5 }),
    );
    const byPlace = new Map(found.map(({ difference, evidence }) => [difference.subject, evidence]));
    expect(byPlace.get("V.a")?.disagreement).toContain(
      "it could not be tried: its pattern refers back to a group",
    );
    expect(byPlace.get("V.b")?.disagreement).toBeUndefined();
    expect(byPlace.get("V.b")?.witnesses["old-client-new-host"]?.value).toEqual({ v: { b: 6 } });
  });

  it("is told where nothing was given to try a sure rule by", async () => {
    const found = await tried(carrying(text), carrying({ type: "string", maxLength: 5 }), {
      poison: ({ isolated: _, ...rest }) => rest,
    });
    expect(oneOf(found, "bound-tightened").evidence?.disagreement).toBe(
      "it could not be tried whether a value is lost",
    );
  });

  it("is told where a value would have no end", async () => {
    const endless = object({ next: { $ref: "#/$defs/V" } }, { required: ["next"] });
    const found = await tried(
      carrying(endless),
      carrying({ ...endless, properties: { ...endless.properties, a: text } }),
    );
    expect(oneOf(found, "member-added").evidence?.disagreement).toContain("it could not be tried");
  });
});

describe("what no message carries", () => {
  it("has no evidence", async () => {
    const more = (maxLength: number) => ({ Alone: { type: "string", maxLength } });
    const found = await tried(carrying(text, more(9)), carrying(text, more(8)));
    expect(oneOf(found, "bound-tightened").evidence).toBeUndefined();
  });
});
