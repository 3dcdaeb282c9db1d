/** `mspkit fingerprint`: what two sides compare. */
import { fingerprintOf } from "../../../codegen/fingerprint/fingerprint.js";
import { type Command, EXIT } from "../command.js";
import { refuse } from "../report.js";
import { loadSurface, readSettings, SCHEMA_OPTION, SURFACE_OPTIONS, surfaceOption } from "../settings.js";

export const fingerprintCommand: Command = {
  summary: "Print the fingerprint of a surface.",
  operands: "",
  maxOperands: 0,
  options: {
    ...SCHEMA_OPTION,
    ...SURFACE_OPTIONS,
    json: { type: "boolean", help: "print the parts as well: by method, notification and request" },
  },
  async run(given, io) {
    const settings = readSettings(given, io);
    if ("refused" in settings) return refuse(settings.refused, io);
    const surface = surfaceOption(given);
    const found = loadSurface(settings, surface);
    if (found === undefined) return refuse(settings.findings, io);
    const fingerprint = fingerprintOf(found.protocol);
    io.out(
      given.options["json"] === true
        ? `${JSON.stringify({ surface, ...fingerprint }, null, 2)}\n`
        : `${fingerprint.fingerprint}\n`,
    );
    return EXIT.fine;
  },
};
