/** How `mspkit doors serve` ends: before it serves, and while somebody waits for an answer. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../../src/commands/app.js";
import { mspkit } from "../../support/cli.js";
import { MSPKIT } from "../../support/conversation.js";
import { slowApp } from "../../support/slow-app.js";

const TOKEN = "a-token-for-the-tests";
const WORDS = ["--token", `orchard/ann=${TOKEN}`];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mspkit-doors-"));
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A process that is talked to by its standard streams. */
function served(words: readonly string[]) {
  const child = spawn(process.execPath, [MSPKIT, "doors", "serve", ...words], {
    timeout: 100_000,
    killSignal: "SIGKILL",
  });
  const gone = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return {
    child,
    gone,
    stderr: () => stderr,
    send: (message: JsonObject) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    answers: () =>
      stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as { readonly id: number; readonly result: JsonObject }),
    async said(word: string): Promise<void> {
      while (!stderr.includes(word)) {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${stderr}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
}

describe("mspkit doors serve that cannot begin", () => {
  it("says which PostgreSQL does not answer", async () => {
    // Nothing listens at port 1.
    const store = "postgres://ann:secret@127.0.0.1:1/orchard";
    const run = await mspkit(["doors", "serve", ...WORDS, "--store", store], { timeout: 60_000 });
    expect([run.code, run.stdout]).toEqual([3, ""]);
    expect(run.stderr).toMatch(/127\.0\.0\.1:1/);
    expect(run.stderr).not.toMatch(/secret|error of the tool/);
  });

  it("says what the application threw", async () => {
    const app = join(folder, "app.mjs");
    writeFileSync(app, `export const createApp = async () => { throw new Error("the cellar is wet"); };`);
    const run = await mspkit(["doors", "serve", ...WORDS, "--app", app]);
    expect([run.code, run.stdout]).toEqual([3, ""]);
    expect(run.stderr).toMatch(/createApp failed: the cellar is wet/);
    expect(run.stderr).not.toMatch(/error of the tool/);
  });

  it.each([
    ["nothing", ""],
    ["a timer", "setInterval(() => undefined, 1000);"],
  ])("ends when it is asked to, though the application never begins and holds %s", async (_what, held) => {
    const app = join(folder, "app.mjs");
    writeFileSync(
      app,
      `export const createApp = () => { ${held} console.error("beginning"); return new Promise(() => undefined); };`,
    );
    const { child, gone, said, stderr } = served([...WORDS, "--app", app]);
    await said("beginning");
    child.kill("SIGTERM");
    expect([await gone, stderr()]).toEqual([0, expect.stringMatching(/asked to end[\s\S]*"ended"/)]);
  });
});

describe("MCP over standard streams", () => {
  /** A client that has called a tool that is carried out now. */
  async function calling() {
    const process = served(["--mcp", "stdio", "--allow-anonymous", "--app", slowApp(folder)]);
    const initialize = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    };
    process.send({ id: 1, method: "initialize", params: initialize });
    process.send({ method: "notifications/initialized" });
    process.send(call(2, "one"));
    await process.said("carrying out");
    return process;
  }
  const call = (id: number, commandId: string): JsonObject => ({
    id,
    method: "tools/call",
    params: {
      name: "publish_event",
      arguments: { workspaceId: "w1", type: "apple.fell", command_id: commandId },
    },
  });

  it("answer a call that runs when the client sends no more", async () => {
    const { child, gone, answers, stderr } = await calling();
    child.stdin.end();
    expect(await gone).toBe(0);
    expect(answers().at(-1)).toMatchObject({ id: 2, result: { structuredContent: { commandId: "one" } } });
    expect(stderr()).toMatch(/the client has gone[\s\S]*the application is closed/);
  });

  it("answer a call that runs when the process is asked to end, and refuse what comes then", async () => {
    const { child, gone, answers, send, said } = await calling();
    child.kill("SIGTERM");
    await said("asked to end");
    send(call(3, "two"));
    expect(await gone).toBe(0);
    expect(answers().map(({ id }) => id)).toEqual([1, 3, 2]);
    const [, refused, answered] = answers();
    expect(refused).toMatchObject({
      result: { isError: true, structuredContent: { reason: "shutting_down", retryable: true } },
    });
    expect(answered).toMatchObject({ result: { structuredContent: { commandId: "one" } } });
  });
});
