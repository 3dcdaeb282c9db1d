/** The built program, run as a person runs it. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./repo.js";

/** What a run left behind. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `mspkit` with some words, in a folder, with a text on standard input. */
export function mspkit(
  words: readonly string[],
  {
    cwd = ROOT,
    input = "",
    env = {},
    timeout = 110_000,
  }: { cwd?: string; input?: string; env?: Record<string, string>; timeout?: number } = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(ROOT, "dist/bin/mspkit.cjs"), ...words], {
      cwd,
      env: { ...process.env, ...env },
      // One that hangs must not outlive its test.
      timeout,
      killSignal: "SIGKILL",
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.on("error", () => undefined); // a command that reads nothing may be gone already
    child.stdin.end(input);
  });
}
