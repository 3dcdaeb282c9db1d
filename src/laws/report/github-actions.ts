/** A report as annotations of a GitHub workflow. */
import { isExcused, type LawRow, type LawsReport } from "./report.js";
import { brokenLines, remark, summary } from "./text.js";

/** A report as workflow commands: an error for what is broken, a warning for what is inconclusive or excused. */
export function githubActionsReport(report: LawsReport): string {
  const lines = report.laws.flatMap((row) => line(row));
  const objections = report.objections.map((text) => command("error", "laws", text));
  return `${[...lines, ...objections, command("notice", "laws", summary(report).join("\n"))].join("\n")}\n`;
}

function line(row: LawRow): string[] {
  if (row.broken !== undefined)
    return [command(isExcused(row) ? "warning" : "error", row.id, brokenLines(row, row.broken).join("\n"))];
  return row.verdict === "inconclusive" ? [command("warning", row.id, remark(row))] : [];
}

/** A workflow command. */
export function command(level: "error" | "warning" | "notice", title: string, text: string): string {
  return `::${level} title=${data(title).replaceAll(":", "%3A").replaceAll(",", "%2C")}::${data(text)}`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
