/** `mspkit lint`: what is wrong with a schema, and where. */
import { reportUnusedExcuses } from "../../../codegen/config.js";
import { loadSchema, surfaceOf } from "../../../codegen/load.js";
import { type Command, EXIT } from "../command.js";
import { FORMAT_OPTIONS, formatFindings, formatOption, refuse } from "../report.js";
import { readSettings, SCHEMA_OPTION, SURFACE_OPTIONS, surfaceOption } from "../settings.js";

export const lintCommand: Command = {
  summary: "Check a schema against the dialect and the rules.",
  operands: "",
  maxOperands: 0,
  options: {
    ...SCHEMA_OPTION,
    ...SURFACE_OPTIONS,
    "deny-warnings": { type: "boolean", help: "exit 1 on warnings too" },
    ...FORMAT_OPTIONS,
  },
  async run(given, io) {
    const settings = readSettings(given, io);
    if ("refused" in settings) return refuse(settings.refused, io);
    const format = formatOption(given.options);
    const surface = surfaceOption(given);
    const { schema, config, findings } = settings;
    const loaded = loadSchema(schema, findings);
    if (loaded !== undefined) {
      surfaceOf(loaded, surface, findings);
      // A bundle with an error was not held against every rule.
      if (config !== undefined) reportUnusedExcuses(config, findings);
    }
    const list = findings.sorted();
    io.out(formatFindings(list, format));
    const counts = (["error", "warning", "note"] as const).map((severity) => ({
      severity,
      n: findings.count(severity),
    }));
    if (format === "text") {
      const told = counts
        .filter(({ n }) => n > 0)
        .map(({ severity, n }) => `${n} ${severity}${n === 1 ? "" : "s"}`);
      io.err(`${schema}: ${told.length === 0 ? "nothing found" : told.join(", ")}\n`);
    }
    const denied = given.options["deny-warnings"] === true && findings.count("warning") > 0;
    return findings.hasErrors || denied ? EXIT.finding : EXIT.fine;
  },
};
