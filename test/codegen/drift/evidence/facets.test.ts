/** That each kind of change is shown by messages of the real versions, or by how many were taken. */
import { expect, test } from "vitest";
import { PAIRINGS, type Pairing, type Witness } from "../../../../codegen/drift/change.js";
import { planOf, type Validate, validatorsOf } from "../../../support/compile.js";
import { carrying, oneOf, tried } from "./tried.js";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const text = { type: "string" };
const word = (values: readonly string[], openness: "open" | "closed" = "closed") => ({
  type: "string",
  enum: values,
  "x-msp-openness": openness,
});
const tagged = (...tags: string[]) => ({
  oneOf: tags.map((t) => object({ t: { const: t }, [t]: { type: "integer" } }, { required: ["t", t] })),
});
const openUnion = (...tags: string[]) => ({
  anyOf: [...tagged(...tags).oneOf, object({ t: text }, { required: ["t"] })],
  "x-msp-openness": "open",
});

/** The rule, the node before and after, and the keyword by which the loser's reader refuses. */
const LOSSES: readonly (readonly [rule: string, wide: object, narrow: object, keyword: string])[] = [
  ["value-removed", word(["a", "b", "c"]), word(["a", "c"]), "enum"],
  ["values-closed", word(["a", "b"], "open"), word(["a", "b"]), "enum"],
  ["type-removed", { type: "number" }, { type: "integer" }, "type"],
  ["type-removed", { type: ["integer", "string"] }, { type: "integer" }, "type"],
  ["null-removed", { type: ["string", "null"] }, text, "type"],
  [
    "required-member-added",
    object({ a: text }),
    object({ a: text, b: text }, { required: ["b"] }),
    "required",
  ],
  [
    "member-required",
    object({ a: text, b: text }),
    object({ a: text, b: text }, { required: ["b"] }),
    "required",
  ],
  [
    "dependency-added",
    object({ a: text, b: text }),
    object({ a: text, b: text }, { dependentRequired: { a: ["b"] } }),
    "dependentRequired",
  ],
  ["others-restricted", object({ a: text }), object({ a: text }, { additionalProperties: text }), "type"],
  ["bound-tightened", { type: "integer", maximum: 1_000 }, { type: "integer", maximum: 999 }, "maximum"],
  ["bound-tightened", { type: "number", minimum: -5 }, { type: "number", minimum: -4.5 }, "minimum"],
  ["bound-tightened", { type: "string", maxLength: 400 }, { type: "string", maxLength: 399 }, "maxLength"],
  ["bound-tightened", text, { type: "string", minLength: 1 }, "minLength"],
  [
    "bound-tightened",
    { type: "string", pattern: "^[a-f]+-[0-9]{2}$", maxLength: 60 },
    { type: "string", pattern: "^[a-f]+-[0-9]{2}$", maxLength: 59 },
    "maxLength",
  ],
  [
    "bound-tightened",
    { type: "array", items: text, maxItems: 90 },
    { type: "array", items: text, maxItems: 80 },
    "maxItems",
  ],
  [
    "bound-tightened",
    { type: "array", items: text },
    { type: "array", items: text, minItems: 1 },
    "minItems",
  ],
  ["pattern-added", text, { type: "string", pattern: "^[a-z]+$" }, "pattern"],
  [
    "pattern-changed",
    { type: "string", pattern: "^[a-z_]+$" },
    { type: "string", pattern: "^[a-z]+$" },
    "pattern",
  ],
  ["arm-removed", tagged("a", "b", "c"), tagged("a", "c"), "oneOf"],
  ["union-closed", openUnion("a", "b"), tagged("a", "b"), "oneOf"],
];

const sizes = new Map<string, number>();

test.each(LOSSES)("%s: %j to %j is shown both ways", async (rule, wide, narrow, keyword) => {
  const [before, after] = [carrying(wide), carrying(narrow)];
  const { difference, evidence } = oneOf(await tried(before, after), rule);
  expect(evidence?.disagreement).toBeUndefined();
  expect(difference.narrows).not.toBe("no");
  // Both sides send it, so the loss shows in both pairings: with an old client, and with an old host.
  expect(Object.keys(evidence?.witnesses ?? {}).sort()).toEqual([...PAIRINGS].sort());
  for (const pairing of PAIRINGS) {
    const witness = evidence?.witnesses[pairing] as Witness;
    const sender = pairing === "old-client-new-host" ? "client" : "host";
    expect(witness).toMatchObject({ pairing, sender, use: { message: "a/call", sender } });
    expect(witness.refusal.keyword).toBe(keyword);
    await holds(witness, before, after);
    sizes.set(`${rule} ${pairing}`, JSON.stringify(witness.value).length);
  }
});

test.each(LOSSES)("%s: %j from %j is shown to be gained", async (_rule, wide, narrow, keyword) => {
  const [before, after] = [carrying(narrow), carrying(wide)];
  const shown = (await tried(before, after)).filter(({ difference }) => difference.widens !== "no");
  expect(shown.length).toBeGreaterThan(0);
  for (const { evidence } of shown) {
    expect(evidence?.disagreement).toBeUndefined();
    const witness = evidence?.witnesses["old-client-new-host"] as Witness;
    // A new host says it to an old client.
    expect(witness).toMatchObject({ sender: "host" });
    expect(["required", keyword]).toContain(witness.refusal.keyword);
    await holds(witness, after, before);
  }
});

/** Holds a witness against validators that the evidence was not made with. */
async function holds({ use, value, refusal }: Witness, sender: string, reader: string): Promise<void> {
  const of = async (bundle: string): Promise<Validate> => {
    const { params, result } = (await validatorsOf(planOf(bundle))).methods["a/call"] as {
      readonly params?: Validate;
      readonly result: Validate;
    };
    return use.part === "params" ? (params as Validate) : result;
  };
  expect((await of(sender))(value)).toBeNull();
  expect((await of(reader))(value, { all: true })).toContainEqual(refusal);
}

test("witnesses are small", () => {
  expect(sizes.size).toBeGreaterThan(20);
  // Most are a wrapper of 6 characters and a word; the longest have to be beyond a bound.
  const bounded = new Set(["bound-tightened old-client-new-host", "bound-tightened new-client-old-host"]);
  const long = [...sizes].filter(([name, size]) => size > 40 && !bounded.has(name));
  expect(long).toEqual([]);
});

const HARMLESS: readonly (readonly [rule: string, before: object, after: object])[] = [
  [
    "member-added",
    object({ a: text }, { required: ["a"] }),
    object({ a: text, b: { type: "integer" } }, { required: ["a"] }),
  ],
  ["member-removed", object({ a: text, b: { type: "integer" } }), object({ a: text })],
  ["value-added", word(["a", "b"], "open"), word(["a", "b", "c"], "open")],
  ["arm-added", openUnion("a", "b"), openUnion("a", "b", "c")],
  ["arm-removed", openUnion("a", "b", "c"), openUnion("a", "c")],
];

test.each(HARMLESS)("%s: %j to %j has counts and no witness", async (rule, before, after) => {
  const { evidence } = oneOf(await tried(carrying(before), carrying(after)), rule);
  expect(evidence?.disagreement).toBeUndefined();
  expect(evidence?.witnesses).toEqual({});
  for (const pairing of PAIRINGS as readonly Pairing[])
    expect(evidence?.accepted[pairing]).toBeGreaterThan(10);
});
