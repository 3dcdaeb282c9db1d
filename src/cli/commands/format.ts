/** `mspkit format`: the canonical form of a bundle file. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { formatBundle } from "../../../codegen/bundle/format.js";
import { parseFile } from "../../../codegen/bundle/read.js";
import { Findings, TroubleError } from "../../../codegen/diagnostics/finding.js";
import { type Command, EXIT } from "../command.js";
import { refuse } from "../report.js";
import { readSettings, SCHEMA_OPTION } from "../settings.js";

export const formatCommand: Command = {
  summary: "Write a bundle file in its canonical form.",
  operands: "",
  maxOperands: 0,
  options: {
    ...SCHEMA_OPTION,
    check: { type: "boolean", help: "write nothing; exit 1 when the file is not in canonical form" },
  },
  async run(given, io) {
    const settings = readSettings(given, io);
    if ("refused" in settings) return refuse(settings.refused, io);
    let code: number = EXIT.fine;
    for (const path of bundleFiles(resolve(io.cwd, settings.schema), settings.schema)) {
      const findings = new Findings();
      const source = parseFile(path, findings);
      // A key that stands twice would lose one of its values.
      if (source === undefined || findings.hasErrors) return refuse(findings, io);
      const text = formatBundle(source.value);
      if (text === readFileSync(path, "utf8")) continue;
      if (given.options["check"] === true) {
        io.err(`${path}: not in canonical form; mspkit format writes it\n`);
        code = EXIT.finding;
        continue;
      }
      try {
        writeFileSync(path, text);
      } catch (error) {
        throw new TroubleError(path, (error as Error).message);
      }
      io.err(`${path}: written\n`);
    }
    return code;
  },
};

/** The file, or the two of a pair. */
function bundleFiles(path: string, shown: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [shown];
  } catch {
    throw new TroubleError(shown, "does not exist");
  }
  return ["stable", "experimental"].map((surface) => join(shown, surface, "msp.schema.json"));
}
