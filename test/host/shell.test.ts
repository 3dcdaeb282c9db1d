/** The user's shell, with real commands. */
import { describe, expect, it } from "vitest";
import { platformShell } from "../../src/host/shell.js";

const run = (command: string, signal = new AbortController().signal) =>
  platformShell(command, undefined, signal);

describe.skipIf(process.platform === "win32")("a command of the user's shell", () => {
  it("has its whole output, however soon it ends", async () => {
    for (let i = 0; i < 20; i++)
      expect(await run("head -c 60000 /dev/zero | tr '\\0' x")).toEqual({
        exitCode: 0,
        output: "x".repeat(60_000),
      });
  });

  it("has what it writes to standard error too, and its exit code", async () => {
    const { exitCode, output } = await run("echo out; echo err >&2; exit 3");
    expect(exitCode).toBe(3);
    expect(output.split("\n").sort()).toEqual(["", "err", "out"]);
  });

  it("may write more than is kept", async () => {
    const { exitCode, output } = await run("head -c 1000000 /dev/zero | tr '\\0' y");
    expect({ exitCode, length: output.length }).toEqual({ exitCode: 0, length: 65_536 });
  });

  it("is not told the host's secret", async () => {
    process.env["MSPKIT_TOKEN"] = "secret";
    try {
      expect((await run('echo "[$MSPKIT_TOKEN]"')).output).toBe("[]\n");
    } finally {
      delete process.env["MSPKIT_TOKEN"];
    }
  });

  it("is killed with its group when it is to stop", async () => {
    const controller = new AbortController();
    const ended = run("trap '' TERM; echo up; sleep 600 & wait; sleep 600", controller.signal);
    setTimeout(() => controller.abort(), 200);
    expect((await ended).exitCode).toBeUndefined();
  });
});
