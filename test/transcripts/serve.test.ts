/** The canned host on byte streams and in this process. */
import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import {
  loadTranscript,
  type ServeFixtureReport,
  serveInProcess,
  serveStreams,
} from "../../src/transcripts/index.js";
import { everyTranscript, OWN_TRANSCRIPTS, ScriptedClient, transcriptOf } from "../support/transcripts.js";

const hello = transcriptOf(['> {"a":1}', '< {"b":"é"}', '> {"c":1}', '< {"d":1}', '< {"d":2}']);

/** Serves with these chunks as the client's whole stream. */
async function served(chunks: readonly (string | Buffer)[], transcript = hello) {
  const input = new PassThrough();
  const output = new PassThrough();
  for (const chunk of chunks) input.write(chunk);
  input.end();
  const reports: ServeFixtureReport[] = [];
  const report = await serveStreams(transcript, { input, output, onReport: (one) => reports.push(one) });
  expect(reports).toEqual([report]);
  return { report, sent: String(output.read() ?? "") };
}

describe("on two streams", () => {
  it("frames are cut anywhere, and blank lines are none", async () => {
    const bytes = Buffer.from('\r\n  \n{"a":1}\r\n\n{"c":1}\nwhatever comes then\n');
    const expected = '{"b":"é"}\n{"d":1}\n{"d":2}\n';
    expect(await served([bytes])).toMatchObject({ report: { kind: "serveFixtureComplete" }, sent: expected });
    expect(await served([...bytes].map((byte) => Buffer.from([byte])))).toMatchObject({ sent: expected });
  });

  it.each([
    ["no frame at all", [], { problem: "clientEof", transcriptLine: 1, receivedFrame: null }, ""],
    ["one frame", ['{"a":1}\n'], { problem: "clientEof", transcriptLine: 3 }, '{"b":"é"}\n'],
    [
      "a frame without an end",
      ['{"a":1}'],
      { problem: "malformedClientFrame", receivedFrame: '{"a":1}' },
      "",
    ],
    [
      "bytes that are not UTF-8",
      [Buffer.from([0x7b, 0xff, 0x7d, 10])],
      { problem: "malformedClientFrame", receivedFrame: "{\ufffd}" },
      "",
    ],
    ["another frame", ['{"a":2}\n{"a":1}\n{"c":1}\n'], { problem: "frameDivergence", transcriptLine: 1 }, ""],
  ])("%s", async (_, chunks, expected, sent) => {
    expect(await served(chunks)).toMatchObject({
      report: { kind: "serveFixtureFailure", ...expected },
      sent,
    });
  });

  it("a frame over the recorded limit is malformed", async () => {
    const limited = { ...hello, manifest: { ...hello.manifest, serverConfig: { frameLimitBytes: 7 } } };
    expect((await served(['{"a":1}\r\n', '{"c":1}\n'], limited)).report.kind).toBe("serveFixtureComplete");
    const { report } = await served(['{"a": 1}\n'], limited);
    expect(report).toMatchObject({ problem: "malformedClientFrame", errors: [expect.stringContaining("7")] });
  });

  it("a failure ends it at once, a complete session when the client ends", async () => {
    const failing = new PassThrough();
    failing.write("[]\n");
    expect(await serveStreams(hello, { input: failing, output: new PassThrough() })).toMatchObject({
      problem: "malformedClientFrame",
    });
    const input = new PassThrough();
    let over = false;
    let reported = (): void => undefined;
    const told = new Promise<void>((resolve) => (reported = resolve));
    const serving = serveStreams(hello, { input, output: new PassThrough(), onReport: reported }).then(
      () => (over = true),
    );
    input.write('{"a":1}\n{"c":1}\n');
    await told;
    await new Promise((resolve) => setImmediate(resolve));
    expect(over).toBe(false);
    input.end();
    await serving;
  });

  it("a client that reads no more is still judged", async () => {
    const input = new PassThrough();
    const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
    input.end('{"a":1}\n{"c":1}\n');
    expect((await serveStreams(hello, { input, output })).kind).toBe("serveFixtureComplete");
  });

  it("a recording that cannot be played is an error", async () => {
    const streams = { input: new PassThrough(), output: new PassThrough() };
    await expect(serveStreams(transcriptOf([]), streams)).rejects.toMatchObject({ kind: "empty" });
  });
});

describe("in this process", () => {
  /** Plays every frame at once and collects what comes, until the host has reported. */
  async function played(frames: readonly string[], transcript: typeof hello, rewriteCommandIds = false) {
    const { transport, report } = serveInProcess(transcript, { rewriteCommandIds });
    let text = "";
    let ended = false;
    transport.open({
      bytes: (chunk) => (text += Buffer.from(chunk).toString()),
      drained: () => undefined,
      ended: () => (ended = true),
    });
    for (const frame of frames) transport.write(`${frame}\n`);
    if (frames.length < transcript.lines.filter(({ dir }) => dir === "client").length) void transport.close();
    const outcome = await report;
    await new Promise((resolve) => setImmediate(resolve));
    return { report: outcome, text, ended };
  }

  it("every recording is played", async () => {
    for (const transcript of everyTranscript()) {
      const client = new ScriptedClient({ mintsCommandIds: true });
      const frames = transcript.lines.flatMap(({ dir, raw }) =>
        dir === "client" ? [client.frame(raw)] : [],
      );
      const { report, text, ended } = await played(frames, transcript, true);
      expect(report).toMatchObject({ kind: "serveFixtureComplete", scenario: transcript.scenario });
      expect(text.split("\n")).toHaveLength(transcript.lines.length - frames.length + 1);
      expect(ended).toBe(false);
    }
  });

  it("a failure ends the connection", async () => {
    const transcript = loadTranscript(`${OWN_TRANSCRIPTS}/text-turn`);
    expect(await played(["junk"], transcript)).toMatchObject({
      report: { problem: "malformedClientFrame" },
      text: "",
      ended: true,
    });
    expect(await played([], transcript)).toMatchObject({
      report: { problem: "clientEof", transcriptLine: 1 },
    });
  });
});
