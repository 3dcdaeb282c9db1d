/** A run with a change in every standing, for the tests of all reports. */
import { Source } from "../../../../codegen/bundle/source.js";
import { Findings } from "../../../../codegen/diagnostics/finding.js";
import type { Change, Drift } from "../../../../codegen/drift/change.js";
import { gate, reportAcknowledgments } from "../../../../codegen/drift/gate.js";
import type { Comparison, DriftRun } from "../../../../codegen/drift/report/run.js";
import { acknowledges, announced, changed, driftFrom, fileOf } from "../made.js";

/** Text that means something in XML, Markdown, and workflow commands, and that XML cannot hold. */
export const STRANGE = 'a<b>&"|`::,%\n\u0001]]>😀';

const id = (digit: string): string => digit.repeat(16);

/** A change in every standing, by what it is. */
export const CHANGES = {
  failing: changed({ id: id("1"), subject: STRANGE }),
  acknowledged: changed({
    id: id("2"),
    rule: "values-closed",
    kind: "changed",
    before: "open",
    after: "closed",
  }),
  withoutWindow: changed({ id: id("3"), rule: "method-removed", pointer: "/methods/a~1b" }),
  unknown: changed({
    id: id("4"),
    rule: "shape-changed",
    verdict: "unknown",
    evidence: { accepted: { "old-client-new-host": 7 }, witnesses: {}, disagreement: "They disagree here." },
  }),
  additive: changed({ id: id("5"), rule: "method-added", verdict: "additive", side: "head" }),
  none: changed({ id: id("6"), rule: "definition-added", verdict: "none", side: "head" }),
  experimental: changed({ id: id("7"), surface: "experimental" }),
  promoted: changed({ id: id("8"), rule: "member-added", verdict: "additive", moved: "promoted" }),
} as const satisfies Readonly<Record<string, Change>>;

const FILE = fileOf(
  [
    acknowledges(CHANGES.acknowledged, { acts: "both", reason: ` ${STRANGE} ` }),
    acknowledges(CHANGES.withoutWindow),
    acknowledges(changed({ id: id("9"), pointer: "/$defs/Z" })),
  ],
  [announced()],
);

/** The comparison of {@link CHANGES}. */
export const COMPARISON: Comparison = ((): Comparison => {
  const drift: Drift = {
    ...driftFrom(...Object.values(CHANGES)),
    hints: [{ kind: "renamed", from: "/methods/a~1b", to: "/methods/a~1c" }],
  };
  return {
    base: "1.4.0",
    head: "schema/a b.json",
    drift,
    gate: gate(drift, FILE, { release: "1.4.0" }),
    nextVersion: "2.0.0",
    places: (pointer, side) => ({ file: `${side}.json`, line: pointer.length + 1, column: 7 }),
  };
})();

/** The run: it, a base from which nothing changed, and what is wrong with the acknowledgments. */
export const RUN: DriftRun = ((): DriftRun => {
  const text = JSON.stringify(FILE, null, 2);
  const findings = new Findings();
  const source = new Source("acknowledgments.json", text, JSON.parse(text));
  if (COMPARISON.gate !== undefined) reportAcknowledgments([COMPARISON.gate], FILE, source, findings);
  const same: Comparison = {
    base: "1.3.0",
    head: COMPARISON.head,
    drift: driftFrom(),
    gate: gate(driftFrom(), fileOf()),
    places: COMPARISON.places,
  };
  return { comparisons: [COMPARISON, same], findings: findings.sorted() };
})();

/** The same run where nothing is judged. */
export const UNJUDGED: DriftRun = {
  comparisons: RUN.comparisons.map(({ gate: _, ...rest }) => rest),
  findings: [],
};
