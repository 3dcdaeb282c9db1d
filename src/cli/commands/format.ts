/** `mspkit format`: the canonical form of a bundle file. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { formatBundle } from "../../../codegen/bundle/format.js";
import { bundleIn, parseFile } from "../../../codegen/bundle/read.js";
import { Findings } from "../../../codegen/diagnostics/finding.js";
import { type Command, EXIT } from "../command.js";
import { replaceFile } from "../replace-file.js";
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
    for (const path of bundleFiles(settings.schema)) {
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
      replaceFile(path, text);
      io.err(`${path}: written\n`);
    }
    return code;
  },
};

/** The file, or the two of a pair. */
function bundleFiles(path: string): string[] {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [path];
  return ["stable", "experimental"].map((surface) => bundleIn(join(path, surface)));
}
