/** `mspkit conformance record`: between a client and a host nothing is lost, changed or reordered, however it ends. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadTranscript, loadTranscripts, validateTranscripts } from "../../src/transcripts/index.js";
import { mspkit } from "../support/cli.js";
import { Conversation, converse, MSPKIT } from "../support/conversation.js";
import { scratchFolder } from "../support/repo.js";
import { OWN_TRANSCRIPTS, ScriptedClient } from "../support/transcripts.js";

const NODE = process.execPath;

/** The proxy before a host. */
function record(out: string, ...host: readonly string[]): Conversation {
  return new Conversation([MSPKIT, "conformance", "record", "--out", out, "--", ...host]);
}

/** A host of a few lines of JavaScript. */
function script(text: string): string[] {
  const file = join(scratchFolder(), "host.mjs");
  writeFileSync(file, text);
  return [NODE, file];
}

/** Runs the proxy with these bytes as the client's stream; the bytes that came back. */
function pipe(
  out: string,
  input: Buffer,
  ...host: readonly string[]
): Promise<{ code: number | null; bytes: Buffer; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(NODE, [MSPKIT, "conformance", "record", "--out", out, "--", ...host], {
      timeout: 110_000,
      killSignal: "SIGKILL",
    });
    const chunks: Buffer[] = [];
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, bytes: Buffer.concat(chunks), stderr }));
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

const ECHO = "process.stdin.pipe(process.stdout);";

describe("a session between a client and the canned host", () => {
  it.each(["approval-round-trip", "framing-tolerance", "queued-launch", "gap-splice-fill"])(
    "gives the transcript that was replayed, ids aside: %s",
    async (scenario) => {
      const out = join(scratchFolder(), scenario);
      const folder = join(OWN_TRANSCRIPTS, scenario);
      const played = loadTranscript(folder);
      const client = new ScriptedClient();
      const proxy = record(out, NODE, MSPKIT, "conformance", "serve-fixture", "--transcript", folder);
      await converse(proxy, played, client);
      const ended = await proxy.hangUp();
      // The host's standard error and exit code are the proxy's.
      expect(ended.code).toBe(0);
      expect(JSON.parse(ended.stderr)).toMatchObject({ kind: "serveFixtureComplete" });
      const recorded = loadTranscript(out);
      expect(recorded.manifest).toMatchObject({ provenance: "host-generated", fingerprint: served(played) });
      expect(recorded.lines.map(({ dir }) => dir)).toEqual(played.lines.map(({ dir }) => dir));
      expect(recorded.lines.map(({ raw }) => anonymous(raw))).toEqual(
        played.lines.map(({ raw }) => anonymous(raw)),
      );
      expect(
        (await validateTranscripts([recorded])).findings.filter(({ severity }) => severity === "error"),
      ).toEqual([]);
    },
  );

  /** A frame without its id, which the client chose. */
  function anonymous(raw: string): unknown {
    const { id, ...rest } = JSON.parse(raw) as Record<string, unknown>;
    return [id === undefined, rest];
  }

  function served({ lines }: ReturnType<typeof loadTranscript>): string {
    const answer = JSON.parse(lines[1]!.raw) as { result: { schema: { fingerprint: string } } };
    return answer.result.schema.fingerprint;
  }

  it("can be replayed at once", async () => {
    const out = join(scratchFolder(), "again");
    const folder = join(OWN_TRANSCRIPTS, "text-turn");
    const proxy = record(out, NODE, MSPKIT, "conformance", "serve-fixture", "--transcript", folder);
    await converse(proxy, loadTranscript(folder), new ScriptedClient());
    await proxy.hangUp();
    const host = new Conversation([MSPKIT, "conformance", "serve-fixture", "--transcript", out]);
    await converse(host, loadTranscript(out), new ScriptedClient());
    expect(await host.hangUp()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('"scenario":"again"'),
    });
  });
});

describe("bytes", () => {
  it("pass unchanged both ways, and whole frames alone are recorded", async () => {
    const out = join(scratchFolder(), "odd");
    const input = Buffer.concat([
      Buffer.from('{"a":1}\r\n\n \t\n{"b":"\u2028é"}\n'),
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d, 0x0a]),
      Buffer.from(`${"x".repeat(3_000_000)}\nnot whole`),
    ]);
    const { code, bytes, stderr } = await pipe(out, input, ...script(ECHO));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(bytes.equals(input)).toBe(true);
    const { lines } = loadTranscript(out);
    const frames = [
      { raw: '{"a":1}\r' },
      { raw: '{"b":"\u2028é"}' },
      { raw: "\ufffd\ufffd", base64: "//4=" },
      { raw: "\ufeff{}" },
      { raw: "x".repeat(3_000_000) },
    ];
    for (const side of ["client", "server"] as const) {
      const own = lines.filter(({ dir }) => dir === side).map(({ dir, line, ...rest }) => rest);
      expect(own).toEqual(frames);
    }
  });

  it("pass before their frame is whole", async () => {
    const proxy = record(
      join(scratchFolder(), "s"),
      ...script('process.stdin.on("data", (d) => console.log(d.length));'),
    );
    proxy.child.stdin.write("half");
    expect(await proxy.hears(1)).toBe(true);
    expect((await proxy.hangUp()).lines).toEqual(["4"]);
  });

  it("of a flood come in order, and wait for a client that does not read", async () => {
    const out = join(scratchFolder(), "flood");
    const many = 20_000;
    const flood = `
      let n = 0;
      const more = () => {
        while (n < ${many})
          if (!process.stdout.write(JSON.stringify({ n: n++, pad: "y".repeat(500) }) + "\\n")) {
            process.stdout.once("drain", more);
            return;
          }
        process.exitCode = 3;
        process.stdin.destroy();
      };
      more();
      setTimeout(() => console.error("written:" + n + ";"), 700);`;
    const proxy = record(out, ...script(flood));
    proxy.child.stdout.pause();
    await proxy.tells(";");
    proxy.child.stdout.resume();
    const ended = await proxy.ended;
    // 10 MB do not fit into pipes.
    expect(Number(/written:(\d+);/.exec(ended.stderr)?.[1])).toBeLessThan(many);
    expect(ended.code).toBe(3);
    expect(ended.lines.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual(
      Array.from({ length: many }, (_, n) => n),
    );
    expect(loadTranscript(out).lines.map(({ raw }) => raw)).toEqual(ended.lines);
  });

  it("of a host that has ended wait, too", async () => {
    const out = join(scratchFolder(), "late");
    const proxy = record(
      out,
      ...script(`const line = (n) => JSON.stringify({ n, pad: "y".repeat(500) }) + "\\n";
        for (let n = 0; n < 600; n++) process.stdout.write(line(n));`),
    );
    proxy.child.stdout.pause();
    // Longer than silence is waited for.
    await new Promise((resolve) => setTimeout(resolve, 4_500));
    proxy.child.stdout.resume();
    expect((await proxy.ended).lines).toHaveLength(600);
    expect(loadTranscript(out).lines).toHaveLength(600);
  });

  it("of the host are recorded though the client is gone", async () => {
    const out = join(scratchFolder(), "gone");
    const proxy = record(
      out,
      ...script(
        'process.stdin.resume().on("end", () => { for (let n = 0; n < 100; n++) console.log(JSON.stringify({ n })); });',
      ),
    );
    proxy.child.stdout.destroy();
    expect((await proxy.hangUp()).code).toBe(0);
    expect(loadTranscript(out).lines).toHaveLength(100);
  });
});

describe("a session that is interrupted", () => {
  /** Counts its input on stderr; says good-bye when that ends. */
  const POLITE = `
    let text = "";
    process.on("SIGINT", () => console.error("host got SIGINT"));
    process.stdin.setEncoding("utf8").on("data", (d) => { text += d; process.stdout.write(d); });
    process.stdin.on("end", () => { for (let n = 0; n < 1000; n++) console.log(JSON.stringify({ bye: n })); process.exitCode = 6; });`;

  it.each(["SIGINT", "SIGTERM"] as const)("by %s loses nothing that was sent", async (signal) => {
    const out = join(scratchFolder(), "cut");
    const proxy = record(out, ...script(POLITE));
    proxy.send('{"n":"first"}');
    await proxy.hears(1);
    const sent = Array.from({ length: 2_000 }, (_, n) => JSON.stringify({ n, pad: "z".repeat(100) }));
    proxy.send(...sent);
    await new Promise((resolve) => proxy.child.stdin.write("", resolve));
    proxy.child.kill(signal);
    const ended = await proxy.ended;
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 6, stderr: "" });
    const goodbye = Array.from({ length: 1_000 }, (_, n) => JSON.stringify({ bye: n }));
    expect(ended.lines).toEqual(['{"n":"first"}', ...sent, ...goodbye]);
    const { lines } = loadTranscript(out);
    expect(lines.filter(({ dir }) => dir === "client").map(({ raw }) => raw)).toEqual([
      '{"n":"first"}',
      ...sent,
    ]);
    expect(lines.filter(({ dir }) => dir === "server").map(({ raw }) => raw)).toEqual(ended.lines);
  });

  it("loses nothing that a slow host has not taken yet", async () => {
    const out = join(scratchFolder(), "under-way");
    const slow = `console.log("up"); await new Promise((done) => setTimeout(done, 1000));${POLITE}`;
    const proxy = record(out, ...script(slow));
    await proxy.hears(1);
    // More than pipes hold: the proxy waits for the host, the client for the proxy.
    const sent = Array.from({ length: 10_000 }, (_, n) => JSON.stringify({ n, pad: "z".repeat(100) }));
    proxy.send(...sent);
    await new Promise((resolve) => setTimeout(resolve, 300));
    proxy.child.kill("SIGINT");
    const ended = await proxy.ended;
    expect(ended.code).toBe(6);
    expect(ended.lines.slice(1, sent.length + 1)).toEqual(sent);
    const { lines } = loadTranscript(out);
    expect(lines.filter(({ dir }) => dir === "client").map(({ raw }) => raw)).toEqual(sent);
  });

  it("by SIGKILL leaves a transcript that can be read", async () => {
    const out = join(scratchFolder(), "killed");
    const folder = join(OWN_TRANSCRIPTS, "text-turn");
    const played = loadTranscript(folder);
    const proxy = record(out, NODE, MSPKIT, "conformance", "serve-fixture", "--transcript", folder);
    await converse(proxy, played, new ScriptedClient(), 5);
    proxy.child.kill("SIGKILL");
    expect(await proxy.ended).toMatchObject({ signal: "SIGKILL" });
    expect(loadTranscript(out).lines.length).toBeGreaterThanOrEqual(5);
    expect(loadTranscripts(join(out, ".."))).toHaveLength(1);
  });

  it("twice ends a host that does not listen", async () => {
    const proxy = record(
      join(scratchFolder(), "deaf"),
      ...script(
        'process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1e6); console.log("up");',
      ),
    );
    await proxy.hears(1);
    proxy.child.kill("SIGINT");
    // The second is only one if the first has been seen.
    const again = setInterval(() => proxy.child.kill("SIGINT"), 200);
    const ended = await proxy.ended;
    clearInterval(again);
    expect(ended).toMatchObject({ code: 137, lines: ["up"] });
  });

  it("after the client has ended its stream ends a host that does not", async () => {
    const proxy = record(
      join(scratchFolder(), "slow"),
      ...script(
        'setInterval(() => undefined, 1e6); process.stdin.resume().on("end", () => console.log("end"));',
      ),
    );
    proxy.child.stdin.end();
    await proxy.hears(1);
    proxy.child.kill("SIGTERM");
    expect(await proxy.ended).toMatchObject({ code: 143, lines: ["end"] });
    // Not the 30 s of a host that has just been told to end.
  }, 25_000);
});

describe("the end of a host", () => {
  it.each([
    ["process.exit(7)", 7],
    ['process.kill(process.pid, "SIGKILL")', 137],
    ["", 0],
  ])("is the proxy's: %s", async (text, code) => {
    const run = await mspkit([
      "conformance",
      "record",
      "--out",
      join(scratchFolder(), "x"),
      "--",
      ...script(text),
    ]);
    expect(run).toEqual({ code, stdout: "", stderr: "" });
  });

  it("is not waited for because of what the host left behind", async () => {
    const left = `import { spawn } from "node:child_process";
      spawn(process.execPath, ["-e", "setTimeout(() => undefined, 60000)"], { stdio: ["ignore", "inherit", "ignore"] }).unref();
      console.log("started"); process.exit(0);`;
    const { code, lines } = await record(join(scratchFolder(), "left"), ...script(left)).ended;
    expect({ code, lines }).toEqual({ code: 0, lines: ["started"] });
  });
});

describe("what cannot begin is trouble, and nothing has passed", () => {
  const run = (out: string, ...host: readonly string[]) =>
    mspkit(["conformance", "record", "--out", out, "--", ...host], { input: "{}\n" });

  it("a host that is not there leaves no folder", async () => {
    const out = join(scratchFolder(), "new/one");
    const { code, stdout, stderr } = await run(out, join(out, "nobody"));
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(/^mspkit: .*nobody: cannot be started: .*\n$/);
    expect(existsSync(join(out, ".."))).toBe(false);
  });

  it("a folder that has a transcript keeps it", async () => {
    const root = scratchFolder();
    const out = join(root, "one");
    mkdirSync(out);
    writeFileSync(join(out, "transcript.ndjson"), "");
    const { code, stdout, stderr } = await run(
      out,
      ...script(
        `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(root, "ran"))}, "");`,
      ),
    );
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("already");
    expect(existsSync(join(root, "ran"))).toBe(false);
    expect(readFileSync(join(out, "transcript.ndjson"), "utf8")).toBe("");
  });

  it("a place that is a file", async () => {
    const file = join(scratchFolder(), "file");
    writeFileSync(file, "");
    expect(await run(join(file, "x"), ...script(ECHO))).toMatchObject({ code: 3, stdout: "" });
  });

  it("--scenario names a folder below --out", async () => {
    const root = scratchFolder();
    const { code } = await mspkit(
      ["conformance", "record", "--out", root, "--scenario", "named", "--", ...script(ECHO), "--help"],
      { input: "{}\n" },
    );
    expect(code).toBe(0);
    expect(loadTranscript(join(root, "named"))).toMatchObject({
      scenario: "named",
      lines: [{ raw: "{}" }, { raw: "{}" }],
    });
  });
});
