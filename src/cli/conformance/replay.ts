/** `mspkit conformance replay`: a recorded session against a live host. */
import { type Command, EXIT, UsageError } from "../command.js";
import { HOST_OPTIONS, replayByWords, reportText } from "./host-words.js";
import { transcriptOption } from "./roots.js";

export const replayCommand: Command = {
  summary: "Play the client's side of a transcript to a live host, and compare every frame of the host.",
  operands: "",
  maxOperands: 0,
  options: HOST_OPTIONS,
  rest: "HOST...",
  async run(given, io) {
    if (given.options["transcript"] === undefined) throw new UsageError("replay needs --transcript");
    const { report } = await replayByWords(transcriptOption(given, io), given, io);
    io.out(reportText(report, given.options["json"] === true));
    return report.kind === "replayComplete" ? EXIT.fine : EXIT.finding;
  },
};
