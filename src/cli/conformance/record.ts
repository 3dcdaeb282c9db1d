/** `mspkit conformance record`: a host that is another host, and a transcript of what passed. */
import { constants } from "node:os";
import { join, resolve } from "node:path";
import { TroubleError } from "../../../codegen/diagnostics/finding.js";
import { type HostExit, recordSession } from "../../transcripts/record.js";
import { Recording } from "../../transcripts/recording.js";
import { type Command, EXIT, UsageError } from "../command.js";
import { packagedFingerprint } from "./bundle.js";
import { orTrouble } from "./roots.js";
import { ownStreams } from "./streams.js";

export const recordCommand: Command = {
  summary: "Stand between a client and a host, and record what passes as a transcript.",
  operands: "",
  maxOperands: 0,
  options: {
    out: { type: "string", value: "DIR", help: "the folder of the transcript; its name is the scenario's" },
    scenario: { type: "string", value: "NAME", help: "the scenario: the transcript goes to DIR/NAME" },
  },
  rest: "HOST...",
  async run(given, io) {
    const { out, scenario } = given.options as Readonly<Record<string, string | undefined>>;
    const [command, ...args] = given.rest ?? [];
    if (out === undefined || out === "") throw new UsageError("record needs --out");
    if (command === undefined || command === "")
      throw new UsageError("record needs -- and the host's command");
    if (scenario !== undefined && !/^[^/\\]+$/.test(scenario.replace(/^\.{1,2}$/, "")))
      throw new UsageError(`--scenario takes the name of a folder, not "${scenario}"`);
    const folder = scenario === undefined ? resolve(io.cwd, out) : join(resolve(io.cwd, out), scenario);
    const fingerprint = await packagedFingerprint();
    const recording = orTrouble(() => new Recording(folder, fingerprint, Date.now()));
    let lost: unknown;
    const [stop, kill] = signals();
    let exit: HostExit;
    try {
      exit = await recordSession({
        command,
        args,
        cwd: io.cwd,
        ...ownStreams(),
        recording,
        onLost: (error) => {
          lost = error;
          io.err(`${io.program}: recording ended: ${(error as Error).message}\n`);
        },
        stop,
        kill,
      });
    } catch (error) {
      recording.discard();
      throw new TroubleError(command, `cannot be started: ${(error as Error).message}`);
    }
    orTrouble(() => recording.finish());
    return lost === undefined ? codeOf(exit) : EXIT.trouble;
  },
};

/** The host's exit code, or what a shell makes of a signal. */
function codeOf({ code, signal }: HostExit): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/** Aborted by the first and by the second signal that asks this process to end. */
function signals(): readonly [AbortSignal, AbortSignal] {
  const stop = new AbortController();
  const kill = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(name, () => (stop.signal.aborted ? kill : stop).abort());
  return [stop.signal, kill.signal];
}
