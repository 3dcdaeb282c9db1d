/** Joins the reports of the shards of one run. */
import { conclude, type LawRow, type LawsReport, REPORT_FORMAT } from "../report/report.js";
import { shortfall } from "./plan.js";

/**
 * The report of the whole run, or why the reports do not make one.
 * @param texts reports of shards as JSON texts, each with what it is called
 */
export function mergeReports(
  texts: readonly { readonly name: string; readonly text: string }[],
): { readonly report: LawsReport } | { readonly wrong: string } {
  const reports: LawsReport[] = [];
  for (const { name, text } of texts) {
    const read = readReport(text);
    if (typeof read === "string") return { wrong: `${name}: ${read}` };
    reports.push(read);
  }
  const [first] = reports;
  if (first === undefined) return { wrong: "there is nothing to join" };
  for (const [i, report] of reports.entries())
    for (const [what, of] of Object.entries(SAME))
      if (of(report) !== of(first))
        return { wrong: `${texts[i]?.name} is of another run: its ${what} differs` };
  const count = first.shard?.of ?? 0;
  const shards = reports.map(({ shard }) => shard?.index ?? 0).sort((a, b) => a - b);
  for (let index = 1; index <= count; index++) {
    const times = shards.filter((shard) => shard === index).length;
    if (times !== 1) return { wrong: `shard ${index}/${count} is there ${times} times` };
  }
  return { report: joined(first, reports) };
}

/** What the reports of one run have in common. */
const SAME: Readonly<Record<string, (report: LawsReport) => unknown>> = {
  version: ({ version }) => version,
  seed: ({ seed }) => seed,
  runs: ({ runs }) => runs,
  profile: ({ profile }) => profile,
  "number of shards": ({ shard }) => shard?.of,
  laws: ({ laws, chosen }) => JSON.stringify(chosen?.laws ?? laws.map(({ id }) => id)),
  abilities: ({ driver }) => JSON.stringify(driver.abilities),
};

function readReport(text: string): LawsReport | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`;
  }
  const { kind, format, shard, laws } = (value ?? {}) as Partial<LawsReport>;
  if (kind !== "lawsReport") return "is no report of laws";
  if (format !== REPORT_FORMAT) return `is a report of form ${String(format)}, not ${REPORT_FORMAT}`;
  if (!Array.isArray(laws)) return "has no laws";
  return shard === undefined ? "is not the report of a shard" : (value as LawsReport);
}

function joined(first: LawsReport, reports: readonly LawsReport[]): LawsReport {
  const ids = [...new Set(reports.flatMap(({ laws }) => laws.map(({ id }) => id)))];
  const rows = ids.map((id) => joinedRow(reports.flatMap(({ laws }) => laws.filter((row) => row.id === id))));
  const { shard: _, coverage: __, ...common } = first;
  // What a list of known failures says is said again of the rows; the rest is of the shards.
  const own = reports.flatMap(({ objections, laws }) => {
    const told = conclude(laws).objections;
    return objections.filter((text) => !told.includes(text));
  });
  return {
    ...common,
    laws: rows,
    durationMs: reports.reduce((sum, { durationMs }) => sum + durationMs, 0),
    ...conclude(rows, [...new Set(own)]),
  };
}

function joinedRow(rows: readonly LawRow[]): LawRow {
  const [first] = rows as readonly [LawRow, ...LawRow[]];
  const counts: Record<string, number> = {};
  for (const row of rows)
    for (const [what, times] of Object.entries(row.counts)) counts[what] = (counts[what] ?? 0) + times;
  const sum = (of: (row: LawRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const { why: _, ...common } = first;
  const row = {
    ...common,
    planned: sum(({ planned }) => planned),
    cases: sum(({ cases }) => cases),
    void: sum((one) => one.void),
    voidReasons: [...new Set(rows.flatMap(({ voidReasons }) => voidReasons))].slice(0, 5),
    counts,
  };
  const broken = rows.find((one) => one.broken !== undefined)?.broken;
  if (broken !== undefined) return { ...row, verdict: "broken", broken };
  if (row.missing.length > 0) return first;
  const why = shortfall(row, row.least);
  return why === undefined ? { ...row, verdict: "holds" } : { ...row, verdict: "inconclusive", why };
}
