/** A report as Markdown, for the page of a pull request. */
import type { LawsReport } from "./report.js";
import { brokenLines, remark, summary, WORDS } from "./text.js";

/** A report as Markdown: a table of the laws, then what is broken. */
export function markdownReport(report: LawsReport): string {
  const rows = report.laws.map((row) =>
    [WORDS[row.verdict], `\`${row.id}\``, row.level, row.promise, remark(row)].map(cell).join(" | "),
  );
  const broken = report.laws.flatMap((row) => {
    if (row.broken === undefined) return [];
    return ["", `## ${row.id}`, "", ...fenced(brokenLines(row, row.broken).join("\n"))];
  });
  return [
    "# Laws",
    "",
    ...summary(report).map((line) => `${cell(line)}  `),
    "",
    "| verdict | law | level | promise | tried |",
    "| --- | --- | --- | --- | --- |",
    ...rows.map((row) => `| ${row} |`),
    ...broken,
    "",
  ].join("\n");
}

/** A text in a fence that nothing in it can close; lines. */
export function fenced(text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return [`${fence}text`, text, fence];
}

/** A text as it may stand in a cell of a table. */
export function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}
