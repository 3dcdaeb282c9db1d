/** How a child process is started, watched and ended: real children, real signals. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isWireError, Peer } from "../../src/wire/index.js";
import { type ChildProcessOptions, type ChildProcessTransport, spawnHost } from "../../src/wire/node.js";
import { scratchFolder } from "../support/repo.js";

/** A child that runs a text. */
function child(script: string, options: Partial<ChildProcessOptions> = {}): ChildProcessTransport {
  return spawnHost({ command: process.execPath, args: ["-e", script], ...options });
}

/** Answers nothing, ends when its input ends. */
const QUIET = "process.stdin.resume()";
/** Does not end with its input, nor at SIGTERM. */
const STUBBORN = `process.stdin.resume(); process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log('{"jsonrpc":"2.0","method":"ready"}');`;

function ready(peer: Peer): Promise<void> {
  return new Promise((resolve) => peer.onNotification(() => resolve()));
}

async function gone(pid: number): Promise<boolean> {
  for (let i = 0; i < 500; i++) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    // A zombie is gone: nobody has read its exit code yet.
    if (existsSync(`/proc/${pid}/stat`) && /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8")))
      return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return false;
}

describe("closing a child", () => {
  it("ends its input first, which is all that a good one needs", async () => {
    const transport = child(`${QUIET}; process.stdin.on("end", () => process.exit(0))`);
    await new Peer(transport).close();
    expect(await transport.exit).toEqual({ code: 0, signal: null });
  });

  it("hears what it says while it ends", async () => {
    const said: unknown[] = [];
    const transport = child(
      `${QUIET}; process.stdin.on("end", () => setTimeout(() => console.log('{"jsonrpc":"2.0","method":"bye"}'), 50))`,
    );
    const peer = new Peer(transport, { answerMalformed: false });
    peer.onNotification((method) => said.push(method));
    await peer.close();
    expect(said).toEqual(["bye"]);
  });

  it("sends SIGTERM to one that stays", async () => {
    const transport = child(`${QUIET}; setInterval(() => {}, 1000)`, { shutdownTimeoutMs: 100 });
    await new Peer(transport).close();
    expect(await transport.exit).toEqual({ code: null, signal: "SIGTERM" });
  });

  it("sends SIGKILL to one that ignores that", async () => {
    const transport = child(STUBBORN, { shutdownTimeoutMs: 50, killTimeoutMs: 100 });
    const peer = new Peer(transport, { answerMalformed: false });
    await ready(peer);
    await peer.close();
    expect(await transport.exit).toEqual({ code: null, signal: "SIGKILL" });
  });

  it.skipIf(process.platform === "win32")("ends what the child started too", async () => {
    const file = join(scratchFolder(), "pid");
    const transport = child(
      `const { spawn } = require("node:child_process");
      const other = spawn(process.execPath, ["-e", ${JSON.stringify(STUBBORN)}], { stdio: ["pipe", "pipe", "ignore"] });
      other.stdout.once("data", () => { require("node:fs").writeFileSync(${JSON.stringify(file)}, String(other.pid)); console.log('{"jsonrpc":"2.0","method":"ready"}'); });
      process.on("SIGTERM", () => {}); ${QUIET}; setInterval(() => {}, 1000);`,
      { shutdownTimeoutMs: 50, killTimeoutMs: 100 },
    );
    const peer = new Peer(transport, { answerMalformed: false });
    await ready(peer);
    const pid = Number(readFileSync(file, "utf8"));
    expect(await Promise.race([gone(pid), Promise.resolve("runs")])).toBe("runs");
    await peer.close();
    expect(await gone(pid)).toBe(true);
  });

  it("does not wait for ever for what holds its streams", async () => {
    const script = `const { spawn } = require("node:child_process");
      spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: ["ignore", "inherit", "inherit"], detached: true }).unref();
      console.log('{"jsonrpc":"2.0","method":"ready"}'); ${QUIET}; process.stdin.on("end", () => process.exit(0))`;
    const transport = child(script);
    const peer = new Peer(transport, { answerMalformed: false });
    await ready(peer);
    await peer.close();
    expect(await transport.exit).toEqual({ code: 0, signal: null });
  });

  it("writes what waits first", async () => {
    const file = join(scratchFolder(), "got");
    const transport = child(
      `let n = 0; process.stdin.on("data", (d) => { n += d.length; }); process.stdin.on("end", () => require("node:fs").writeFileSync(${JSON.stringify(file)}, String(n)))`,
    );
    const peer = new Peer(transport);
    const pad = "x".repeat(1_000);
    for (let i = 0; i < 3_000; i++) void peer.notify("n", { pad });
    await peer.close();
    expect(Number(readFileSync(file, "utf8"))).toBeGreaterThan(3_000_000);
  });

  it.each([-1, 1.5, 2_147_483_648, Number.NaN])("takes no time limit of %s", (shutdownTimeoutMs) => {
    expect(() => child(QUIET, { shutdownTimeoutMs })).toThrow(RangeError);
  });
});

describe("a child that ends by itself", () => {
  it.each([
    ["process.exit(7)", { code: 7, signal: null }],
    ['process.kill(process.pid, "SIGKILL")', { code: null, signal: "SIGKILL" }],
  ])("%s is told apart by its exit; waits end with outcome unknown", async (script, exit) => {
    const transport = child(`process.stdin.once("data", () => { ${script} })`);
    const peer = new Peer(transport, { answerMalformed: false });
    const call = peer.request("a", undefined).catch((error: unknown) => isWireError(error) && error.kind);
    expect(await call).toBe("outcomeUnknown");
    expect(await transport.exit).toEqual(exit);
    await peer.closed;
  });

  it("has its last frames read, though it reads no more", async () => {
    const said: unknown[] = [];
    const transport = child(
      `for (let i = 0; i < 3000; i++) console.log(JSON.stringify({ jsonrpc: "2.0", method: "n", params: { i, pad: "x".repeat(100) } }));
      process.stdin.destroy();`,
    );
    const peer = new Peer(transport, { answerMalformed: false });
    peer.onNotification((_, params) => said.push((params as { i: number }).i));
    const pad = "x".repeat(100_000);
    for (let i = 0; i < 20; i++) void Promise.resolve(peer.notify("n", { pad })).catch(() => undefined);
    await peer.closed;
    expect(said).toHaveLength(3_000);
  });

  it("leaves the tail of its standard error, at most 8 KiB and 100 lines, whole characters", async () => {
    const heard: string[] = [];
    const transport = child(
      `for (let i = 0; i < 300; i++) console.error("line " + i); console.error("€".repeat(5000)); process.exitCode = 3`,
      { onStderr: (text) => heard.push(text) },
    );
    const peer = new Peer(transport);
    await peer.closed;
    expect(Buffer.byteLength(transport.stderrTail)).toBeLessThanOrEqual(8_192);
    expect(transport.stderrTail).toMatch(/^€+\n$/);
    expect(heard.join("")).toContain("line 0\n");
    const short = child(`for (let i = 0; i < 300; i++) console.error("line " + i)`);
    await new Peer(short).closed;
    expect(short.stderrTail.split("\n")).toHaveLength(101);
    expect(short.stderrTail.startsWith("line 200\n")).toBe(true);
  });
});

describe("a program that cannot be started", () => {
  it("ends the connection with an error that names it; nothing was sent or nothing is known, never a result", async () => {
    const transport = spawnHost({ command: "/nowhere/no-such-program" });
    const peer = new Peer(transport);
    const call = peer.request("a", undefined);
    await expect(call).rejects.toMatchObject({
      cause: { kind: "spawnFailed", command: "/nowhere/no-such-program" },
    });
    expect(await peer.closed).toMatchObject({ kind: "spawnFailed" });
    expect(await transport.exit).toEqual({ code: null, signal: null });
    expect(transport.pid).toBeUndefined();
  });

  it("also when it is no program", async () => {
    const file = join(scratchFolder(), "text");
    writeFileSync(file, "text", { mode: 0o644 });
    expect(await new Peer(spawnHost({ command: file })).closed).toMatchObject({ kind: "spawnFailed" });
  });
});
