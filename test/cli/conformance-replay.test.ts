/** `mspkit conformance replay`, `regen` and `agent-script`: their words, what they print, and their exit codes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadTranscript, type Transcript } from "../../src/transcripts/index.js";
import { mspkit } from "../support/cli.js";
import { MSPKIT } from "../support/conversation.js";
import { scriptedHost } from "../support/replay.js";
import { scratchFolder } from "../support/repo.js";
import { OWN_TRANSCRIPTS, writeTranscript } from "../support/transcripts.js";

const NODE = process.execPath;
const GOLDEN = join(OWN_TRANSCRIPTS, "text-turn");

/** The words of a canned host. */
const canned = (folder: string): string[] => [
  NODE,
  MSPKIT,
  "conformance",
  "serve-fixture",
  "--transcript",
  folder,
];

const replay = (folder: string, ...words: readonly string[]) =>
  mspkit(["conformance", "replay", "--transcript", folder, ...words]);

const words = (text: string): string[] => {
  const { command, args } = scriptedHost(text);
  return [command, ...args];
};

/** A golden session whose recording says something else, in a folder of its own. */
function changed(change: (raw: string) => string, manifest: object = {}): string {
  const golden = loadTranscript(GOLDEN);
  const lines = golden.lines.map((line): Transcript["lines"][number] =>
    line.dir === "server" ? { ...line, raw: change(line.raw) } : line,
  );
  return writeTranscript(scratchFolder(), {
    ...golden,
    lines,
    manifest: { ...golden.manifest, ...manifest },
  });
}

const bytesOf = (folder: string): string[] =>
  ["transcript.ndjson", "manifest.json"].map((name) => readFileSync(join(folder, name), "utf8"));

describe("replay", () => {
  it("says that a host is conformant, and exits with 0", async () => {
    const text = await replay("text-turn", "--", ...canned(GOLDEN));
    expect(text).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^text-turn: conformant: \d+ frames/),
    });
    const json = await replay(GOLDEN, "--json", "--timeout", "20000", "--", ...canned(GOLDEN));
    expect(JSON.parse(json.stdout)).toMatchObject({ kind: "replayComplete", scenario: "text-turn" });
  });

  it("names the path, what was expected and what came, and exits with 1", async () => {
    const folder = changed((raw) => raw.replace('"terminal":"completed"', '"terminal":"failed"'));
    const text = await replay(folder, "--", ...canned(GOLDEN));
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(
      /^text-turn\/transcript\.ndjson:\d+: frameDivergence: params\.terminal: expected "failed", received "completed"\n {2}expected: \{.*\n {2}received: \{.*\n$/,
    );
    const json = JSON.parse((await replay(folder, "--json", "--", ...canned(GOLDEN))).stdout) as object;
    expect(json).toMatchObject({
      kind: "replayFailure",
      problem: "frameDivergence",
      divergences: [{ path: "params.terminal", expected: "failed", received: "completed", note: null }],
    });
  });

  it("waits no longer than it is told", async () => {
    const run = await replay(GOLDEN, "--timeout", "200", "--", ...words("lines.resume();"));
    expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining("frameMissing: id: expected 1") });
  });

  it("gives no verdict on a host that dies, cannot be started, or has no transcript, and exits with 3", async () => {
    const dies = await replay(GOLDEN, "--", ...words('console.error("no fuel"); process.exit(4);'));
    expect(dies).toMatchObject({ code: 3, stdout: "", stderr: expect.stringContaining("exit code 4") });
    expect(dies.stderr).toContain("no fuel");
    expect(await replay(GOLDEN, "--", "./no-such-host")).toMatchObject({ code: 3, stdout: "" });
    expect(await replay("no-such-session", "--", ...canned(GOLDEN))).toMatchObject({ code: 3, stdout: "" });
  });

  it.each<[string, string[]]>([
    ["no transcript", ["--", "host"]],
    ["no host", ["--transcript", GOLDEN]],
    ["an empty host", ["--transcript", GOLDEN, "--", ""]],
    ["two hosts", ["--transcript", GOLDEN, "--muse-bin", "muse", "--", "host"]],
    ["no number", ["--transcript", GOLDEN, "--timeout", "soon", "--", "host"]],
    ["no time at all", ["--transcript", GOLDEN, "--timeout", "0", "--", "host"]],
  ])("exits with 2 for wrong words: %s", async (_, given) => {
    expect(await mspkit(["conformance", "replay", ...given])).toMatchObject({ code: 2, stdout: "" });
  });

  it.skipIf(process.platform === "win32")("takes the host as the official runner does", async () => {
    const bin = join(scratchFolder(), "muse");
    const call = canned(GOLDEN).map((word) => `'${word}'`);
    writeFileSync(bin, `#!/bin/sh\n[ "$1" = serve ] || exit 9\nexec ${call.join(" ")}\n`, { mode: 0o755 });
    expect(await replay(GOLDEN, "--muse-bin", bin)).toMatchObject({ code: 0 });
  });
});

describe("regen", () => {
  const regen = (folder: string) =>
    mspkit(["conformance", "regen", "--transcript", folder, "--", ...canned(GOLDEN)]);

  it("writes the host's bytes and its provenance where they are equal, and exits with 0", async () => {
    const folder = changed((raw) => raw.replace(/"userAgent":"[^"]*"/, '"userAgent":"another"'));
    const run = await regen(folder);
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining("provenance is host-generated") });
    expect(bytesOf(folder)[0]).toBe(bytesOf(GOLDEN)[0]);
    expect(loadTranscript(folder).manifest.provenance).toBe("host-generated");
    const before = bytesOf(folder);
    expect(await regen(folder)).toMatchObject({ code: 0, stderr: expect.stringContaining("every byte") });
    expect(bytesOf(folder)).toEqual(before);
  });

  it("writes nothing where they differ and nobody says why, and exits with 1", async () => {
    const folder = changed((raw) => raw.replace('"terminal":"completed"', '"terminal":"failed"'));
    const before = bytesOf(folder);
    expect(await regen(folder)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("params.terminal"),
    });
    expect(bytesOf(folder)).toEqual(before);
  });

  it("writes what differs for a reason, and refuses half a reason before it starts the host", async () => {
    const other = (raw: string): string => raw.replace('"terminal":"completed"', '"terminal":"failed"');
    const reason = { cite: "a", rationale: "b", trackingIssue: "c" };
    const folder = changed(other, { regenerationJustification: reason, provenance: "hand-authored" });
    expect(await regen(folder)).toMatchObject({ code: 0, stderr: expect.stringContaining("frames written") });
    expect(bytesOf(folder)[0]).toBe(bytesOf(GOLDEN)[0]);
    expect(loadTranscript(folder).manifest.provenance).toBe("hand-authored");
    const half = changed(other, { regenerationJustification: { cite: "a" } });
    const before = bytesOf(half);
    const run = await mspkit(["conformance", "regen", "--transcript", half, "--", "./no-such-host"]);
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining("rationale, trackingIssue") });
    expect(bytesOf(half)).toEqual(before);
  });
});

describe("agent-script", () => {
  it("prints what the agent did as JSON", async () => {
    const run = await mspkit(["conformance", "agent-script", "--transcript", "text-turn"]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(run.stdout)).toMatchObject({ version: 1, turns: [{ steps: expect.any(Array) }] });
  });

  it("says what is left out, and needs a transcript", async () => {
    const run = await mspkit(["conformance", "agent-script", "--transcript", "resume-pending-approval"]);
    expect(run).toMatchObject({ code: 0, stderr: expect.stringMatching(/^\d+ frames tell of turns/) });
    expect(await mspkit(["conformance", "agent-script"])).toMatchObject({ code: 2 });
  });
});
