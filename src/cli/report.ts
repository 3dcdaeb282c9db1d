/**
 * Findings as text, as JSON, and as annotations of a GitHub workflow.
 */
import { type Finding, type Findings, findingLine } from "../../codegen/diagnostics/finding.js";
import { findingAnnotation } from "../../codegen/diagnostics/workflow-command.js";
import { EXIT, type Io, type Option, UsageError } from "./command.js";

/** How findings are shown. */
export type Format = "text" | "json" | "github-actions";

/** `--format` and its short form. */
export const FORMAT_OPTIONS: Readonly<Record<string, Option>> = {
  format: {
    type: "string",
    value: "text|json|github-actions",
    help: "how findings are shown (default: text)",
  },
  json: { type: "boolean", help: "short for --format json" },
};

/** The format that was asked for. */
export function formatOption(options: Readonly<Record<string, string | boolean | undefined>>): Format {
  if (options["json"] === true) return "json";
  const format = options["format"] ?? "text";
  if (format === "text" || format === "json" || format === "github-actions") return format;
  throw new UsageError(`--format takes text, json or github-actions, not "${String(format)}"`);
}

/** Findings in a format; ends with a line feed unless there are none. */
export function formatFindings(findings: readonly Finding[], format: Format): string {
  if (format === "json") return `${JSON.stringify(findings, null, 2)}\n`;
  const line = format === "text" ? findingLine : findingAnnotation;
  return findings.map((finding) => `${line(finding)}\n`).join("");
}

/** Tells on stderr why something was refused; the exit code. */
export function refuse(findings: Findings, io: Io): number {
  io.err(
    formatFindings(
      findings.sorted().filter(({ severity }) => severity === "error"),
      "text",
    ),
  );
  return EXIT.finding;
}
