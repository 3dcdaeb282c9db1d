/** A report for a person at a terminal. */
import { type CoverageReport, FAMILIES } from "../coverage/coverage.js";
import type { Verdict } from "../law.js";
import { type BrokenRow, isExcused, type LawRow, type LawsReport, tally } from "./report.js";

/** How many counts are shown of a law. */
const MOST_COUNTS = 8;

/** Verdicts as words. */
export const WORDS: Readonly<Record<Verdict, string>> = {
  holds: "holds",
  broken: "BROKEN",
  inconclusive: "inconclusive",
  notApplicable: "not applicable",
};

/** A report as text: a table of the laws, then what is broken. */
export function textReport(report: LawsReport): string {
  const rows = report.laws.map((row) => [WORDS[row.verdict], row.id, remark(row)] as const);
  const widths = [0, 1].map((i) => Math.max(0, ...rows.map((row) => (row[i] as string).length)));
  const table = rows.map(([verdict, id, rest]) =>
    `${verdict.padEnd(widths[0] as number)}  ${id.padEnd(widths[1] as number)}  ${rest}`.trimEnd(),
  );
  const details = report.laws.flatMap((row) =>
    row.broken === undefined ? [] : ["", ...brokenLines(row, row.broken)],
  );
  return `${[...table, ...details, "", ...summary(report)].join("\n")}\n`;
}

/** The end of a report: what came of how many laws, and what repeats the run. */
export function summary(report: LawsReport): string[] {
  const { holds, broken, inconclusive, notApplicable } = tally(report.laws);
  const known = report.laws.filter(isExcused).length;
  const cases = report.laws.reduce((sum, row) => sum + row.cases, 0);
  const brokenWords = `${broken} broken${known === 0 ? "" : ` (${known} known)`}`;
  const shard = report.shard === undefined ? "" : `, shard ${report.shard.index}/${report.shard.of}`;
  return [
    ...report.objections,
    ...(report.coverage === undefined ? [] : [coverageLine(report.coverage)]),
    `${holds} hold, ${brokenWords}, ${inconclusive} inconclusive, ${notApplicable} not applicable: ${report.driver.name}`,
    `${cases} cases in ${(report.durationMs / 1_000).toFixed(1)} s; --seed ${report.seed} --runs ${report.runs}${shard}: ${OUTCOMES[report.verdict]}`,
  ];
}

/** How much of the schema was exercised, in a line. */
export function coverageLine(coverage: CoverageReport): string {
  const families = FAMILIES.map((name) => {
    const { reached, total } = coverage[name];
    return `${name} ${reached}/${total}`;
  });
  return `of the schema, ${coverage.percent} %: ${families.join(", ")}`;
}

const OUTCOMES: Readonly<Record<LawsReport["verdict"], string>> = {
  holds: "every promise that was tried is kept",
  broken: "broken",
  inconclusive: "inconclusive",
};

/** What stands behind a law: how much was tried, or why not. */
export function remark(row: LawRow): string {
  // What must have been exercised comes first.
  const names = [...new Set([...Object.keys(row.least), ...Object.keys(row.counts)])];
  const counts = names.map((what) => `${row.counts[what] ?? 0} ${what}`);
  if (counts.length > MOST_COUNTS)
    counts.splice(MOST_COUNTS, Number.POSITIVE_INFINITY, `${counts.length - MOST_COUNTS} more counts`);
  const tried = [
    `${row.cases} cases`,
    ...(row.void === 0 ? [] : [`${row.void} came to nothing`]),
    ...counts,
  ].join(", ");
  const parts = [
    ...(row.known === undefined ? [] : [`known until ${row.known.until}: ${row.known.reason}`]),
    ...(row.why === undefined ? [] : [row.why]),
    ...(row.broken === undefined ? [] : [row.broken.what]),
    ...(row.cases === 0 ? [] : [tried]),
    ...(row.keptHeld === undefined
      ? []
      : [`${row.keptHeld} kept ${row.keptHeld === 1 ? "case breaks" : "cases break"} nothing any more`]),
  ];
  // What a host wrote may have line ends.
  return parts.join("; ").replaceAll(/\s+/g, " ");
}

/** What broke, with what passed. */
export function brokenLines(row: LawRow, broken: BrokenRow): string[] {
  const { tries, broke } = broken.again;
  const details = JSON.stringify(broken.details);
  return [
    `${row.id}: ${row.promise}`,
    `  broken: ${broken.what}`,
    ...(broken.details === null
      ? []
      : [`  ${details.length > 1_000 ? `${details.slice(0, 1_000)} ...` : details}`]),
    ...(broken.of === row.id ? [] : [`  seen in a case of ${broken.of}`]),
    ...(broken.kept ? ["  found first: a case that was kept from a run before"] : []),
    ...(broke === tries ? [] : [`  FLAKY: of ${tries} tries on new places ${broke} broke it again`]),
    `  case: ${JSON.stringify(broken.case)}`,
    ...broken.timeline
      .trimEnd()
      .split("\n")
      .map((line) => (line === "" ? "" : `    ${line}`)),
    `  again: ${broken.repeat}`,
  ];
}
