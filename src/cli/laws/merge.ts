/** `mspkit laws merge`: the reports of shards as one. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import { mergeReports } from "../../laws/run/merge.js";
import { type Command, UsageError } from "../command.js";
import { EXITS, writeReports } from "./outcome.js";
import { REPORT_OPTION, reportsOption } from "./words.js";

export const mergeCommand: Command = {
  summary: "Join the JSON reports of the shards of one run, and judge them together.",
  operands: "FILE...",
  maxOperands: 10_000,
  options: REPORT_OPTION,
  async run(given, io) {
    if (given.operands.length === 0) throw new UsageError("merge needs the reports of the shards");
    const reports = reportsOption(given, io);
    const texts = given.operands.map((name) => {
      try {
        return { name, text: readFileSync(resolve(io.cwd, name), "utf8") };
      } catch (error) {
        throw new TroubleError(name, `cannot be read: ${(error as Error).message}`);
      }
    });
    const merged = mergeReports(texts);
    if ("wrong" in merged) throw new TroubleError("the reports", `cannot be joined: ${merged.wrong}`);
    writeReports(merged.report, reports, io);
    return EXITS[merged.report.verdict];
  },
};
