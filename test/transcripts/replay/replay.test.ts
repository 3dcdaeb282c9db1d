/** A replay against a host that is a process: how it ends, stalls, dies, and what it may say at its end. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadTranscript } from "../../../src/transcripts/index.js";
import { type ReplayOptions, replaySession } from "../../../src/transcripts/replay/replay.js";
import { MSPKIT } from "../../support/conversation.js";
import { madeElsewhere, scriptedHost } from "../../support/replay.js";
import { ROOT, scratchFolder } from "../../support/repo.js";
import { OWN_TRANSCRIPTS, transcriptOf, writeTranscript } from "../../support/transcripts.js";

/** A session of one request and one notification after its answer. */
const ASKED = transcriptOf([
  '> {"jsonrpc":"2.0","id":1,"method":"model/list","params":{}}',
  '< {"jsonrpc":"2.0","id":1,"result":{"models":[]}}',
  '< {"jsonrpc":"2.0","method":"turn/started","params":{"turnId":"t"}}',
]);

const say = (frame: object): string =>
  `process.stdout.write(${JSON.stringify(`${JSON.stringify(frame)}\n`)});`;
const ANSWER = say({ jsonrpc: "2.0", id: 1, result: { models: [] } });
const STARTED = say({ jsonrpc: "2.0", method: "turn/started", params: { turnId: "t1" } });
const note = (method: string, params: object): string => say({ jsonrpc: "2.0", method, params });

/** Replays to a host that does something at the first line, and something at the end of its input. */
function against(atLine: string, atEnd = "", options: Partial<ReplayOptions> = {}) {
  const host = scriptedHost(`lines.on("line", () => { ${atLine} });\nlines.on("close", () => { ${atEnd} });`);
  return replaySession(ASKED, { host, ...options });
}

describe("a live host", () => {
  it.each(["approval-round-trip", "framing-tolerance", "two-turns"])(
    "is held to the recording, over its standard streams: %s",
    async (scenario) => {
      const folder = join(OWN_TRANSCRIPTS, scenario);
      const args = [MSPKIT, "conformance", "serve-fixture", "--transcript", folder];
      const transcript = loadTranscript(folder);
      const { report, passed } = await replaySession(transcript, {
        host: { command: process.execPath, args },
      });
      expect(report).toMatchObject({ kind: "replayComplete" });
      expect(passed).toEqual(transcript.lines.map(({ dir, raw }) => ({ dir, raw })));
    },
  );

  it.each(["approval-two-stages", "queued-launch", "user-input-round-trip"])(
    "may mint ids of its own, which it then hears from the client: %s",
    async (scenario) => {
      const transcript = loadTranscript(join(OWN_TRANSCRIPTS, scenario));
      const folder = writeTranscript(scratchFolder(), madeElsewhere(transcript));
      // A canned host that compares each line of the client, and exits with 0 only if it is content.
      const args = [MSPKIT, "conformance", "serve-fixture", "--transcript", folder];
      const { report, passed } = await replaySession(transcript, {
        host: { command: process.execPath, args },
      });
      expect(report).toMatchObject({ kind: "replayComplete" });
      expect(passed.map(({ raw }) => JSON.parse(raw) as unknown)).toEqual(
        loadTranscript(folder).lines.map(({ raw }) => JSON.parse(raw) as unknown),
      );
    },
  );

  it("may cut its bytes anywhere", async () => {
    const bytes = `for (const byte of ${JSON.stringify('{"jsonrpc":"2.0","id":1,"result":{"models":[]}}\n')}) process.stdout.write(byte);`;
    expect((await against(bytes + STARTED)).report).toMatchObject({
      kind: "replayComplete",
      serverFrames: 2,
    });
  });

  it("that does not answer is missed, and ended", async () => {
    const deaf = await against("", "setInterval(() => {}, 1e6)", { timeoutMs: 300 });
    expect(deaf.report).toMatchObject({
      problem: "frameMissing",
      transcriptLine: 2,
      receivedFrame: null,
      divergences: [{ path: "id", expected: 1, received: null, note: "missing frame" }],
    });
    const stalls = await against(ANSWER, "", { timeoutMs: 4_000 });
    expect(stalls.report).toMatchObject({ problem: "frameMissing", transcriptLine: 3 });
  });

  it("that dies early gives no verdict, even in the middle of a frame", async () => {
    for (const last of ["process.exit(7)", 'process.stdout.write("{", () => process.exit(7))']) {
      const died = against(`${ANSWER} console.error("out of fuel"); ${last}`);
      await expect(died).rejects.toMatchObject({
        kind: "hostDied",
        exit: { code: 7 },
        stderrTail: "out of fuel\n",
        message: expect.stringContaining("line 3"),
      });
    }
    const killed = against('process.kill(process.pid, "SIGKILL")');
    await expect(killed).rejects.toMatchObject({ kind: "hostDied", exit: { code: null, signal: "SIGKILL" } });
  });

  it("that cannot be started gives no verdict", async () => {
    const missing = replaySession(ASKED, { host: { command: join(ROOT, "no/such/host") } });
    await expect(missing).rejects.toMatchObject({ kind: "spawnFailed" });
  });

  it("that writes what is no frame is told so", async () => {
    expect((await against('process.stdout.write("hello\\n")')).report).toMatchObject({
      problem: "malformedHostFrame",
      receivedFrame: "hello",
      transcriptLine: 2,
    });
    expect((await against("process.stdout.write(Buffer.from([0xff, 10]))")).report).toMatchObject({
      problem: "malformedHostFrame",
      errors: ["the frame is not UTF-8"],
    });
  });
});

describe("the end of a live host", () => {
  it("may have the ends of what was open, and farewells", async () => {
    const atEnd =
      note("session/goalChanged", { goal: { status: "paused" } }) +
      note("turn/completed", { turnId: "t1", terminal: "cancelled" }) +
      note("session/statusChanged", { status: "idle" }) +
      note("session/closed", { reason: "hostShutdown" });
    const { report, passed } = await against(ANSWER + STARTED, atEnd);
    expect(report).toMatchObject({ kind: "replayComplete" });
    expect(passed).toHaveLength(3);
  });

  it.each([
    ["a turn that was not open", note("turn/completed", { turnId: "t2", terminal: "cancelled" })],
    ["a turn that goes on to its end", note("turn/completed", { turnId: "t1", terminal: "completed" })],
    ["an item that was not open", note("item/completed", { item: { itemId: "i", status: "cancelled" } })],
    ["another reason", note("session/closed", { reason: "idle" })],
    ["a goal that is cleared", note("session/goalChanged", { goal: null })],
    ["a request", say({ jsonrpc: "2.0", id: 3, method: "approval/request", params: {} })],
    ["an answer again", ANSWER],
  ])("has nothing else: %s", async (_, frame) => {
    const { report, passed } = await against(ANSWER + STARTED, frame);
    expect(report).toMatchObject({ problem: "frameExtra", transcriptLine: 3, expectedFrame: null });
    expect(passed).toHaveLength(4);
  });

  it("comes in order and with 0, or is a divergence", async () => {
    expect((await against(ANSWER + STARTED, "process.exitCode = 1;")).report).toMatchObject({
      problem: "hostExit",
      errors: [expect.stringContaining("exit code 1")],
    });
    const stays = "setInterval(() => {}, 1e6);";
    expect((await against(ANSWER + STARTED, stays, { timeoutMs: 4_000 })).report).toMatchObject({
      problem: "hostExit",
      errors: [expect.stringContaining("SIGTERM")],
    });
  });

  it("is not taken for its beginning: an extra frame before it counts, whatever it is", async () => {
    // In one write, so that nothing can come between.
    const early = (ANSWER + STARTED + note("session/closed", { reason: "hostShutdown" })).replaceAll(
      ");process.stdout.write(",
      " + ",
    );
    expect((await against(early)).report).toMatchObject({ problem: "frameExtra" });
  });
});
