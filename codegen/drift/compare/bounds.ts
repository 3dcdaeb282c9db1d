/** Rules of bounds and patterns. */
import type { Schema } from "../../model/protocol.js";
import type { Pair } from "../change.js";
import type { Context } from "./context.js";

/** The bounds, and what no bound is. */
const BOUNDS = [
  { key: "minimum", least: Number.NEGATIVE_INFINITY },
  { key: "maximum", most: Number.POSITIVE_INFINITY },
  { key: "minLength", least: 0 },
  { key: "maxLength", most: Number.POSITIVE_INFINITY },
  { key: "minItems", least: 0 },
  { key: "maxItems", most: Number.POSITIVE_INFINITY },
] as const;

/** Compares the bounds of two nodes. */
export function compareBounds(context: Context, pair: Pair, base: Schema, head: Schema): void {
  for (const bound of BOUNDS) {
    const { key } = bound;
    const [b, h] = [base[key], head[key]];
    const none = "least" in bound ? bound.least : bound.most;
    const change = (h ?? none) - (b ?? none);
    if (b === h || change === 0 || Number.isNaN(change)) continue;
    const tighter = "least" in bound ? change > 0 : change < 0;
    context.tell(tighter ? "bound-tightened" : "bound-loosened", pair, {
      kind: "changed",
      at: head,
      below: h === undefined ? "" : `/${key}`,
      before: { [key]: b ?? null },
      after: { [key]: h ?? null },
      ...(tighter ? { narrows: "yes" } : { widens: "yes" }),
      made: { node: base, with: set(base, key, h) },
      undone: { node: head, with: set(head, key, b) },
    });
  }
}

/** Compares the patterns of two nodes. */
export function comparePattern(context: Context, pair: Pair, base: Schema, head: Schema): void {
  const [b, h] = [base.pattern, head.pattern];
  if (b === h) return;
  const [rule, narrows, widens] =
    b === undefined
      ? (["pattern-added", "yes", "no"] as const)
      : h === undefined
        ? (["pattern-removed", "no", "yes"] as const)
        : (["pattern-changed", "maybe", "maybe"] as const);
  context.tell(rule, pair, {
    kind: "changed",
    at: head,
    below: h === undefined ? "" : "/pattern",
    before: b ?? null,
    after: h ?? null,
    narrows,
    widens,
    made: { node: base, with: set(base, "pattern", h) },
    undone: { node: head, with: set(head, "pattern", b) },
  });
}

/** A node with one facet of another. */
function set<Key extends keyof Schema>(node: Schema, key: Key, value: Schema[Key] | undefined): Schema {
  const { [key]: _, ...rest } = node;
  return (value === undefined ? rest : { ...rest, [key]: value }) as Schema;
}
