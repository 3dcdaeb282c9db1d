/** `mspkit call`: what is sent and what is printed, with canned hosts and with a small one of our own. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { placesOf } from "../../src/cli/call/prepare.js";
import { loadTranscript } from "../../src/transcripts/index.js";
import { call, ID, lines, listening, order, START, said, seen, stub, TURN } from "../support/call.js";
import { mspkit } from "../support/cli.js";
import { ROOT, scratchFolder } from "../support/repo.js";
import { OWN_TRANSCRIPTS, transcriptOf, writeTranscript } from "../support/transcripts.js";

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A host that plays some frames after the handshake. */
function canned(...frames: string[]): string[] {
  const hello = loadTranscript(join(OWN_TRANSCRIPTS, "text-turn")).lines.slice(0, 3);
  const transcript = transcriptOf([
    ...hello.map(({ dir, raw }) => `${dir === "client" ? ">" : "<"}${raw}`),
    ...frames,
  ]);
  return serveFixture(writeTranscript(scratchFolder(), transcript));
}
const serveFixture = (transcript: string): string[] => [
  "--",
  process.execPath,
  join(ROOT, "dist/bin/mspkit-conformance.cjs"),
  "serve-fixture",
  "--rewrite-command-ids",
  "--transcript",
  transcript,
];

const ack = { commandId: ID, status: "accepted", turnId: ID, startedNewTurn: true, disposition: "started" };
const REQUEST = `>{"jsonrpc":"2.0","id":2,"method":"turn/start","params":${JSON.stringify({ ...TURN, commandId: ID })}}`;
const ACK = `<{"jsonrpc":"2.0","id":2,"result":${JSON.stringify(ack)}}`;
const DELTA = `<{"jsonrpc":"2.0","method":"item/delta","params":{"sessionId":"s","viewCursor":"v:1","itemId":"i","delta":"x"}}`;

describe("what is printed", () => {
  test("a golden session's first command: notification and result in the order of their arrival", async () => {
    const params = { commandId: ID, workspaceRoot: "/home/user/orchard" };
    const run = await call("session/start", JSON.stringify(params), ...serveFixture("text-turn"));
    expect(run.code).toBe(0);
    expect(order(run)).toEqual(["notification session/started", "result"]);
    const recorded = loadTranscript(join(OWN_TRANSCRIPTS, "text-turn")).lines[5]!;
    expect(lines(run)[1]!["result"]).toEqual((JSON.parse(recorded.raw) as { result: unknown }).result);
    expect(said(run)).toContain(
      "mspkit: mspkit-canned-host 0.0.0, durable; the host serves the schema of this client\n",
    );
  });

  test("an answer stands before what came behind it in one piece, and what came before it stands before", async () => {
    const run = await call(
      ...START,
      "--command-id",
      ID,
      "--wait",
      "300",
      ...canned(REQUEST, DELTA, ACK, DELTA),
    );
    expect(run.code).toBe(0);
    expect(order(run)).toEqual(["notification item/delta", "result", "notification item/delta"]);
    expect(said(run)).toContain('"serveFixtureComplete"');
  });

  test("a request of the host is printed and gets its receipt", async () => {
    const asked = loadTranscript(join(OWN_TRANSCRIPTS, "approval-round-trip")).lines.find(
      ({ dir, raw }) => dir === "server" && raw.includes('"method":"approval/request"'),
    )!;
    const { id, params } = JSON.parse(asked.raw) as { id: number; params: unknown };
    const receipt = `>{"jsonrpc":"2.0","id":${id},"result":{}}`;
    const host = canned(REQUEST, ACK, `<${asked.raw}`, receipt, DELTA);
    const run = await call(...START, "--until", "item/delta", ...host);
    expect(run.code).toBe(0);
    expect(lines(run)[1]).toEqual({ type: "request", id, method: "approval/request", params });
    expect(order(run)).toEqual(["result", "request approval/request", "notification item/delta"]);
    expect(said(run)).toContain('"serveFixtureComplete"');
  });

  test("an answered error is a line too, and exits 1", async () => {
    const run = await call("goal/clear", '{"sessionId":"s"}', "--command-id", ID, ...stub());
    expect(run.code).toBe(1);
    const data = { kind: "commandRejected", commandId: ID, reason: "missing_goal" };
    expect(lines(run)).toEqual([{ type: "error", error: { code: -32030, message: "no goal", data } }]);
  });

  test("--quiet prints results alone, and errors on stderr", async () => {
    const quiet = await call(...START, "-q", "--command-id", ID, "--until", "turn/completed", ...stub());
    expect(quiet).toMatchObject({ code: 0, stdout: `${JSON.stringify(ack)}\n` });
    const refused = await call("goal/clear", '{"sessionId":"s"}', "--quiet", ...stub());
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(said(refused)).toMatch(/^mspkit: goal\/clear: \{"code":-32030,/m);
  });
});

describe("the handshake", () => {
  test("says who asks, and asks for nothing by itself", async () => {
    const run = await call("session/list", ...stub());
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
    const hello = { clientInfo: { name: "mspkit", version }, capabilities: {} };
    expect(seen(run)).toEqual([`hello ${JSON.stringify(hello)}`, "initialized", "list {}"]);
    expect(said(run)).toBe("mspkit: stub 1.0.0, ephemeral; the host serves the schema of this client\n");
  });

  test("asks for capabilities, however they are listed, and tells what was not granted", async () => {
    const names = ["--capability", "userShell,more", "--capability", "feedback"];
    const run = await call("session/list", ...names, "--client-name", "me_2", ...stub());
    expect(run.code).toBe(0);
    expect(seen(run)[0]).toContain('"requestedCapabilities":["userShell","more","feedback"]');
    expect(seen(run)[0]).toContain('"name":"me_2"');
    expect(said(run)).toContain("mspkit: not granted: more, feedback\n");
  });

  test("tells which capability the method needs", async () => {
    const run = await call("computerUseSetup/check", ...stub());
    expect(said(run)).toContain("--capability computerUseSetup");
  });

  test("tells what is known of another schema", async () => {
    const [release, unknown] = await Promise.all([
      call("session/list", ...stub("other-release")),
      call("session/list", ...stub("unknown-schema")),
    ]);
    expect([release.code, unknown.code]).toEqual([0, 0]);
    expect(said(release)).toMatch(/the host serves release 1\.4\.12; methods that differ: .*session\/resume/);
    expect(said(unknown)).toContain(`not known here (sha256:${"0".repeat(64)})`);
  });

  test("opts in to what is experimental", async () => {
    const list = ["permissionProfile/list", '{"sessionId":"s"}'];
    const run = await call(...list, "--experimental", ...stub());
    expect(lines(run)).toEqual([{ type: "result", result: { profiles: [] } }]);
    expect(seen(run)[0]).toContain('"experimentalApi":true');
    const not = await call(...list, "--surface", "experimental", ...stub("no-experimental"));
    expect(not.code).toBe(1);
    expect(said(not)).toContain("the host does not serve what is experimental");
    expect(lines(not)).toMatchObject([{ error: { data: { kind: "experimentalRequired" } } }]);
  });
});

describe("params", () => {
  const list = { limit: 3 };

  test("are given in place, in a file, on standard input, or not at all", async () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, "p.json"), JSON.stringify(list));
    const runs = await Promise.all([
      mspkit(["call", "session/list", '{"limit":3}', ...stub()], { cwd }),
      mspkit(["call", "session/list", "@p.json", ...stub()], { cwd }),
      mspkit(["call", "session/list", "-", ...stub()], { cwd, input: '{\n"limit": 3}\n' }),
    ]);
    for (const run of runs) {
      expect(run.code).toBe(0);
      expect(seen(run)[2]).toBe('list {"limit":3}');
    }
  });

  test("that are wrong are told with their places, and the host is not even started", async () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, "p.json"), '{\n  "sessionId": 5,\n  "input": []\n}\n');
    const run = await mspkit(["call", "turn/start", "@p.json", ...stub()], { cwd });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^p\.json:2:\d+: \/sessionId must be string \(type\)$/m);
    expect(seen(run)).toEqual([]);
    const missing = await call("turn/start", ...stub());
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toMatch(/^<params>:1:1: the value .*"sessionId" \(required\)$/m);
    expect(missing.stderr).not.toContain("commandId");
  });

  test.each([
    ["turn/start", "[1]", "type"],
    ["session/list", "null", "type"],
    ["computerUseSetup/check", '{"a":1}', "params"],
    ["computerUseSetup/check", "null", "params"],
  ])("of %s are not %s", async (method, params, keyword) => {
    const run = await call(method, params, ...stub());
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(new RegExp(`^<params>:1:1: .* \\(${keyword}\\)\\n$`));
  });

  test("with an experimental member are told before anything is sent, unless it is opted in to", async () => {
    const params = JSON.stringify({ ...TURN, tokenBudget: 5 });
    const run = await call("turn/start", params, ...stub());
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(
      /^<params>:1:\d+: \/tokenBudget .*turn\/start\.tokenBudget.* \(experimental\)\n$/,
    );
    expect((await call("turn/start", params, "--experimental", ...stub())).code).toBe(0);
    const method = await call("permissionProfile/list", '{"sessionId":"s"}', ...stub());
    expect(method).toMatchObject({ code: 1, stdout: "" });
    expect(method.stderr).toMatch(/^mspkit: permissionProfile\/list is experimental; .*\n$/);
  });

  test("are sent as they are with --no-validate", async () => {
    const [member, method, value, unknown] = await Promise.all([
      call("turn/start", JSON.stringify({ ...TURN, tokenBudget: 5 }), "--no-validate", ...stub()),
      call("permissionProfile/list", '{"sessionId":"s"}', "--no-validate", ...stub()),
      call("session/list", "[1]", "--no-validate", ...stub()),
      call("vendor/echo", '{"a":[null]}', "--no-validate", "--command-id", "x", ...stub()),
    ]);
    expect([member, method, value, unknown].map(({ code }) => code)).toEqual([1, 1, 1, 0]);
    for (const run of [member, method])
      expect(lines(run)).toMatchObject([{ error: { data: { kind: "experimentalRequired" } } }]);
    expect(lines(value)).toMatchObject([{ error: { data: { kind: "invalidParams" } } }]);
    expect(lines(unknown)).toEqual([{ type: "result", result: { params: { a: [null], commandId: "x" } } }]);
  });

  test("over the frame limit are a finding, and nothing was sent", async () => {
    const text = "x".repeat(10_485_760);
    const run = await mspkit(["call", "turn/start", "-", ...stub()], {
      input: JSON.stringify({ ...TURN, input: [{ type: "text", text }] }),
    });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(said(run)).toContain("nothing was sent");
    expect(seen(run)).toHaveLength(2);
  });
});

test("a gated member is found wherever it stands", () => {
  const value = { a: [{ b: 1 }, { c: 1 }, null, { b: undefined }], "x/y": { z: 0 } };
  expect(placesOf(value, { path: "/a/*/b" })).toEqual(["/a/0/b", "/a/3/b"]);
  expect(placesOf(value, { path: "/*/z" })).toEqual(["/x~1y/z"]);
  expect(placesOf(value, { path: "/x~1y/z" })).toEqual(["/x~1y/z"]);
  expect(placesOf(value, { path: "/toString" })).toEqual([]);
  expect(placesOf(undefined, { path: "/a" })).toEqual([]);
});

describe("command ids", () => {
  test("are minted, told, and used for every repetition", async () => {
    const run = await call(...START, "--repeat", "3", "--until", "turn/completed", ...stub());
    expect(run.code).toBe(0);
    const id = /^mspkit: commandId (.*)$/m.exec(run.stderr)?.[1] ?? "";
    expect(id).toMatch(UUID_7);
    expect(seen(run).slice(2)).toEqual([`turn ${id}`, `turn ${id}`, `turn ${id}`]);
    expect(order(run)).toEqual([
      "notification turn/started",
      "result",
      "result",
      "result",
      "notification turn/completed",
    ]);
    expect(new Set(run.stdout.split("\n").filter((line) => line.startsWith('{"type":"result"'))).size).toBe(
      1,
    );
  });

  test.each([
    ["by --command-id", [...START, "--command-id", ID]],
    ["in the params", ["turn/start", JSON.stringify({ ...TURN, commandId: ID })]],
    ["in both", ["turn/start", JSON.stringify({ ...TURN, commandId: ID }), "--command-id", ID]],
  ])("are given %s and then not told", async (_, words) => {
    const run = await call(...words, ...stub());
    expect(run.code).toBe(0);
    expect(seen(run)[2]).toBe(`turn ${ID}`);
    expect(said(run)).not.toContain("commandId");
  });

  test("that a host forgets are found out: each result is printed, and the one that differs is told", async () => {
    const run = await call(...START, "--repeat", "2", ...stub("forgets"));
    expect(run.code).toBe(1);
    expect(order(run).filter((line) => line === "result")).toHaveLength(2);
    expect(said(run)).toContain("mspkit: answer 2 of turn/start differs from the first\n");
  });

  test("are not asked of a host that answers a repeated refusal alike", async () => {
    const run = await call("goal/clear", '{"sessionId":"s"}', "--repeat", "2", ...stub());
    expect(run.code).toBe(1);
    expect(order(run)).toEqual(["error", "error"]);
    expect(said(run)).not.toContain("differs");
  });

  test("that come back as others are a finding", async () => {
    const run = await call(...START, "--command-id", ID, ...stub("other-echo"));
    expect(run.code).toBe(1);
    expect(order(run)).toEqual(["result"]);
    expect(said(run)).toContain(`commandId ${ID} names "another"`);
  });
});

describe("over a WebSocket", () => {
  test("it is the same", async () => {
    const url = await listening();
    const run = await call(...START, "--repeat", "2", "--until", "turn/completed", ...url);
    expect(run.code).toBe(0);
    expect(order(run)).toEqual([
      "notification turn/started",
      "result",
      "result",
      "notification turn/completed",
    ]);
    const refused = await call("goal/clear", '{"sessionId":"s"}', ...url);
    expect(refused.code).toBe(1);
    expect(order(refused)).toEqual(["error"]);
  });
});
