/** The forms in which a report can be had. */
import { githubActionsReport } from "./github-actions.js";
import { junitReport } from "./junit.js";
import { markdownReport } from "./markdown.js";
import type { LawsReport } from "./report.js";
import { textReport } from "./text.js";

/** Each form by its name. */
export const FORMATS = {
  text: textReport,
  json: (report: LawsReport) => `${JSON.stringify(report, null, 2)}\n`,
  junit: junitReport,
  md: markdownReport,
  "github-actions": githubActionsReport,
} as const satisfies Readonly<Record<string, (report: LawsReport) => string>>;

/** The name of a form. */
export type ReportFormat = keyof typeof FORMATS;
