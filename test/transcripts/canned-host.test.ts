/** The canned host as a function of frames: it plays what was recorded and nothing else. */
import { describe, expect, it } from "vitest";
import { CannedHost, type Transcript } from "../../src/transcripts/index.js";
import { hasReference } from "../support/repo.js";
import {
  everyTranscript,
  type Frame,
  isRequest,
  play,
  ScriptedClient,
  transcriptOf,
} from "../support/transcripts.js";

const TRANSCRIPTS = everyTranscript();
const byName = TRANSCRIPTS.map(
  (transcript) => [transcript.folder.split("/").slice(-3).join("/"), transcript] as const,
);

const count = ({ lines }: Transcript, side: string): number => lines.filter(({ dir }) => dir === side).length;

describe("every recording", () => {
  it("is there", () => {
    expect(TRANSCRIPTS.length).toBeGreaterThanOrEqual(hasReference ? 54 : 20);
  });

  it.each(byName)("is played to its end by a client that mints its own request ids: %s", (_, transcript) => {
    const client = new ScriptedClient();
    const { report, received } = play(transcript, (raw) => client.frame(raw));
    expect(report).toEqual({
      kind: "serveFixtureComplete",
      scenario: transcript.scenario,
      clientFrames: count(transcript, "client"),
      serverFrames: count(transcript, "server"),
    });
    const expected = transcript.lines.flatMap(({ dir, raw }) => {
      if (dir === "client") return [];
      const frame = JSON.parse(raw) as Frame;
      const answers = frame["method"] === undefined && frame["id"] !== null;
      if (!answers) return [raw];
      // No other byte moves: the recorded answers have their id where this finds it.
      const own = raw.replace(`"id":${JSON.stringify(frame["id"])}`, `"id":"${client.idOf(frame["id"])}"`);
      expect(own).not.toBe(raw);
      return [own];
    });
    expect(received).toEqual(expected);
  });

  it.each(byName)("is played by a client that mints its own command ids: %s", (_, transcript) => {
    const client = new ScriptedClient({ mintsCommandIds: true });
    const { report, received } = play(transcript, (raw) => client.frame(raw), { rewriteCommandIds: true });
    expect(report.kind).toBe("serveFixtureComplete");
    const recorded = transcript.lines.flatMap(({ dir, raw }) => {
      const commandId =
        dir === "client" ? (JSON.parse(raw) as { params?: Frame }).params?.["commandId"] : undefined;
      return typeof commandId === "string" ? [commandId] : [];
    });
    // The last frame comes when every id is known; in it none of the recording is left.
    for (const id of recorded) expect(received.at(-1)).not.toContain(id);
  });

  it.each(byName)("ends in clientEof wherever the client hangs up: %s", (_, transcript) => {
    for (const { dir, line, raw } of transcript.lines) {
      if (dir === "server") continue;
      const { report } = play(transcript, (text, at) => (at < line ? text : undefined));
      expect(report).toEqual({
        kind: "serveFixtureFailure",
        problem: "clientEof",
        scenario: transcript.scenario,
        transcriptLine: line,
        expectedFrame: raw,
        receivedFrame: null,
        divergences: [],
        errors: [],
      });
    }
  });
});

/** A member of a frame, or an item: where it is, and the frame without it, with another value, or with one more beside it. */
interface Changed {
  readonly path: string;
  readonly frame: Frame;
}

/** The frame with one member changed, for each member and item at any depth. */
function* changes(frame: Frame): Generator<Changed> {
  const places = [...placesOf(frame, "")];
  for (const { path, steps, value } of places) {
    yield { path, frame: edit(frame, steps, (parent, key) => set(parent, key, other(value))) };
    yield { path, frame: edit(frame, steps, (parent, key) => remove(parent, key)) };
  }
}

function* placesOf(
  value: unknown,
  at: string,
  steps: readonly (string | number)[] = [],
): Generator<{ path: string; steps: readonly (string | number)[]; value: unknown }> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const path = Array.isArray(value) ? `${at}[${key}]` : at === "" ? key : `${at}.${key}`;
    const next = [...steps, Array.isArray(value) ? Number(key) : key];
    yield { path, steps: next, value: inner };
    yield* placesOf(inner, path, next);
  }
}

type Container = Record<string | number, unknown>;

function edit(
  frame: Frame,
  steps: readonly (string | number)[],
  change: (parent: Container, key: string | number) => void,
): Frame {
  const copy = structuredClone(frame) as Container;
  let parent = copy;
  for (const step of steps.slice(0, -1)) parent = parent[step] as Container;
  change(parent, steps.at(-1)!);
  return copy as Frame;
}

function set(parent: Container, key: string | number, value: unknown): void {
  parent[key] = value;
}

function remove(parent: Container, key: string | number): void {
  if (Array.isArray(parent)) parent.splice(key as number, 1);
  else delete parent[key];
}

/** Another value, of the same type where that can be. */
function other(value: unknown): unknown {
  if (typeof value === "string") return `${value}x`;
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  return value === null ? 0 : null;
}

/** Where values are free; `id` and `commandId` only as long as they pair. */
const FREE = /^(?:params\.clientInfo\.(?:name|version|title))$/;

describe("one changed member", () => {
  /** Changes each member of each client frame, in turn; what was tried, and what was not as it should be. */
  function tryAll(
    transcripts: readonly Transcript[],
    send: (changed: Frame, frame: Frame) => Frame = (changed) => changed,
  ): { tried: number; wrong: string[] } {
    let tried = 0;
    const wrong: string[] = [];
    for (const transcript of transcripts) {
      for (const { dir, line, raw } of transcript.lines) {
        if (dir === "server") continue;
        const frame = JSON.parse(raw) as Frame;
        for (const { path, frame: changed } of changes(frame)) {
          const removed = JSON.stringify(changed).length < JSON.stringify(frame).length;
          const paired =
            (path === "id" && isRequest(frame)) || path === "params.commandId" || FREE.test(path);
          if (paired && !(removed && path !== "params.clientInfo.title")) continue;
          tried++;
          const { report } = play(transcript, (text, at) =>
            at === line ? JSON.stringify(send(changed, frame)) : text,
          );
          const place = `${transcript.scenario}:${line} ${path}`;
          if (report.kind !== "serveFixtureFailure" || report.problem !== "frameDivergence")
            wrong.push(`${place}: ${report.kind}`);
          else if (report.transcriptLine !== line) wrong.push(`${place}: line ${report.transcriptLine}`);
          // Behind a removed item the others move up, so the path is that item's or a later one's in the same list.
          else if (!report.divergences.some((one) => one.path.startsWith(path.replace(/\[\d+\]$/, ""))))
            wrong.push(`${place}: ${JSON.stringify(report.divergences)}`);
        }
      }
    }
    return { tried, wrong };
  }

  it("outside id, commandId and clientInfo is a divergence that names its path", () => {
    const { tried, wrong } = tryAll(TRANSCRIPTS);
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThan(hasReference ? 3_000 : 1_500);
  });

  it("would be missed by a host that looks less closely", () => {
    const { wrong } = tryAll(TRANSCRIPTS, (changed, frame) => ({ ...changed, params: frame["params"] }));
    expect(wrong.length).toBeGreaterThan(100);
  });

  it("inside them is none", () => {
    let tried = 0;
    for (const transcript of TRANSCRIPTS) {
      for (const { dir, line, raw } of transcript.lines) {
        const frame = JSON.parse(raw) as Frame;
        if (dir === "server" || frame["method"] !== "initialize") continue;
        const params = frame["params"] as { clientInfo: Frame };
        for (const clientInfo of [
          { ...params.clientInfo, name: "some-body", version: "9" },
          { ...params.clientInfo, title: "Some Body" },
        ]) {
          tried++;
          const sent = JSON.stringify({ ...frame, params: { ...params, clientInfo } });
          expect(play(transcript, (text, at) => (at === line ? sent : text)).report.kind).toBe(
            "serveFixtureComplete",
          );
        }
      }
    }
    expect(tried).toBeGreaterThanOrEqual(2 * TRANSCRIPTS.length);
  });

  it("is told with what was expected, what came, and why the two do not tell it", () => {
    const transcript = transcriptOf([
      '> {"jsonrpc":"2.0","method":"m","params":{"a b":[1,{"c":2}],"d":null}}',
    ]);
    const report = play(
      transcript,
      () => '{"jsonrpc":"2.0","method":"m","params":{"a b":[1,{"c":3},4],"e":5}}',
    ).report;
    expect(report).toMatchObject({
      problem: "frameDivergence",
      transcriptLine: 1,
      receivedFrame: '{"jsonrpc":"2.0","method":"m","params":{"a b":[1,{"c":3},4],"e":5}}',
      divergences: [
        { path: 'params["a b"][1].c', expected: 2, received: 3, note: null },
        { path: 'params["a b"][2]', expected: null, received: 4, note: expect.any(String) },
        { path: "params.d", expected: null, received: null, note: expect.any(String) },
        { path: "params.e", expected: null, received: 5, note: expect.any(String) },
      ],
      errors: [],
    });
  });
});

describe("what is not compared", () => {
  const transcript = transcriptOf([
    '> {"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"b":[true]}}\r',
    '< {"id":1,"result":{}}',
  ]);

  it.each([
    '{"params":{"b":[true],"a":1.0},"method":"m","id":1,"jsonrpc":"2.0"}',
    ' {"jsonrpc" : "2.0","id":1,"method":"\\u006d","params":{"a":1e0,"b":[ true ]}}\t',
    '{"jsonrpc":"1","jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"b":[true]}}',
  ])("is the spelling of JSON: %s", (raw) => {
    expect(play(transcript, () => raw).report.kind).toBe("serveFixtureComplete");
  });

  it("is anything after the last exchange", () => {
    const host = new CannedHost(transcript);
    host.start();
    expect(
      host.receive('{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"b":[true]}}').report,
    ).toBeDefined();
    expect(host.receive("junk")).toEqual({ send: [] });
    expect(host.malformed("junk", [])).toEqual({ send: [] });
    expect(host.end()).toEqual({ send: [] });
    expect(host.report?.kind).toBe("serveFixtureComplete");
  });
});

describe("a recording", () => {
  it("may begin and end with either side", () => {
    const both = new CannedHost(transcriptOf(['< {"a":1}', '< {"a":2}', '> {"b":1}']));
    expect(both.start()).toEqual({ send: ['{"a":1}', '{"a":2}'] });
    expect(both.receive('{"b":1}')).toMatchObject({ send: [], report: { clientFrames: 1, serverFrames: 2 } });
    const alone = new CannedHost(transcriptOf(['< {"a":1}']));
    expect(alone.start()).toMatchObject({ send: ['{"a":1}'], report: { clientFrames: 0, serverFrames: 1 } });
  });

  it.each([
    ["has no frame", [], "empty", undefined],
    ["has a client's frame that is not JSON", ['> {"a":1}', "> {"], "badFrame", 2],
    ["has a client's frame that is no object", ["> [1]"], "badFrame", 1],
  ])("that %s cannot be played", (_, frames, kind, line) => {
    expect(() => new CannedHost(transcriptOf(frames))).toThrow(expect.objectContaining({ kind, line }));
  });
});

describe("bytes that are no frame", () => {
  const transcript = transcriptOf(['> {"a":1}']);

  it.each([
    "garbage",
    "",
    "[]",
    "[{}]",
    "1",
    "null",
    '{"a":1}}',
    '\ufeff{"a":1}',
    `${'{"a":'.repeat(1_001)}1${"}".repeat(1_001)}`,
  ])("are malformed: %j", (raw) => {
    const report = play(transcript, () => raw).report;
    expect(report).toMatchObject({
      problem: "malformedClientFrame",
      transcriptLine: 1,
      receivedFrame: raw,
      divergences: [],
    });
    expect(report.kind === "serveFixtureFailure" && report.errors).toHaveLength(1);
  });
});
