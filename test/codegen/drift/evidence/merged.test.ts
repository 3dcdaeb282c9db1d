/** Nodes of two versions in one set of definitions: names clash, and a node may be made up of both. */
import { expect, it } from "vitest";
import { Merged } from "../../../../codegen/drift/evidence/merged.js";
import type { Schema } from "../../../../codegen/index.js";
import { bundleOf, load } from "../../../support/compile.js";

const object = (properties: object) => ({ type: "object", properties });
const inner = { $ref: "#/$defs/Inner" };
const protocolOf = (maximum: number, more: object) =>
  load(
    bundleOf({
      Outer: object({ a: inner, ...more }),
      Inner: object({ n: { type: "integer", maximum } }),
      Alone: {},
    }),
  ).protocol;

const [base, head] = [protocolOf(5, {}), protocolOf(3, { b: inner })];
const outer = (of: typeof base): Schema =>
  (of.definitions.get("Outer") as { readonly schema: Schema }).schema;
const member = (of: Schema, name: string): Schema =>
  ((of.members ?? []).find((one) => one.name === name) as { readonly schema: Schema }).schema;

/** The bound that a member of a definition comes to. */
function boundOf(merged: Merged, id: string, name: string): number | undefined {
  const { ref } = member(merged.node(id), name);
  return member(merged.node(ref as string), "n").maximum;
}

it("keeps each member's references on its own side, in a node that is made up of both", () => {
  const merged = new Merged(base, head);
  const added = outer(head).members?.find(({ name }) => name === "b");
  const made = {
    ...outer(base),
    members: [...(outer(base).members ?? []), added as NonNullable<typeof added>],
  };
  const id = merged.add(made, "base");
  expect([boundOf(merged, id, "a"), boundOf(merged, id, "b")]).toEqual([5, 3]);
});

it("takes a node of a model for one of that model, whatever the side that is said", () => {
  const merged = new Merged(base, head);
  expect(boundOf(merged, merged.add(outer(head), "base"), "a")).toBe(3);
  expect(boundOf(merged, merged.add(outer(base), "head"), "a")).toBe(5);
});

it("takes the side that is said for nodes that both models have", () => {
  const merged = new Merged(base, {
    ...head,
    definitions: new Map([
      ...head.definitions,
      ["Outer", { name: "Outer", pointer: "", schema: outer(base) }],
    ]),
  });
  expect(boundOf(merged, merged.add(outer(base), "head"), "a")).toBe(3);
  expect(boundOf(merged, merged.add(outer(base), "base"), "a")).toBe(5);
});

it("has what is referred to and nothing else, and what says the same once", () => {
  const merged = new Merged(base, head);
  const id = merged.add(outer(base), "base");
  expect(merged.add(outer(base), "base")).toBe(id);
  expect(merged.add({ pointer: "", ref: "Outer" }, "base")).toBe(id);
  const made: Schema = { pointer: "", types: ["string"] };
  expect(merged.add({ ...made }, "base")).toBe(merged.add({ ...made }, "head"));
  expect(merged.definitions.size).toBe(3);
});
