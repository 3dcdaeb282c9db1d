/** What stands beside listed values counts where a peer could see it. */
import { expect, test } from "vitest";
import { fingerprintOf } from "../../../codegen/index.js";
import { bundleOf, load } from "../../support/compile.js";

function print(node: object): string {
  const defs = { Answer: { type: "object", properties: { value: node } } };
  const methods = { ask: { result: { $ref: "#/$defs/Answer" } } };
  return fingerprintOf(load(bundleOf(defs, { methods })).protocol).fingerprint;
}

const open = { enum: ["a"], "x-msp-openness": "open" };
const closed = { enum: ["a", 1], "x-msp-openness": "closed" };

test.each([
  ["a bound of an open enum", open, { ...open, maxLength: 3 }],
  ["another bound", { ...open, maxLength: 4 }, { ...open, maxLength: 3 }],
  ["a pattern of an open enum", open, { ...open, pattern: "^a" }],
  ["a type that leaves out a value", closed, { ...closed, type: "string" }],
  ["a bound of a number in a closed enum", closed, { ...closed, minimum: 2 }],
  [
    "a closed enum beside a constant",
    { const: "a" },
    { const: "a", enum: ["b"], "x-msp-openness": "closed" },
  ],
])("%s moves the fingerprint", (_, one, other) => {
  expect(print(one)).not.toBe(print(other));
});

test.each([
  ["the type that all strings have", open, { ...open, type: "string" }],
  ["types that all values have", closed, { ...closed, type: ["integer", "string"] }],
  ["the type of a constant", { const: "a" }, { const: "a", type: "string" }],
  ["a constant as an enum of one", { const: "a" }, { enum: ["a"], "x-msp-openness": "closed" }],
  ["a length that every string has", open, { ...open, type: "string", minLength: 0 }],
])("%s leaves it where it is", (_, one, other) => {
  expect(print(one)).toBe(print(other));
});
