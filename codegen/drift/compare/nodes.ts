/** Compares the two nodes of a pair: by alternatives, and each of one type by its facets. */
import type { JsonType } from "../../bundle/keywords.js";
import { isReference } from "../../fingerprint/term.js";
import type { Schema } from "../../model/protocol.js";
import type { Pair } from "../change.js";
import { categoriesOf, valuesOf } from "./alternatives.js";
import { compareBounds, comparePattern } from "./bounds.js";
import type { Context } from "./context.js";
import { compareMembers } from "./members.js";
import { part } from "./part.js";
import { compareAlternatives, compareOpening, compareUnions, reshaped } from "./unions.js";
import { compareValues } from "./values.js";

/** Tells what differs between the nodes of a pair themselves, and which of their parts are to be compared. */
export function compareNodes(context: Context, pair: Pair): void {
  // An open union is a whole, and so is what it was or becomes.
  if (pair.base.union !== undefined && pair.head.union !== undefined)
    if (pair.base.union.open !== pair.head.union.open) {
      compareFacets(context, pair, pair.base, pair.head);
      return;
    }
  const base = context.base.of(pair.base);
  const head = context.head.of(pair.head);
  const [b, h] = [base[0] as Schema, head[0] as Schema];
  const whole = base.length === 1 && head.length === 1;
  const all = { base, head };
  if (base.some(isOpen) !== head.some(isOpen)) compareOpening(context, pair, all);
  else if (base.some(isMixed) !== head.some(isMixed)) reshaped(context, pair, pair.base, pair.head);
  else if (!whole || !comparable(b, h)) compareAlternatives(context, pair, all, all);
  else if (b !== pair.base || h !== pair.head) context.pairs.part(pair, { to: "same" }, b, h);
  else compareFacets(context, pair, b, h);
}

function isOpen({ union }: Schema): boolean {
  return union?.open === true;
}

/** Whether a node is a union whose arms nobody can tell apart. */
function isMixed({ union }: Schema): boolean {
  return union?.open === false;
}

/** Whether two alternatives take values of one type, or one of them of any. */
function comparable(base: Schema, head: Schema): boolean {
  const [b, h] = [categoriesOf(base), categoriesOf(head)];
  return b === undefined || h === undefined || b.join() === h.join();
}

function compareFacets(context: Context, pair: Pair, base: Schema, head: Schema): void {
  if (base.ref !== undefined || head.ref !== undefined) {
    if (base.ref === undefined || head.ref === undefined) {
      reshaped(context, pair, base, head);
      return;
    }
    const [b, h] = [bare(base), bare(head)];
    if (!context.same(b, h)) context.pairs.part(pair, { to: "same" }, b, h);
  }
  if ((base.union === undefined) !== (head.union === undefined)) {
    reshaped(context, pair, base, head);
    return;
  }
  compareTypes(context, pair, base, head);
  compareValues(context, pair, base, head);
  comparePattern(context, pair, base, head);
  compareBounds(context, pair, base, head);
  compareMembers(context, pair, base, head);
  compareItems(context, pair, base, head);
  compareUnions(context, pair, base, head);
}

/** The same type, but for numbers that need not be whole, and for nodes that say nothing of types. */
function compareTypes(context: Context, pair: Pair, base: Schema, head: Schema): void {
  // Listed values say of which types they are.
  if (valuesOf(base) !== undefined || valuesOf(head) !== undefined) return;
  const [b, h] = [accepted(base), accepted(head)];
  const gone = b === undefined ? h !== undefined : h !== undefined && !b.every((type) => h.includes(type));
  const fresh = h === undefined ? b !== undefined : b !== undefined && !h.every((type) => b.includes(type));
  const both = {
    kind: "changed" as const,
    at: head,
    below: head.types === undefined ? "" : "/type",
    before: base.types === undefined ? "any" : [...base.types],
    after: head.types === undefined ? "any" : [...head.types],
    made: { node: base, with: typed(base, head.types) },
    undone: { node: head, with: typed(head, base.types) },
  };
  if (gone) context.tell("type-removed", pair, { ...both, narrows: "yes" });
  if (fresh) context.tell("type-added", pair, { ...both, widens: "yes" });
}

function accepted({ types }: Schema): readonly JsonType[] | undefined {
  return types?.includes("number") === true ? [...types, "integer"] : types;
}

function typed(node: Schema, types: Schema["types"]): Schema {
  const { types: _, ...rest } = node;
  return types === undefined ? rest : { ...rest, types };
}

function compareItems(context: Context, pair: Pair, base: Schema, head: Schema): void {
  const [b, h] = [base.items, head.items];
  if (b === undefined && h === undefined) return;
  const any = (of: Schema): Schema => ({ pointer: of.pointer });
  const [one, other] = [b ?? any(base), h ?? any(head)];
  if (!context.same(one, other)) part(context, pair, { to: "items" }, one, other);
}

/** What a node that also says something itself refers to. */
function bare(node: Schema): Schema {
  return isReference(node) ? node : { pointer: node.pointer, ref: node.ref as string };
}
