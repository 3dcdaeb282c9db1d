/** How the program ends where it has no code yet. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { mspkit } from "../support/cli.js";
import { MSPKIT } from "../support/conversation.js";
import { scratchFolder } from "../support/repo.js";

describe("mspkit", () => {
  it("whose work is never done, and which nothing keeps, does not end as if it were", async () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, "never.mjs"), "await new Promise(() => undefined);\n");
    const run = await mspkit(["emitter", "check", "./never.mjs"], { cwd });
    expect([run.code, run.stdout]).toEqual([3, ""]);
    expect(run.stderr).toMatch(/ended before it was done/);
  });

  it("whose reader has seen enough ends as one that is fine", async () => {
    const child = spawn(process.execPath, [MSPKIT, "--help"], { timeout: 60_000, killSignal: "SIGKILL" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const gone = once(child, "close");
    child.stdout.destroy();
    let said = "";
    child.stderr.on("data", (text: Buffer) => (said += text.toString()));
    expect(await gone).toEqual([0, null]);
    expect(said).toBe("");
  });
});
