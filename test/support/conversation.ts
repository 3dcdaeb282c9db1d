/** A running host as its client sees it: a process, its frames, and how it ended. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { join } from "node:path";
import type { Transcript } from "../../src/transcripts/index.js";
import { ROOT } from "./repo.js";
import type { ScriptedClient } from "./transcripts.js";

/** The program, to be run by Node. */
export const MSPKIT = join(ROOT, "dist/bin/mspkit.cjs");

/** How a process ended, and what it said. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Lines of standard output. */
  readonly lines: readonly string[];
  readonly stderr: string;
}

/** A process that reads and writes lines. */
export class Conversation {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: string[] = [];
  #stderr = "";
  #rest = "";
  #over = false;
  #wake = (): void => undefined;
  readonly ended: Promise<Ended>;

  /** Starts a program with Node. */
  constructor(words: readonly string[], { cwd = ROOT }: { cwd?: string } = {}) {
    // One that hangs must not outlive its test.
    this.child = spawn(process.execPath, words, { cwd, timeout: 110_000, killSignal: "SIGKILL" });
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (this.#rest + text).split("\n");
      this.#rest = lines.pop() ?? "";
      this.lines.push(...lines);
      this.#wake();
    });
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
      this.#wake();
    });
    this.child.stdin.on("error", () => undefined); // a host that has failed is gone
    this.ended = new Promise((resolve, reject) => {
      this.child.on("error", reject);
      this.child.on("close", (code, signal) => {
        this.#over = true;
        this.#wake();
        resolve({ code, signal, lines: this.lines, stderr: this.#stderr });
      });
    });
  }

  /** Writes lines. */
  send(...lines: readonly string[]): void {
    this.child.stdin.write(lines.map((line) => `${line}\n`).join(""));
  }

  /** Waits for so many lines in all; false when the process ends before. */
  async hears(count: number): Promise<boolean> {
    while (this.lines.length < count && !this.#over) await this.#change();
    return this.lines.length >= count;
  }

  /** Waits for a text on standard error; false when the process ends before. */
  async tells(text: string): Promise<boolean> {
    while (!this.#stderr.includes(text) && !this.#over) await this.#change();
    return this.#stderr.includes(text);
  }

  /** Ends standard input and waits for the end. */
  hangUp(): Promise<Ended> {
    this.child.stdin.end();
    return this.ended;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/**
 * Plays the client's side of a recording to a process: each frame when everything before it has come.
 * @param lines how many lines of the recording
 */
export async function converse(
  conversation: Conversation,
  transcript: Transcript,
  client: ScriptedClient,
  lines = transcript.lines.length,
): Promise<void> {
  let heard = 0;
  for (const { dir, raw } of transcript.lines.slice(0, lines)) {
    if (dir === "server") heard++;
    else {
      if (!(await conversation.hears(heard))) return;
      conversation.send(client.frame(raw));
    }
  }
  await conversation.hears(heard);
}
