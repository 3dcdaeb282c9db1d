/** `mspkit serve` in a process group of its own, which can be stopped, woken and killed. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Transport } from "../../src/wire/index.js";
import { connectWebSocket } from "../../src/wire/node.js";
import { killGroup } from "../../src/wire/process-group.js";
import { MSPKIT } from "./conversation.js";
import { TestClient } from "./host.js";

const TOKEN = "0123456789abcdef";

/** Hosts that may live. A host that listens does not end with its parent. */
const living = new Set<ChildProcessWithoutNullStreams>();
process.on("exit", () => {
  for (const child of living) killGroup(child, "SIGKILL");
});

/** A host that listens on a WebSocket. */
export class ServeProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly #url: string;
  readonly #gone: Promise<unknown>;
  readonly #stderr: string[];

  private constructor(child: ChildProcessWithoutNullStreams, url: string, stderr: string[]) {
    this.child = child;
    this.#url = url;
    this.#stderr = stderr;
    this.#gone = once(child, "close");
  }

  /** Starts a host; resolves when it listens. */
  static async start(words: readonly string[]): Promise<ServeProcess> {
    const args = [MSPKIT, "serve", "--listen", "ws://127.0.0.1:0", ...words];
    // One that hangs must not outlive its test.
    const child = spawn(process.execPath, args, {
      detached: true,
      env: { ...process.env, MSPKIT_TOKEN: TOKEN },
      timeout: 300_000,
      killSignal: "SIGKILL",
    });
    living.add(child);
    child.once("close", () => living.delete(child));
    const stderr: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text: string) => void stderr.push(text));
    child.stdin.on("error", () => undefined); // it may be dead
    const url = await new Promise<string>((resolve, reject) => {
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (said.includes("\n")) resolve(said.slice(0, said.indexOf("\n")));
      });
      child.once("close", () => reject(new Error(`a host ended at once: ${stderr.join("")}`)));
    });
    return new ServeProcess(child, url, stderr);
  }

  /** What the host said on standard error. */
  get stderr(): string {
    return this.#stderr.join("");
  }

  /** A connection to the host. */
  connect(): Promise<Transport> {
    return connectWebSocket(this.#url, { token: TOKEN });
  }

  /** A client of the host, with its handshake done. */
  async client(capabilities: object = {}): Promise<TestClient> {
    return TestClient.over(await this.connect(), capabilities);
  }

  /** Sends a signal to the host and what is in its group. */
  signal(signal: NodeJS.Signals): void {
    killGroup(this.child, signal);
  }

  /** Ends the group with SIGKILL; resolves when the host is gone. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.#gone;
  }

  /** Asks the host to end; its exit code. */
  async end(): Promise<number | null> {
    this.child.kill("SIGTERM");
    await this.#gone;
    return this.child.exitCode;
  }
}

/**
 * A program for `--agent-command` that leaves a line with its command's id in a file, before it says anything.
 * @param times how many lines; for a test of what counts them
 */
export function countingAgent(
  folder: string,
  times = 1,
): { readonly command: string; readonly file: string } {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "ran");
  const script = join(folder, "agent.sh");
  writeFileSync(file, "");
  // A line this short is appended in one piece, whoever else writes. A prompt is a time to take, in seconds.
  const count = `echo "$MSPKIT_COMMAND_ID" >> '${file}'\n`.repeat(times);
  writeFileSync(script, `${count}read -r time\nsleep "$time"\necho done\n`);
  return { command: `/bin/sh ${script}`, file };
}
