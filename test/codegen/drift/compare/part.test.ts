/** A part that refers to something else than before, while nothing in either definition changed. */
import { describe, expect, test } from "vitest";
import { driftOf } from "../../../../codegen/drift/drift.js";
import { bundleOf, load } from "../../../support/compile.js";
import { loadGenerated } from "../../../support/samples.js";

const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const text = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };
const number = { type: "object", properties: { value: { type: "integer" } }, required: ["value"] };

async function changes(before: object, after: object, defsAfter: object = { Text: text, Number: number }) {
  const bundle = (part: object, defs: object) =>
    load(
      bundleOf(
        { It: { type: "object", properties: { part } }, ...defs },
        { methods: { read: { result: ref("It") } } },
      ),
    );
  const drift = await driftOf(bundle(before, { Text: text, Number: number }), bundle(after, defsAfter), {
    evidence: { load: loadGenerated },
  });
  return drift.changes.map(({ rule, pointer, verdict }) => `${rule} ${pointer} ${verdict}`);
}

describe("a reference that leads elsewhere", () => {
  test.each([
    ["to another definition", ref("Text"), ref("Number")],
    ["to a node of its own", ref("Text"), { type: "object", properties: {} }],
    ["from a node of its own", { type: "object", properties: {} }, ref("Text")],
    ["in a list", { type: "array", items: ref("Text") }, { type: "array", items: ref("Number") }],
    [
      "in a map",
      { type: "object", additionalProperties: ref("Text") },
      { type: "object", additionalProperties: ref("Number") },
    ],
  ])("%s is one change, at its own place", async (_, before, after) => {
    const [change, ...others] = await changes(before, after);
    expect(others).toEqual([]);
    expect(change).toMatch(
      /^shape-changed \/\$defs\/It\/properties\/part(\/items|\/additionalProperties)? breaking$/,
    );
  });

  test("is looked into where what it led to is gone", async () => {
    const renamed = { ...text, properties: { word: { type: "integer" } } };
    expect(await changes(ref("Text"), ref("Word"), { Number: number, Word: renamed })).toContain(
      "type-added /$defs/Word/properties/word breaking",
    );
  });
});
