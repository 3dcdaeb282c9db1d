/**
 * The user's shell: runs a command in a process group of its own, which is killed as a whole.
 */
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { killGroup } from "../wire/process-group.js";
import type { Surroundings } from "./surroundings.js";

/** Units of output that are kept; what comes after them is left out. */
const MOST_OUTPUT = 65_536;

/** Milliseconds between asking a command to end and killing it. */
const GRACE_MS = 2_000;

/** Runs commands by `sh`, on Windows by `cmd`. */
export const platformShell: Surroundings["shell"] = (commandText, cwd, signal) =>
  new Promise((resolve, reject) => {
    const windows = process.platform === "win32";
    const [file, args] = windows ? ["cmd", ["/d", "/s", "/c", commandText]] : ["sh", ["-c", commandText]];
    const child = spawn(file as string, args as string[], {
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ["ignore", "pipe", "pipe"],
      detached: !windows,
    });
    let output = "";
    const take = () => {
      const decoder = new StringDecoder("utf8");
      return (chunk: Buffer) => {
        if (output.length < MOST_OUTPUT) output = (output + decoder.write(chunk)).slice(0, MOST_OUTPUT);
      };
    };
    child.stdout.on("data", take());
    child.stderr.on("data", take());
    let killer: ReturnType<typeof setTimeout> | undefined;
    const stop = () => {
      killGroup(child, "SIGTERM");
      killer = setTimeout(() => killGroup(child, "SIGKILL"), GRACE_MS);
    };
    signal.addEventListener("abort", stop, { once: true });
    child.once("error", reject);
    // What a child of the command still holds open does not hold the answer up.
    child.once("exit", (code) => {
      clearTimeout(killer);
      signal.removeEventListener("abort", stop);
      resolve({ exitCode: code ?? undefined, output });
    });
    if (signal.aborted) stop();
  });
