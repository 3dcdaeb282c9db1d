/** A drift as one JSON document, for programs. */
import { type Json, ordered } from "../../bundle/json.js";
import { type Comparison, countsOf, type DriftRun, fails, standings } from "./run.js";

/**
 * `{ comparisons, findings }`. A change has all that `Change` has, its place (`file`, `line`, `column`), and before the
 * gate its `standing`, whether it `fails`, and its `acknowledgment`.
 */
export function jsonReport({ comparisons, findings }: DriftRun): string {
  return `${JSON.stringify({ comparisons: comparisons.map(comparisonValue), findings }, null, 2)}\n`;
}

function comparisonValue(comparison: Comparison): object {
  const { base, head, drift, gate, nextVersion, places } = comparison;
  const standing = standings(gate);
  return {
    base,
    head,
    ...(nextVersion === undefined ? {} : { nextVersion }),
    fingerprints: drift.fingerprints,
    counts: countsOf(comparison),
    changes: drift.changes.map((change) => {
      const { is, ...more } = standing(change);
      const judged = gate === undefined ? {} : { standing: is, fails: fails(standing(change)), ...more };
      const shapes = { ...shape("before", change.before), ...shape("after", change.after) };
      return { ...change, ...shapes, ...places(change.pointer, change.side), ...judged };
    }),
    hints: drift.hints,
  };
}

/** A shape with its members in one order: they come in that of the bundle. */
function shape(name: "before" | "after", value: Json | undefined): object {
  return value === undefined ? {} : { [name]: ordered(value) };
}
