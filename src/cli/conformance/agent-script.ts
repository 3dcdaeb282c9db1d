/** `mspkit conformance agent-script`: what the agent of a recorded session did, for a host that plays it. */
import { deriveAgentScript } from "../../transcripts/replay/agent-script.js";
import { type Command, EXIT, UsageError } from "../command.js";
import { transcriptOption } from "./roots.js";

export const agentScriptCommand: Command = {
  summary: "Print what the agent of a transcript did, as a script for `mspkit serve --agent-script`.",
  operands: "",
  maxOperands: 0,
  options: {
    transcript: { type: "string", value: "DIR", help: "the session: a folder, or a scenario below the root" },
  },
  async run(given, io) {
    if (given.options["transcript"] === undefined) throw new UsageError("agent-script needs --transcript");
    const { script, foreignFrames } = deriveAgentScript(transcriptOption(given, io));
    io.out(`${JSON.stringify(script, null, 2)}\n`);
    if (foreignFrames > 0)
      io.err(`${foreignFrames} frames tell of turns that began before the recording, and are left out\n`);
    return EXIT.fine;
  },
};
