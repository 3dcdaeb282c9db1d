/** Rules of objects: which members there are, which must be there, and what others may be. */

import { escapeToken } from "../../bundle/pointer.js";
import { type Dependency, facetsOf, type Member, type Schema } from "../../model/protocol.js";
import type { Pair } from "../change.js";
import { shapeOf } from "../shape.js";
import type { Alternatives } from "./alternatives.js";
import type { Context } from "./context.js";
import { part } from "./part.js";

/** Compares the members of two nodes that take objects. */
export function compareMembers(context: Context, pair: Pair, base: Schema, head: Schema): void {
  const before = new Map((base.members ?? []).map((member) => [member.name, member]));
  const after = new Map((head.members ?? []).map((member) => [member.name, member]));
  for (const [name, member] of after) if (!before.has(name)) added(context, pair, base, head, member);
  for (const [name, member] of before) {
    const now = after.get(name);
    if (now === undefined) removed(context, pair, base, head, member);
    else both(context, pair, base, head, member, now);
  }
  compareDependencies(context, pair, base, head);
  compareOthers(context, pair, base, head);
}

function added(context: Context, pair: Pair, base: Schema, head: Schema, member: Member): void {
  context.tell(member.required ? "required-member-added" : "member-added", pair, {
    kind: "added",
    at: head,
    below: placeOf(member),
    after: { ...shapeOf(member.schema), ...(member.required ? { "required here": true } : {}) },
    // What is not declared had to be of a shape, and could have any name.
    narrows: member.required ? "yes" : isFree(context.base, base.additional) ? "no" : "maybe",
    widens: isFree(context.base, base.additional) ? "no" : "maybe",
    made: { node: base, with: withMember(base, member) },
    undone: { node: head, with: withoutMember(head, member.name) },
  });
}

function removed(context: Context, pair: Pair, base: Schema, head: Schema, member: Member): void {
  context.tell(member.required ? "required-member-removed" : "member-removed", pair, {
    kind: "removed",
    at: base,
    below: placeOf(member),
    before: { ...shapeOf(member.schema), ...(member.required ? { "required here": true } : {}) },
    narrows: isFree(context.head, head.additional) ? "no" : "maybe",
    widens: member.required ? "yes" : isFree(context.head, head.additional) ? "no" : "maybe",
    relied: true,
    made: { node: base, with: withoutMember(base, member.name) },
    undone: { node: head, with: withMember(head, member) },
  });
}

function both(context: Context, pair: Pair, base: Schema, head: Schema, before: Member, after: Member): void {
  if (before.required !== after.required)
    context.tell(after.required ? "member-required" : "member-optional", pair, {
      kind: "changed",
      at: head,
      below: placeOf(after),
      before: before.required ? "required" : "optional",
      after: after.required ? "required" : "optional",
      ...(after.required ? { narrows: "yes" } : { widens: "yes" }),
      made: { node: base, with: withMember(base, { ...before, required: after.required }) },
      undone: { node: head, with: withMember(head, { ...after, required: before.required }) },
    });
  if (!context.same(before.schema, after.schema))
    part(context, pair, { to: "member", name: after.name }, before.schema, after.schema);
}

function compareDependencies(context: Context, pair: Pair, base: Schema, head: Schema): void {
  const words = (list: readonly Dependency[] | undefined): string[] =>
    (list ?? []).flatMap(({ name, needs }) => needs.map((need) => JSON.stringify([name, need])));
  const [b, h] = [words(base.dependentRequired), words(head.dependentRequired)];
  const at = "/dependentRequired";
  for (const word of h.filter((one) => !b.includes(one)))
    context.tell("dependency-added", pair, {
      kind: "added",
      at: head,
      below: at,
      after: JSON.parse(word) as string[],
      narrows: "yes",
      made: { node: base, with: withNeeds(base, [...b, word]) },
      undone: {
        node: head,
        with: withNeeds(
          head,
          h.filter((one) => one !== word),
        ),
      },
    });
  for (const word of b.filter((one) => !h.includes(one)))
    context.tell("dependency-removed", pair, {
      kind: "removed",
      at: base,
      below: at,
      before: JSON.parse(word) as string[],
      widens: "yes",
      made: {
        node: base,
        with: withNeeds(
          base,
          b.filter((one) => one !== word),
        ),
      },
      undone: { node: head, with: withNeeds(head, [...h, word]) },
    });
}

function compareOthers(context: Context, pair: Pair, base: Schema, head: Schema): void {
  const [b, h] = [base.additional, head.additional];
  const [freeBefore, freeAfter] = [isFree(context.base, b), isFree(context.head, h)];
  if (freeBefore && freeAfter) return;
  if (!freeBefore && !freeAfter) {
    if (!context.same(b as Schema, h as Schema))
      part(context, pair, { to: "additional" }, b as Schema, h as Schema);
    return;
  }
  context.tell(freeBefore ? "others-restricted" : "others-freed", pair, {
    kind: "changed",
    at: head,
    below: h === undefined ? "" : "/additionalProperties",
    before: b === undefined ? null : shapeOf(b),
    after: h === undefined ? null : shapeOf(h),
    ...(freeBefore ? { narrows: "yes" } : { widens: "yes" }),
    made: { node: base, with: withOthers(base, h) },
    undone: { node: head, with: withOthers(head, b) },
  });
}

/** Whether what is not declared may be anything. */
function isFree(side: Alternatives, additional: Schema | undefined): boolean {
  return additional === undefined || side.of(additional).every((node) => facetsOf(node).length === 0);
}

function placeOf({ name, declared }: Member): string {
  return declared ? `/properties/${escapeToken(name)}` : "/required";
}

function withMember(node: Schema, member: Member): Schema {
  const others = (node.members ?? []).filter(({ name }) => name !== member.name);
  return { ...node, members: [...others, member] };
}

function withoutMember(node: Schema, name: string): Schema {
  return { ...node, members: (node.members ?? []).filter((member) => member.name !== name) };
}

function withNeeds(node: Schema, words: readonly string[]): Schema {
  const needs = new Map<string, string[]>();
  for (const word of words) {
    const [name, need] = JSON.parse(word) as [string, string];
    needs.set(name, [...(needs.get(name) ?? []), need]);
  }
  const { dependentRequired: _, ...rest } = node;
  const list = [...needs].map(([name, all]) => ({ name, needs: all }));
  return list.length === 0 ? rest : { ...rest, dependentRequired: list };
}

function withOthers(node: Schema, additional: Schema | undefined): Schema {
  const { additional: _, ...rest } = node;
  return additional === undefined ? rest : { ...rest, additional };
}
