/** `mspkit conformance serve-fixture`: a canned host on standard input and output. */
import { serveStreams } from "../../transcripts/serve.js";
import { type Command, EXIT, type Given, type Io, UsageError } from "../command.js";
import { asTrouble, transcriptOption } from "./roots.js";
import { ownStreams } from "./streams.js";

export const serveFixtureCommand: Command = {
  summary: "Be the host of a recorded session, or a host that exits at once.",
  operands: "",
  maxOperands: 0,
  options: {
    transcript: { type: "string", value: "DIR", help: "the session: a folder, or a scenario below the root" },
    "rewrite-command-ids": {
      type: "boolean",
      help: "put the client's own command ids in place of the recorded ones",
    },
    "exit-code": { type: "string", value: "N", help: "exit with this code, reading nothing (0 to 255)" },
    "stderr-lines": { type: "string", value: "M", help: "and print this many lines on stderr before" },
  },
  async run(given, io) {
    const { options } = given;
    const exits = options["exit-code"] !== undefined || options["stderr-lines"] !== undefined;
    if (options["transcript"] === undefined) {
      if (!exits) throw new UsageError("serve-fixture needs --transcript, or --exit-code and --stderr-lines");
      if (options["rewrite-command-ids"] === true)
        throw new UsageError("--rewrite-command-ids goes with --transcript");
      return exitAtOnce(given, io);
    }
    if (exits) throw new UsageError("--transcript goes with neither --exit-code nor --stderr-lines");
    return serve(given, io);
  },
};

function exitAtOnce(given: Given, io: Io): number {
  const code = count(given, "exit-code", 255);
  const lines = count(given, "stderr-lines", 1_000_000);
  for (let i = 1; i <= lines; i++) io.err(`line ${i} of ${lines}\n`);
  return code;
}

function count({ options }: Given, name: string, most: number): number {
  const text = options[name] as string | undefined;
  if (text === undefined) throw new UsageError("--exit-code and --stderr-lines go together");
  if (!/^\d{1,9}$/.test(text) || Number(text) > most)
    throw new UsageError(`--${name} takes a whole number from 0 to ${most}, not "${text}"`);
  return Number(text);
}

async function serve(given: Given, io: Io): Promise<number> {
  const transcript = transcriptOption(given, io);
  const streams = ownStreams();
  const report = await serveStreams(
    transcript,
    { ...streams, onReport: (report) => io.err(`${JSON.stringify(report)}\n`) },
    { rewriteCommandIds: given.options["rewrite-command-ids"] === true },
  ).catch((error: unknown) => {
    throw asTrouble(error);
  });
  // Nothing more is read, whoever still holds the other end.
  streams.input.destroy();
  return report.kind === "serveFixtureComplete" ? EXIT.fine : EXIT.finding;
}
