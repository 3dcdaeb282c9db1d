/** Two versions of a small protocol, their differences, and the evidence for these. */

import type { Difference, Evidence } from "../../../../codegen/drift/change.js";
import { compareSurfaces } from "../../../../codegen/drift/compare/compare.js";
import { evidenceFor } from "../../../../codegen/drift/evidence/evidence.js";
import type { Loaded, RuleSettings } from "../../../../codegen/index.js";
import { bundleOf, load } from "../../../support/compile.js";
import { loadGenerated } from "../../../support/samples.js";

/** A difference and what was found for it. */
export interface Tried {
  readonly difference: Difference;
  readonly evidence: Evidence | undefined;
}

export interface TriedOptions {
  /** Makes a rule say something else than it does. */
  readonly poison?: (difference: Difference) => Difference;
  readonly runs?: number;
  readonly seed?: number;
  readonly rules?: RuleSettings;
  /** Told of the text of each module that is loaded. */
  readonly loaded?: (text: string) => void;
}

/**
 * A protocol in which both sides send a `V`: the client calls `a/call` with it, and the host answers with it.
 * @param value what a `V` is
 * @param more definitions beside it
 * @param marks of the method
 */
export function carrying(value: object, more: object = {}, marks: object = {}): string {
  const carrier = { type: "object", properties: { v: { $ref: "#/$defs/V" } }, required: ["v"] };
  return bundleOf(
    { V: value, Params: carrier, Result: carrier, ...more },
    {
      methods: {
        "a/call": { params: { $ref: "#/$defs/Params" }, result: { $ref: "#/$defs/Result" }, ...marks },
      },
    },
  );
}

/** The evidence for all differences of two bundles, in the order in which they are found. */
export async function tried(base: string, head: string, options: TriedOptions = {}): Promise<Tried[]> {
  const { poison = (difference) => difference, rules = {}, loaded, ...rest } = options;
  const [before, after] = [load(base, rules), load(head, rules)];
  const side = ({ protocol, bundle }: Loaded) => ({ protocol, root: bundle.root });
  const differences = compareSurfaces(side(before), side(after), true).map(poison);
  const found = await evidenceFor(differences, before.protocol, after.protocol, {
    load: (text) => {
      loaded?.(text);
      return loadGenerated(text);
    },
    ...rest,
  });
  return differences.map((difference) => ({ difference, evidence: found.get(difference) }));
}

/** The one of some tried differences that a rule told; a test fails where there is none or more than one. */
export function oneOf(all: readonly Tried[], rule: string): Tried {
  const found = all.filter(({ difference }) => difference.rule === rule);
  const [one] = found;
  if (one === undefined || found.length > 1)
    throw new Error(`${rule} was told ${found.length} times: ${all.map((t) => t.difference.rule).join(" ")}`);
  return one;
}
