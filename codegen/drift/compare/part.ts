/** Goes on from a node to a part of it, unless the part refers elsewhere now. */
import { isReference } from "../../fingerprint/term.js";
import type { Schema } from "../../model/protocol.js";
import type { Pair, Step } from "../change.js";
import type { Context } from "./context.js";
import { reshaped } from "./unions.js";

/** Says that two nodes are a part of a pair. Where they refer to different things, that is told and no more. */
export function part(context: Context, whole: Pair, step: Step, base: Schema, head: Schema): void {
  const pair = context.pairs.part(whole, step, base, head);
  if (!refersElsewhere(context, base, head)) return;
  reshaped(context, pair, base, head);
  context.pairs.close(pair);
}

/**
 * Whether one of two nodes is a reference to a definition that both versions have alike, and the other one is not: then
 * nothing in the definition changed, and to compare what is inside would name places at which nothing happened.
 */
function refersElsewhere(context: Context, base: Schema, head: Schema): boolean {
  if (base.union !== undefined || head.union !== undefined) return false;
  const [b, h] = [targetOf(base), targetOf(head)];
  return b !== h && (isKept(context, b) || isKept(context, h));
}

function targetOf(node: Schema): string | undefined {
  return isReference(node) ? node.ref : undefined;
}

function isKept(context: Context, name: string | undefined): boolean {
  if (name === undefined) return false;
  const [was, now] = [context.pairs.definitions.base.get(name), context.pairs.definitions.head.get(name)];
  return was !== undefined && now !== undefined && context.same(was.schema, now.schema);
}
