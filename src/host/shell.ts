/**
 * The user's shell: a command is a program like that of an agent, with an end of its own and nothing on its input.
 */
import { StringDecoder } from "node:string_decoder";
import { Program } from "./agents/program.js";
import type { Surroundings } from "./surroundings.js";

/** Units of output that are kept; what comes after them is left out. */
const MOST_OUTPUT = 65_536;

/** Milliseconds from asking a command to end to killing it, and of waiting for output that others hold open. */
const PATIENCE_MS = 2_000;

/** Runs commands by `sh`, on Windows by `cmd`. */
export const platformShell: Surroundings["shell"] = async (commandText, cwd, signal) => {
  const windows = process.platform === "win32";
  let output = "";
  const add = (text: string): void => {
    if (output.length < MOST_OUTPUT) output = (output + text).slice(0, MOST_OUTPUT);
  };
  const program = await Program.start(
    {
      command: windows ? "cmd" : "sh",
      args: windows ? ["/d", "/s", "/c", commandText] : ["-c", commandText],
      cwd: cwd ?? process.cwd(),
      env: process.env,
      killTimeoutMs: PATIENCE_MS,
      leftoverMs: PATIENCE_MS,
      onLog: (line) => add(`${line}\n`),
    },
    "",
  );
  const decoder = new StringDecoder("utf8");
  for (let chunk = await program.read(signal); chunk !== undefined; chunk = await program.read(signal))
    add(decoder.write(Buffer.from(chunk)));
  if (signal.aborted) await program.stop();
  else await program.errorsRead();
  const { code } = await program.exited;
  program.release();
  return { exitCode: code ?? undefined, output };
};
