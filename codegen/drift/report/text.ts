/** A drift as lines for people and for editors, which find the places. */
import { findingLine } from "../../diagnostics/finding.js";
import {
  type Comparison,
  type DriftRun,
  explanation,
  hintWords,
  sentence,
  standings,
  summary,
} from "./run.js";

/** A line for each change, with its place first and its reasons below it; the counts at the end. */
export function textReport({ comparisons, findings }: DriftRun): string {
  const lines = [...comparisons.flatMap(comparisonLines), ...findings.map(findingLine)];
  return [...lines, ...comparisons.map(summary), ""].join("\n");
}

function comparisonLines(comparison: Comparison): string[] {
  const standing = standings(comparison.gate);
  const { drift, places } = comparison;
  const changes = drift.changes.flatMap((change) => {
    const { file, line, column } = places(change.pointer, change.side);
    return [
      `${file}:${line}:${column}: ${change.verdict} ${change.rule}: ${sentence(change)}`,
      ...explanation(change, standing(change), comparison).map((text) => `    ${text}`),
    ];
  });
  const hints = drift.hints.map((hint) => {
    const { file, line, column } = places(hint.to, "head");
    return `${file}:${line}:${column}: hint: ${hintWords(hint)}`;
  });
  return [...changes, ...hints];
}
