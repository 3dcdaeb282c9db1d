/** Compares two surfaces: all their differences, each with where it stands and how messages come there. */
import { digestsFor } from "../../fingerprint/fingerprint.js";
import { references, type Schema } from "../../model/protocol.js";
import { reachingCycles } from "../../model/recursion.js";
import type { Difference } from "../change.js";
import { Alternatives } from "./alternatives.js";
import { compareAnnotations, type Side } from "./annotations.js";
import { type Context, differenceOf } from "./context.js";
import { compareMessages } from "./messages.js";
import { namer } from "./named.js";
import { compareNodes } from "./nodes.js";
import { Pairs } from "./pairs.js";

/**
 * The differences of two surfaces, in no order.
 * @param marks whether both bundles say how messages are treated, so that this can be compared too
 */
export function compareSurfaces(base: Side, head: Side, marks: boolean): Difference[] {
  const [before, after] = [base.protocol.definitions, head.protocol.definitions];
  const pairs = new Pairs(before, after);
  const found = [
    ...compareMessages(pairs, base.protocol, head.protocol, marks),
    ...compareAnnotations(base, head, marks),
  ];
  const [digestsBefore, digestsAfter] = [digestsFor(base.protocol), digestsFor(head.protocol)];
  const [endlessBefore, endlessAfter] = [endless(before), endless(after)];
  // The digest of a node that contains itself is as long as the ring, so such nodes are walked instead.
  const digest: Context["digest"] = (side, node) =>
    side === "base"
      ? endlessBefore(node)
        ? undefined
        : digestsBefore.of(node)
      : endlessAfter(node)
        ? undefined
        : digestsAfter.of(node);
  const context: Context = {
    pairs,
    base: new Alternatives(before),
    head: new Alternatives(after),
    digest,
    same: (b, h) => {
      // One node means the same on both sides where its references do.
      if (b === h && before === after) return true;
      const text = digest("base", b);
      return text !== undefined && text === digest("head", h);
    },
    tell: (rule, pair, told) => found.push(differenceOf(rule, pair, told)),
  };
  for (let pair = pairs.next(); pair !== undefined; pair = pairs.next())
    if (!context.same(pair.base, pair.head)) compareNodes(context, pair);
  pairs.trace();
  const names = { base: namer(before), head: namer(after) };
  return found.map((one) => {
    const place = names[one.side](one.pointer);
    return place === one.pointer ? one : { ...one, place };
  });
}

/** Whether a node contains itself or reaches one that does. */
function endless(definitions: Side["protocol"]["definitions"]): (node: Schema) => boolean {
  const cyclic = reachingCycles(definitions);
  if (cyclic.size === 0) return () => false;
  return (node) => [...references(node)].some((name) => cyclic.has(name));
}
