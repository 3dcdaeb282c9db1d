/** `mspkit baseline show`: what the gate compares with. */
import { stableFingerprint } from "../../../codegen/load.js";
import { type Command, EXIT } from "../command.js";
import { refuse } from "../report.js";
import { readSettings, SCHEMA_OPTION } from "../settings.js";
import { ownBaseline } from "./compare.js";
import { loadHead } from "./head.js";
import { releaseOf } from "./known-releases.js";
import { loadVersion } from "./version.js";

export const baselineShowCommand: Command = {
  summary: "Print the release and the fingerprint of the baseline, and whether the schema is the same.",
  operands: "",
  maxOperands: 0,
  options: { ...SCHEMA_OPTION, json: { type: "boolean", help: "print it as JSON" } },
  async run(given, io) {
    const settings = readSettings(given, io);
    if ("refused" in settings) return refuse(settings.refused, io);
    const { schema, rules } = settings;
    const head = loadHead(settings);
    if ("refused" in head) return refuse(head.refused, io);
    const own = ownBaseline(schema, io);
    const base = loadVersion(own.name, own.reference, { io, schema, rules, table: undefined });
    const fingerprint = stableFingerprint(base.loaded);
    const release = releaseOf(base, fingerprint, undefined);
    const file = base.loaded.bundle.source.path;
    const same = stableFingerprint(head.loaded) === fingerprint;
    if (given.options["json"] === true)
      io.out(
        `${JSON.stringify({ file, ...(release === undefined ? {} : { release }), fingerprint, same }, null, 2)}\n`,
      );
    else
      io.out(
        `${file}: ${release === undefined ? "no release is named" : `release ${release}`}: ${fingerprint}\n${schema}: ${same ? "the same" : "changed since"}\n`,
      );
    return EXIT.fine;
  },
};
