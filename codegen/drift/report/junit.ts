/** A drift in the form of JUnit. */
import { findingLine } from "../../diagnostics/finding.js";
import { type JunitCase, type JunitSuite, junitDocument } from "../../diagnostics/junit.js";
import { type Comparison, type DriftRun, explanation, fails, sentence, standings, summary } from "./run.js";

/**
 * A suite for each base with a case for each change; those that fail are failures. One more suite has what is wrong
 * beside the changes. A suite without such has one case that says so: systems call a report without cases broken.
 */
export function junitReport({ comparisons, findings }: DriftRun): string {
  const beside: JunitSuite = {
    name: "mspkit breaking: beside the changes",
    cases: findings.map((finding) => ({
      group: finding.rule,
      name: `${finding.file}#${finding.instanceLocation}`,
      failure: { message: finding.message, text: findingLine(finding) },
    })),
  };
  const quiet: JunitCase = { group: "drift", name: "nothing is wrong beside the changes" };
  return junitDocument([
    ...comparisons.map(suite),
    { ...beside, cases: beside.cases.length === 0 ? [quiet] : beside.cases },
  ]);
}

function suite(comparison: Comparison): JunitSuite {
  const { base, head, drift, gate, places } = comparison;
  const standing = standings(gate);
  const cases = drift.changes.map((change): JunitCase => {
    const { file, line, column } = places(change.pointer, change.side);
    const message = `${change.verdict}: ${sentence(change)}`;
    const text = [`${file}:${line}:${column}`, ...explanation(change, standing(change), comparison)].join(
      "\n",
    );
    const outcome = fails(standing(change))
      ? { failure: { message, text } }
      : { output: `${message}\n${text}` };
    return { group: change.rule, name: `${change.pointer} (${change.id})`, ...outcome };
  });
  const counted: JunitCase = { group: "drift", name: "counted", output: summary(comparison) };
  return { name: `mspkit breaking: ${base} to ${head}`, cases: [...cases, counted] };
}
