/** `mspkit conformance regen`: gives a transcript the bytes of a live host. */
import { isJustified, regenerate } from "../../transcripts/replay/regen.js";
import { type Command, EXIT, UsageError } from "../command.js";
import { HOST_OPTIONS, replayByWords, reportText } from "./host-words.js";
import { asTrouble, orTrouble, transcriptOption } from "./roots.js";

export const regenCommand: Command = {
  summary:
    "Replay a transcript against a live host, and write what the host said in place of what was recorded.",
  operands: "",
  maxOperands: 0,
  options: HOST_OPTIONS,
  rest: "HOST...",
  async run(given, io) {
    if (given.options["transcript"] === undefined) throw new UsageError("regen needs --transcript");
    const transcript = transcriptOption(given, io);
    let justified: boolean;
    try {
      justified = isJustified(transcript);
    } catch (error) {
      io.err(`${io.program}: ${(asTrouble(error) as Error).message}\n`);
      return EXIT.finding;
    }
    const { report, passed } = await replayByWords(transcript, given, io, { goOn: justified });
    io.out(reportText(report, given.options["json"] === true));
    const equal = report.kind === "replayComplete";
    if (!equal && !justified) {
      io.err("nothing written; a regenerationJustification in the manifest would allow the difference\n");
      return EXIT.finding;
    }
    const { frames, provenance } = orTrouble(() => regenerate(transcript, passed, equal));
    io.err(
      `${frames ? "frames written" : "every byte is the same"}${provenance ? ", provenance is host-generated" : ""}\n`,
    );
    if (frames && !equal) io.err("look over source in the manifest: its line numbers are those of before\n");
    return EXIT.fine;
  },
};
