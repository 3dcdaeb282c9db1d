/** `mspkit doors serve` in a process of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { MSPKIT } from "./conversation.js";
import type { Addresses } from "./doors.js";

/** A process that serves doors. */
export interface DoorsProcess extends Addresses {
  readonly child: ChildProcessWithoutNullStreams;
  /** What it said on standard error. */
  stderr(): string;
  /** Ends it with a signal; its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts one; resolves when it listens. It does not outlive the test. */
export async function doorsProcess(words: readonly string[]): Promise<DoorsProcess> {
  const child = spawn(process.execPath, [MSPKIT, "doors", "serve", ...words], {
    timeout: 300_000,
    killSignal: "SIGKILL",
  });
  const gone = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const url = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("\n")) resolve(said.slice(0, said.indexOf("\n")));
    });
    void gone.then((code) => reject(new Error(`the doors ended at once with ${code}: ${stderr}`)));
  });
  return {
    child,
    url,
    webSocketUrl: `${url.replace("http:", "ws:")}/socket`,
    mcpUrl: `${url}/mcp`,
    stderr: () => stderr,
    end(signal) {
      child.kill(signal);
      return gone;
    },
  };
}
