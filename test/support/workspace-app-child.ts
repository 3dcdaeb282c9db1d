/** The application in a process of its own, which can be killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { afterAll, onTestFinished } from "vitest";
import type { CommandResult } from "../../src/commands/app.js";
import { ROOT } from "./repo.js";

/** A process with the application. */
export interface AppChild {
  /** Asks it; with a command id it is a command. Never ends where the process is dead. */
  ask(method: string, params: object, commandId?: string): Promise<CommandResult>;
  /** Ends it with SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** How it runs. */
export interface AppChildOptions {
  /** The most runs at once. Default: 16. */
  readonly concurrency?: number;
  /** How long it may be silent. Default: 60,000 ms, so that a slow machine is not taken for a dead one. */
  readonly leaseMs?: number;
}

let bundle: Promise<string> | undefined;
let made: string | undefined;

afterAll(() => {
  if (made !== undefined) rmSync(made, { recursive: true, force: true });
});

/** The program, as one file in a folder from which packages are found. */
function program(): Promise<string> {
  return (bundle ??= (async () => {
    const cache = join(ROOT, "node_modules/.cache");
    mkdirSync(cache, { recursive: true });
    made = mkdtempSync(join(cache, "mspkit-test-"));
    const outfile = join(made, "workspace-app-child.mjs");
    await build({
      entryPoints: [join(ROOT, "test/support/workspace-app-child-main.ts")],
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      outfile,
      logLevel: "silent",
    });
    return outfile;
  })());
}

/**
 * Starts a process on the store of a URL; it is killed after the test.
 * @param effects the file in which its function `record` writes the run and the attempt of each call
 */
export async function appChild(
  url: string,
  effects: string,
  { concurrency = 16, leaseMs = 60_000 }: AppChildOptions = {},
): Promise<AppChild> {
  const words = [await program(), url, effects, String(concurrency), String(leaseMs)];
  const child = spawn(process.execPath, words);
  const gone = once(child, "exit");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await gone;
  };
  onTestFinished(kill);
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.on("error", () => undefined); // it may be dead
  interface Answer {
    readonly n: number;
    readonly result?: CommandResult;
    readonly failed?: string;
  }
  const waiting = new Map<number, (answer: Answer) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = JSON.parse(line) as Answer;
    waiting.get(answer.n)?.(answer);
    waiting.delete(answer.n);
  });
  let asked = 0;
  const ask: AppChild["ask"] = async (method, params, commandId) => {
    const n = ++asked;
    const answered = new Promise<Answer>((resolve) => waiting.set(n, resolve));
    child.stdin.write(`${JSON.stringify({ n, method, params, commandId })}\n`);
    const { result, failed } = await answered;
    if (result === undefined) throw new Error(`${method}: ${failed}`);
    return result;
  };
  const up = await Promise.race([ask("event/list", {}), gone.then(() => undefined)]);
  if (up === undefined) throw new Error(`the child of a test ended: ${stderr}`);
  return { ask, kill };
}
