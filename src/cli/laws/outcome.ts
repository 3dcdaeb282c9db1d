/** What is told of a run of laws, and its exit code. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import { FORMATS, type ReportFormat } from "../../laws/report/formats.js";
import type { LawsReport } from "../../laws/report/report.js";
import { EXIT, type Io } from "../command.js";
import type { ReportWord } from "./words.js";

/** The exit code of each verdict. */
export const EXITS = {
  holds: EXIT.fine,
  broken: EXIT.finding,
  inconclusive: EXIT.inconclusive,
} as const satisfies Record<LawsReport["verdict"], number>;

/**
 * Writes a report of laws in the forms that are asked for.
 * @throws {TroubleError} where a file cannot be written
 */
export function writeReports(report: LawsReport, reports: readonly ReportWord[], io: Io): void {
  writeForms((format) => FORMATS[format](report), reports, io);
}

/**
 * Writes whatever has a text in each form.
 * @throws {TroubleError} where a file cannot be written
 */
export function writeForms(
  form: (format: ReportFormat) => string,
  reports: readonly ReportWord[],
  io: Io,
): void {
  for (const { format, file } of reports) {
    const shown = form(format);
    if (file === undefined) io.out(shown);
    else
      try {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, shown);
      } catch (error) {
        throw new TroubleError(file, `cannot be written: ${(error as Error).message}`);
      }
  }
}
