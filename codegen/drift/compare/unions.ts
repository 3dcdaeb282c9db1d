/** Rules of alternatives: of types, of null, of the arms of a union. */
import type { Schema, Union } from "../../model/protocol.js";
import type { Effect, Pair } from "../change.js";
import { shapeOf } from "../shape.js";
import { kindOf, matchArms, mayOverlap, takesOnlyObjects } from "./arms.js";
import type { Context, Told } from "./context.js";

/** The alternatives of two nodes: those to be compared, and all that there are. */
export interface Sides {
  readonly base: readonly Schema[];
  readonly head: readonly Schema[];
}

/** Compares two nodes as alternatives: those that belong together are parts, the others came or went. */
export function compareAlternatives(context: Context, pair: Pair, { base, head }: Sides, all: Sides): void {
  const matches = matchArms(context, base, head);
  for (const [b, h] of matches.matched)
    if (!context.same(b, h)) context.pairs.part(pair, { to: "same" }, b, h);
  // What went and what came in its place may be the same values, told in another way.
  const stays = matches.gone.filter((b) => !matches.fresh.some((h) => mayOverlap(context, b, h)));
  const isReshaped = stays.length < matches.gone.length;
  if (isReshaped) reshaped(context, pair, pair.base, pair.head);
  const gone = isReshaped ? stays : matches.gone;
  const fresh = isReshaped
    ? matches.fresh.filter((h) => !matches.gone.some((b) => mayOverlap(context, b, h)))
    : matches.fresh;
  for (const arm of fresh)
    context.tell(ruleOf(kindOf(context.head, arm), kindsOf(context.base, all.base), "added"), pair, {
      kind: "added",
      at: atUnion(pair.head, arm),
      after: shapeOf(arm),
      widens: effectOf(all.base.some((b) => mayOverlap(context, b, arm))),
      made: { node: pair.base, with: anyOf([...all.base, arm], pair.base) },
      undone: { node: pair.head, with: leaving(all.head, arm, pair.head) ?? pair.base },
    });
  for (const arm of gone)
    context.tell(ruleOf(kindOf(context.base, arm), kindsOf(context.head, all.head), "removed"), pair, {
      kind: "removed",
      at: atUnion(pair.base, arm),
      before: shapeOf(arm),
      narrows: effectOf(all.head.some((h) => mayOverlap(context, arm, h))),
      made: { node: pair.base, with: leaving(all.base, arm, pair.base) ?? pair.head },
      undone: { node: pair.head, with: anyOf([...all.head, arm], pair.head) },
    });
}

/** Compares two unions that are taken as a whole: open ones, and those whose arms may overlap. */
export function compareUnions(context: Context, pair: Pair, base: Schema, head: Schema): void {
  const [b, h] = [base.union, head.union];
  if (b === undefined && h === undefined) return;
  if (b === undefined || h === undefined || (!b.open && !h.open && b.keyword !== h.keyword)) {
    reshaped(context, pair, base, head);
    return;
  }
  const [armsB, armsH] = [b.open ? b.arms.slice(0, -1) : b.arms, h.open ? h.arms.slice(0, -1) : h.arms];
  const { matched, gone, fresh } = matchArms(context, armsB, armsH);
  if (b.open && h.open) matched.push([b.arms.at(-1) as Schema, h.arms.at(-1) as Schema]);
  for (const [one, other] of matched)
    if (!context.same(one, other)) context.pairs.part(pair, { to: "same" }, one, other);
  if (b.open && !h.open)
    context.tell("union-closed", pair, {
      kind: "changed",
      at: head,
      before: "open",
      after: "closed",
      narrows: "yes",
      made: { node: base, with: closed(base, [...armsB, ...fresh]) },
      undone: { node: head, with: opened(head, [...armsH, ...gone], b) },
    });
  if (!b.open && h.open)
    context.tell("union-opened", pair, {
      kind: "changed",
      at: head,
      before: "closed",
      after: "open",
      widens: "yes",
      made: { node: base, with: opened(base, [...armsB, ...fresh], h) },
      undone: { node: head, with: closed(head, [...armsH, ...gone]) },
    });
  // Arms of closed unions that overlap may exclude each other.
  const exclude = (of: Union): Effect => (of.keyword === "oneOf" && !b.open && !h.open ? "maybe" : "no");
  for (const arm of fresh) {
    const taken = b.open && takesOnlyObjects(context.head.takes(arm));
    context.tell(ruleOf(kindOf(context.head, arm), kindsOf(context.base, b.arms), "added"), pair, {
      kind: "added",
      ...placeOf(pair.head, head),
      after: shapeOf(arm),
      widens: taken ? "no" : effectOf(armsB.some((one) => mayOverlap(context, one, arm))),
      narrows: exclude(h),
      made: { node: base, with: withArms(base, [arm, ...b.arms]) },
      // Where the union was opened too, the sender says no other arms that the earlier one refuses.
      undone: {
        node: b.open ? head : closed(head, armsH),
        with: b.open ? withArms(head, without(h.arms, arm)) : closed(head, without(armsH, arm)),
      },
    });
  }
  for (const arm of gone) {
    const taken = h.open && takesOnlyObjects(context.base.takes(arm));
    context.tell(ruleOf(kindOf(context.base, arm), kindsOf(context.head, h.arms), "removed"), pair, {
      kind: "removed",
      ...placeOf(pair.base, base),
      before: shapeOf(arm),
      narrows: taken ? "no" : effectOf(armsH.some((one) => mayOverlap(context, arm, one))),
      widens: exclude(b),
      relied: taken,
      made: {
        node: h.open ? base : closed(base, armsB),
        with: h.open ? withArms(base, without(b.arms, arm)) : closed(base, without(armsB, arm)),
      },
      undone: { node: head, with: withArms(head, [arm, ...h.arms]) },
    });
  }
}

/** Compares alternatives of which one side has an open union and the other has its arms as they are. */
export function compareOpening(context: Context, pair: Pair, all: Sides): void {
  const isOpen = ({ union }: Schema): boolean => union?.open === true;
  const side = all.base.some(isOpen) ? "base" : "head";
  const other = side === "base" ? "head" : "base";
  const whole = all[side].find(isOpen) as Schema;
  const takes = context[side].takes(whole);
  // What the open union might take stands against it as a closed one.
  const arms = all[other].filter((arm) => {
    const of = context[other].takes(arm);
    return of.size > 0 && [...of].every((category) => takes.has(category));
  });
  const rest: Sides = {
    base: all.base.filter((arm) => (side === "base" ? arm !== whole : !arms.includes(arm))),
    head: all.head.filter((arm) => (side === "head" ? arm !== whole : !arms.includes(arm))),
  };
  if (arms.length === 0) {
    compareAlternatives(context, pair, all, all);
    return;
  }
  const { pointer, union } = pair[other];
  const made: Schema = { pointer, union: { keyword: union?.keyword ?? "anyOf", arms, open: false } };
  compareUnions(context, pair, side === "base" ? whole : made, side === "head" ? whole : made);
  compareAlternatives(context, pair, rest, all);
}

/** Tells that a node is built in another way. */
export function reshaped(context: Context, pair: Pair, base: Schema, head: Schema): void {
  context.tell("shape-changed", pair, {
    kind: "changed",
    at: head,
    before: shapeOf(base),
    after: shapeOf(head),
    narrows: "maybe",
    widens: "maybe",
    made: { node: base, with: head },
    undone: { node: head, with: base },
  });
}

function kindsOf(side: Context["base"], arms: readonly Schema[]): readonly string[] {
  return arms.map((arm) => kindOf(side, arm));
}

function ruleOf(
  kind: string,
  others: readonly string[],
  what: "added" | "removed",
): `${"null" | "type" | "arm"}-${"added" | "removed"}` {
  if (kind === "null") return `null-${what}`;
  return `${others.includes(kind) ? "arm" : "type"}-${what}`;
}

/** What comes that others may take already, or goes that others may take still, is to be tried. */
function effectOf(overlaps: boolean): Effect {
  return overlaps ? "maybe" : "yes";
}

/** An arm came to or left the node that has it; a part of a list of types has the pointer of the node. */
function atUnion(node: Schema, arm: Schema): Schema {
  return node.union === undefined ? arm : node;
}

/** The place of the arms of a union, which may have been put together of what the bundle says otherwise. */
function placeOf(written: Schema, { pointer, union }: Schema): Pick<Told, "at" | "below"> {
  const isMade = written.pointer === pointer && written.union === undefined;
  return { at: { pointer }, below: isMade ? "" : `/${(union as Union).keyword}` };
}

function without(arms: readonly Schema[], arm: Schema): readonly Schema[] {
  return arms.filter((one) => one !== arm);
}

function leaving(arms: readonly Schema[], arm: Schema, node: Schema): Schema | undefined {
  const rest = without(arms, arm);
  return rest.length === 0 ? undefined : anyOf(rest, node);
}

function anyOf(arms: readonly Schema[], { pointer }: Schema): Schema {
  const [only] = arms;
  if (only !== undefined && arms.length === 1) return only;
  return { pointer, union: { keyword: "anyOf", arms, open: false } };
}

function withArms(node: Schema, arms: readonly Schema[]): Schema {
  return { ...node, union: { ...(node.union as Union), arms } };
}

/** A union without arms of the future; of none at all, a node that takes nothing. */
function closed(node: Schema, arms: readonly Schema[]): Schema {
  if (arms.length === 0) return { pointer: node.pointer, enum: { values: [], open: false, stated: true } };
  return { ...node, union: { ...(node.union as Union), arms, open: false } };
}

/** A union that takes arms of the future as another one does. */
function opened(node: Schema, arms: readonly Schema[], like: Union): Schema {
  return { ...node, union: { keyword: "anyOf", arms: [...arms, like.arms.at(-1) as Schema], open: true } };
}
