/** `mspkit conformance validate`: transcripts against the bundle. */
import { loadTranscripts, TRANSCRIPT_FILE } from "../../transcripts/transcript.js";
import { validateTranscripts } from "../../transcripts/validate.js";
import { type Command, EXIT } from "../command.js";
import { packagedBundle } from "./bundle.js";
import { orTrouble, rootOption } from "./roots.js";

export const validateCommand: Command = {
  summary: "Check every frame of the transcripts, and their order, against the bundle.",
  operands: "",
  maxOperands: 0,
  options: { json: { type: "boolean", help: "print the result as JSON" } },
  async run(given, io) {
    const root = rootOption(given, io);
    const transcripts = orTrouble(() => loadTranscripts(root.path));
    const result = await validateTranscripts(transcripts, await packagedBundle());
    const errors = result.findings.filter(({ severity }) => severity === "error").length;
    if (given.options["json"] === true) io.out(`${JSON.stringify(result, null, 2)}\n`);
    else
      for (const { transcript, line, severity, rule, instanceLocation, message } of result.findings)
        io.out(
          `${transcript}/${TRANSCRIPT_FILE}:${line}: ${severity} ${rule}: ${instanceLocation === "" ? "" : `${instanceLocation}: `}${message}\n`,
        );
    const counts = [
      `${result.transcripts} transcripts`,
      `${result.frames} frames`,
      `${result.unknownMethods.length} of methods that the bundle lacks`,
      `${errors} errors`,
      `${result.findings.length - errors} warnings`,
    ];
    io.err(`${counts.join(", ")}\n`);
    return errors === 0 ? EXIT.fine : EXIT.finding;
  },
};
