/** The forms in which a drift can be had. */
import { githubActionsReport } from "./github-actions.js";
import { jsonReport } from "./json.js";
import { junitReport } from "./junit.js";
import { markdownReport } from "./markdown.js";
import type { DriftRun } from "./run.js";
import { textReport } from "./text.js";

/** Each form by its name. */
export const DRIFT_FORMATS = {
  text: textReport,
  json: jsonReport,
  "github-actions": githubActionsReport,
  junit: junitReport,
  md: markdownReport,
} as const satisfies Readonly<Record<string, (run: DriftRun) => string>>;

/** The name of a form. */
export type DriftFormat = keyof typeof DRIFT_FORMATS;

/** Whether a text is the name of a form. */
export function isDriftFormat(name: string): name is DriftFormat {
  return Object.hasOwn(DRIFT_FORMATS, name);
}
