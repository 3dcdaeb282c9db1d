/** `mspkit laws init`: the file of a host, by asking it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { mspkit } from "../support/cli.js";
import { MSPKIT } from "../support/conversation.js";
import { ROOT, scratchFolder } from "../support/repo.js";

const NAME = "mspkit.host.json";
const SERVE = [process.execPath, MSPKIT, "serve"];
const fixture = (name: string) => join(ROOT, "test/fixtures/laws", name);

function read(file: string): Record<string, unknown> {
  const value = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const schema: object = JSON.parse(readFileSync(join(ROOT, "schema/host.schema.json"), "utf8"));
  const validate = new Ajv2020().compile(schema);
  expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
  return value;
}

describe("mspkit laws init", () => {
  test("writes what it found out of our own host", async () => {
    const cwd = scratchFolder();
    const start = [...SERVE, "--store", "file:{dir}/store"];
    const run = await mspkit(["laws", "init", "--", ...start], { cwd });
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toBe("");
    expect(run.stderr).toContain("listens with --listen ws://127.0.0.1:0");
    expect(run.stderr).not.toContain("left to declare");
    const { serves, ...config } = read(join(cwd, NAME));
    expect(config).toEqual({
      $schema: "./node_modules/mspkit/schema/host.schema.json",
      start,
      listen: ["--listen", "ws://127.0.0.1:0"],
      durable: "file:{dir}/store",
      prompts: "test-agent",
    });
    expect(serves).toContain("turn/start");
  });

  test("says what is left to declare, and where the host was started", async () => {
    const cwd = scratchFolder();
    mkdirSync(join(cwd, "below"));
    const start = [process.execPath, fixture("acks-everything.mjs")];
    const run = await mspkit(["laws", "init", "--config", `below/${NAME}`, "--", ...start], { cwd });
    expect(run.code, run.stderr).toBe(0);
    for (const member of ["prompts", "durable", "start", "listen"])
      expect(run.stderr).toContain(`left to declare: ${member}: `);
    const config = read(join(cwd, "below", NAME));
    expect(config).toMatchObject({ start, cwd: ".." });
    expect(config).not.toHaveProperty("prompts");
  });

  test("writes over no file unless it is forced to", async () => {
    const cwd = scratchFolder();
    // It is not even read.
    writeFileSync(join(cwd, NAME), "{");
    const words = ["--", process.execPath, fixture("acks-everything.mjs")];
    const refused = await mspkit(["laws", "init", ...words], { cwd });
    expect([refused.code, readFileSync(join(cwd, NAME), "utf8")]).toEqual([2, "{"]);
    expect(refused.stderr).toContain("--force");
    const forced = await mspkit(["laws", "init", "--force", ...words], { cwd });
    expect(forced.code, forced.stderr).toBe(0);
    read(join(cwd, NAME));
  });

  test("writes nothing of a host that cannot be asked, or that is not there", async () => {
    const cwd = scratchFolder();
    const silent = await mspkit(["laws", "init", "--", process.execPath, fixture("closes-at-once.mjs")], {
      cwd,
    });
    expect(silent.code).toBe(3);
    expect(silent.stderr).toContain("cannot be asked: the host ended before the handshake");
    const none = await mspkit(["laws", "init", "--", "no-such-program-of-any-host"], { cwd });
    expect(none.code).toBe(3);
    expect(none.stderr).toContain("no-such-program-of-any-host");
    const words = await mspkit(["laws", "init"], { cwd });
    expect(words.code).toBe(2);
    expect(existsSync(join(cwd, NAME))).toBe(false);
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "leaves no host behind when it is ended by %s",
    async (signal) => {
      const cwd = scratchFolder();
      const script = `require("node:fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000);`;
      const kit = spawn(process.execPath, [MSPKIT, "laws", "init", "--", process.execPath, "-e", script], {
        cwd,
        timeout: 60_000,
        killSignal: "SIGKILL",
        stdio: "ignore",
      });
      const file = join(cwd, "pid");
      while (!existsSync(file) || readFileSync(file, "utf8") === "") await pause(20);
      const pid = Number(readFileSync(file, "utf8"));
      const ended = once(kit, "exit");
      kit.kill(signal);
      expect(await ended).toEqual([null, signal]);
      // It fails, by the time limit, where the host lives on.
      while (lives(pid)) await pause(20);
    },
  );
});

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
