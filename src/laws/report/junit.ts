/** A report in the form of JUnit, which CI systems read. */
import { isExcused, type LawRow, type LawsReport } from "./report.js";
import { brokenLines, remark } from "./text.js";

/** A report as JUnit XML: a case for each law; inconclusive ones are errors, those that do not apply are skipped. */
export function junitReport(report: LawsReport): string {
  const count = (has: (row: LawRow) => boolean) => report.laws.filter(has).length;
  const excused = count(isExcused);
  const failures =
    count(({ verdict }) => verdict === "broken") - excused + (report.objections.length > 0 ? 1 : 0);
  const attributes = [
    `name=${quoted(`mspkit laws: ${report.driver.name}`)}`,
    `tests="${report.laws.length + 1}"`,
    `failures="${failures}"`,
    `errors="${count(({ verdict }) => verdict === "inconclusive")}"`,
    `skipped="${count(({ verdict }) => verdict === "notApplicable") + excused}"`,
    `time="${(report.durationMs / 1_000).toFixed(3)}"`,
  ].join(" ");
  const objections = report.objections.join("\n");
  const whole = element(
    "run",
    "nothing else speaks against the run",
    objections === "" ? "" : `<failure message=${quoted(objections)}/>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites><testsuite ${attributes}>`,
    ...report.laws.map((row) => element(row.level, row.id, outcome(row))),
    whole,
    "</testsuite></testsuites>",
    "",
  ].join("\n");
}

/** A case of a test suite. */
export function element(classname: string, name: string, inner: string): string {
  return `<testcase classname=${quoted(classname)} name=${quoted(name)}>${inner}</testcase>`;
}

function outcome(row: LawRow): string {
  if (row.broken !== undefined && isExcused(row)) return `<skipped message=${quoted(remark(row))}/>`;
  if (row.broken !== undefined)
    return `<failure message=${quoted(row.broken.what)}>${escaped(brokenLines(row, row.broken).join("\n"))}</failure>`;
  switch (row.verdict) {
    case "notApplicable":
      return `<skipped message=${quoted(row.why ?? "")}/>`;
    case "inconclusive":
      return `<error message=${quoted(row.why ?? "")}/>`;
    default:
      return `<system-out>${escaped(remark(row))}</system-out>`;
  }
}

/** Text that XML can hold: what it has no form for becomes a question mark. */
export function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "?")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** The same as an attribute. */
export function quoted(text: string): string {
  return `"${escaped(text).replaceAll("\n", "&#10;")}"`;
}
