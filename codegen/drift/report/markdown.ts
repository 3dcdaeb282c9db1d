/** A drift as Markdown, for the page of a pull request. */
import { findingLine } from "../../diagnostics/finding.js";
import { code, plain, table } from "../../emit/reference/markdown.js";
import type { Change } from "../change.js";
import { changeMarkdown } from "./change-markdown.js";
import {
  type Comparison,
  type DriftRun,
  fails,
  hintWords,
  marksOf,
  type Standing,
  standings,
  summary,
} from "./run.js";

/** For each base the counts, a table of the changes, and all about those that fail or break. */
export function markdownReport({ comparisons, findings }: DriftRun): string {
  const beside =
    findings.length === 0
      ? []
      : ["## Beside the changes", "", ...findings.map((finding) => `- ${plain(findingLine(finding))}`), ""];
  const lines = ["# Drift", "", ...comparisons.flatMap(comparisonLines), ...beside];
  return `${lines.join("\n").trimEnd()}\n`;
}

function comparisonLines(comparison: Comparison): string[] {
  const { base, head, drift, gate, places } = comparison;
  const standing = standings(gate);
  const rows = drift.changes.map((change) => {
    const { file, line } = places(change.pointer, change.side);
    return [
      words(change, standing(change)),
      code(change.rule),
      `${code(change.subject)}${marksOf(change)
        .map((mark) => ` (${mark})`)
        .join("")}`,
      change.breaks.map((pairing) => code(pairing)).join(", "),
      code(`${file}:${line}`),
    ];
  });
  const shown = drift.changes.filter((change) => fails(standing(change)) || change.verdict === "breaking");
  return [
    `## ${plain(`From ${base} to ${head}`)}`,
    "",
    plain(summary(comparison)),
    "",
    ...(rows.length === 0 ? [] : table(["verdict", "rule", "what", "breaks", "where"], rows)),
    ...drift.hints.map((hint) => `- ${plain(hintWords(hint))}`),
    ...(drift.hints.length === 0 ? [] : [""]),
    ...shown.flatMap((change) => changeMarkdown(change, standing(change), comparison, 3)),
  ];
}

function words({ verdict }: Change, standing: Standing): string {
  if (fails(standing)) return `**${verdict}**`;
  return standing.is === "acknowledged" ? `${verdict}, acknowledged` : verdict;
}
