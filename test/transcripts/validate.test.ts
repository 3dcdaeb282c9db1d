/** Recordings against the bundle: what is known to be wrong, and that each rule sees what it is for. */
import { beforeAll, describe, expect, it } from "vitest";
import {
  type Bundle,
  loadBundle,
  loadTranscripts,
  type Transcript,
  type TranscriptLine,
  transcriptRules,
  validateTranscripts,
} from "../../src/transcripts/index.js";
import { hasReference } from "../support/repo.js";
import { type Frame, OWN_TRANSCRIPTS, REFERENCE_TRANSCRIPTS, transcriptOf } from "../support/transcripts.js";

let bundle: Bundle;
beforeAll(async () => {
  bundle = await loadBundle();
});

const own = loadTranscripts(OWN_TRANSCRIPTS);

describe("the project's recordings", () => {
  it("break no rule", async () => {
    const { transcripts, frames, findings } = await validateTranscripts(own);
    expect(transcripts).toBe(own.length);
    expect(frames).toBeGreaterThan(250);
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  });
});

describe.skipIf(!hasReference)("the protocol's recordings", () => {
  it("break the rules in the three places that are known", async () => {
    const { transcripts, frames, findings, unknownMethods } = await validateTranscripts(
      loadTranscripts(REFERENCE_TRANSCRIPTS),
    );
    expect({ transcripts, frames }).toEqual({ transcripts: 34, frames: 379 });
    expect(unknownMethods).toEqual([
      { transcript: "tolerance-unknown-state-method", line: 7, method: "session/auraChanged" },
    ]);
    expect(
      findings.map(({ rule, transcript, line, instanceLocation }) => [
        rule,
        transcript,
        line,
        instanceLocation,
      ]),
    ).toEqual([
      ["unknown-word", "tolerance-unknown-item-kind", 11, "/params/item/kind"],
      ["bad-params", "userinput-answer-round-trip", 12, "/params"],
      ["bad-params", "userinput-cancel-round-trip", 12, "/params"],
    ]);
    expect(findings[0]?.params).toEqual({ def: "ItemKind", value: "hologramPreview" });
  });
});

/** A recording of the project. */
function named(scenario: string): Transcript {
  const found = own.find((one) => one.scenario === scenario);
  if (found === undefined) throw new Error(`no ${scenario}`);
  return found;
}

type Edit = (frame: Record<string, unknown>, line: TranscriptLine) => unknown;

/** The recording with each frame edited; an edit that answers null drops the frame, one that answers a list replaces it. */
function edited(transcript: Transcript, edit: Edit): Transcript {
  const lines = transcript.lines.flatMap((line): TranscriptLine[] => {
    const frame = JSON.parse(line.raw) as Record<string, unknown>;
    const answer = edit(frame, line);
    if (answer === null) return [];
    const frames = Array.isArray(answer) ? answer : [frame];
    return frames.map((one) => ({ ...line, raw: typeof one === "string" ? one : JSON.stringify(one) }));
  });
  return { ...transcript, lines };
}

/** The rules that a recording breaks, once each. */
async function broken(transcript: Transcript): Promise<string[]> {
  const { findings } = await validateTranscripts([transcript], bundle);
  for (const { line } of findings) expect(transcript.lines.some((one) => one.line === line)).toBe(true);
  return [...new Set(findings.map(({ rule }) => rule))].sort();
}

const turn = named("text-turn");
const approval = named("approval-round-trip");
const replay = named("replayed-command");
const isServer = (line: TranscriptLine): boolean => line.dir === "server";
const nthRequest = (transcript: Transcript, n: number): number =>
  transcript.lines.filter(({ dir, raw }) => dir === "client" && /"method"/.test(raw) && /"id"/.test(raw))[n]!
    .line;

describe("each rule is broken by what it is for", () => {
  const cases: readonly (readonly [rule: string, why: string, poisoned: () => Transcript])[] = [
    [
      "frame-not-text",
      "bytes",
      () => ({
        ...turn,
        lines: [...turn.lines, { ...turn.lines.at(-1)!, base64: "/w==" }],
      }),
    ],
    [
      "frame-not-object",
      "a batch",
      () => edited(turn, (f, { line }) => (line === 4 ? [f, "[]"] : undefined)),
    ],
    ["frame-not-object", "junk", () => edited(turn, (f, { line }) => (line === 4 ? [f, "{"] : undefined))],
    [
      "frame-too-long",
      "a small limit",
      () => ({ ...turn, manifest: { ...turn.manifest, serverConfig: { frameLimitBytes: 400 } } }),
    ],
    [
      "carriage-return",
      "a host's CR",
      () => ({ ...turn, lines: turn.lines.map((l) => (isServer(l) ? { ...l, raw: `${l.raw}\r` } : l)) }),
    ],
    ["bad-envelope", "another JSON-RPC", () => edited(turn, (f) => void (f["jsonrpc"] = "1.0"))],
    [
      "bad-envelope",
      "a result that is a list",
      () => edited(turn, (f) => void (f["result"] !== undefined && (f["result"] = []))),
    ],
    [
      "bad-envelope",
      "result and error",
      () => edited(named("unknown-method"), (f) => void (f["error"] !== undefined && (f["result"] = {}))),
    ],
    [
      "bad-params",
      "a member of another type",
      () =>
        edited(
          turn,
          (f) =>
            void (f["method"] === "turn/started" && ((f["params"] as Record<string, unknown>)["turnId"] = 1)),
        ),
    ],
    [
      "bad-params",
      "params where none are",
      () => edited(turn, (f) => void (f["method"] === "initialized" && (f["params"] = { a: 1 }))),
    ],
    [
      "bad-params",
      "an event of a page",
      () =>
        edited(named("gap-splice-fill"), (f) => {
          const events = (f["result"] as { events?: { params: Frame }[] } | undefined)?.events;
          if (events !== undefined)
            events[0] = { ...events[0]!, params: { ...events[0]!.params, item: 1, turnId: 1 } };
        }),
    ],
    [
      "bad-params",
      "an unknown word of a closed enum",
      () =>
        edited(
          turn,
          (f) =>
            void (
              f["method"] === "turn/start" && ((f["params"] as Record<string, unknown>)["ifBusy"] = "wait")
            ),
        ),
    ],
    [
      "bad-result",
      "a missing member",
      () =>
        edited(
          turn,
          (f) =>
            void (
              (f["result"] as Record<string, unknown> | undefined)?.["turnId"] !== undefined &&
              delete (f["result"] as Record<string, unknown>)["turnId"]
            ),
        ),
    ],
    [
      "wrong-message",
      "the client sends what the host sends",
      () =>
        edited(turn, (f, { line }) =>
          line === 4 ? [f, { jsonrpc: "2.0", method: "turn/started", params: {} }] : undefined,
        ),
    ],
    [
      "wrong-message",
      "a request without an id",
      () => edited(turn, (f) => void (f["method"] === "turn/start" && delete f["id"])),
    ],
    [
      "error-code",
      "another row's code",
      () =>
        edited(
          named("unknown-method"),
          (f) =>
            void (f["error"] !== undefined && ((f["error"] as Record<string, unknown>)["code"] = -32602)),
        ),
    ],
    [
      "handshake-order",
      "another beginning",
      () =>
        edited(turn, (f) =>
          f["method"] === "initialize" || (f["result"] as Frame | undefined)?.["schema"] !== undefined
            ? null
            : undefined,
        ),
    ],
    [
      "handshake-order",
      "no initialized",
      () => edited(turn, (f) => (f["method"] === "initialized" ? null : undefined)),
    ],
    [
      "handshake-order",
      "initialized before the answer",
      () => {
        const [a, b, c, ...rest] = turn.lines;
        return { ...turn, lines: [a!, c!, b!, ...rest] };
      },
    ],
    [
      "unmatched-answer",
      "two answers",
      () => edited(turn, (f, l) => (isServer(l) && f["id"] !== undefined ? [f, f] : undefined)),
    ],
    [
      "unmatched-answer",
      "another kind of id",
      () =>
        edited(turn, (f, l) => void (isServer(l) && f["id"] !== undefined && (f["id"] = String(f["id"])))),
    ],
    [
      "unmatched-answer",
      "the client's receipt for nothing",
      () =>
        edited(approval, (f, l) => (l.dir === "client" && f["result"] !== undefined ? [f, f] : undefined)),
    ],
    [
      "unanswered-request",
      "no answer of the host",
      () =>
        edited(turn, (f, l) => (isServer(l) && f["result"] !== undefined && l.line > 3 ? null : undefined)),
    ],
    [
      "unanswered-request",
      "no receipt",
      () => edited(approval, (f, l) => (l.dir === "client" && f["result"] !== undefined ? null : undefined)),
    ],
    [
      "request-id-in-use",
      "one id twice",
      () => edited(turn, (f, { line }) => (line === nthRequest(turn, 1) ? [f, f] : undefined)),
    ],
    [
      "host-request-id",
      "zero",
      () =>
        edited(
          approval,
          (f, l) =>
            void ((isServer(l) && f["method"] === "approval/request") ||
            (l.dir === "client" && f["result"] !== undefined)
              ? (f["id"] = 0)
              : 0),
        ),
    ],
    [
      "replay-differs",
      "another ack",
      () => {
        let acks = 0;
        return edited(replay, (f, l) => {
          const result = f["result"] as Record<string, unknown> | undefined;
          if (isServer(l) && result?.["turnId"] !== undefined && ++acks === 2) result["turnId"] = "other";
        });
      },
    ],
    [
      "unknown-word",
      "a new kind",
      () =>
        edited(turn, (f) => {
          const item = (f["params"] as { item?: Record<string, unknown> } | undefined)?.item;
          if (item !== undefined) item["kind"] = "novelty";
        }),
    ],
  ];

  it.each(cases)("%s: %s", async (rule, _, poisoned) => {
    expect(await broken(poisoned())).toContain(rule);
  });

  it("and by nothing before it was poisoned", async () => {
    for (const transcript of [turn, approval, replay, named("unknown-method"), named("gap-splice-fill")])
      expect(await broken(transcript)).toEqual([]);
  });

  it("with no rule left out", () => {
    expect([...new Set(cases.map(([rule]) => rule))].sort()).toEqual(Object.keys(transcriptRules).sort());
  });
});

describe("the ids of a host's requests", () => {
  const ask = (id: unknown): readonly string[] => [
    `< {"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"x/ask"}`,
    `> {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{}}`,
  ];
  const hello = turn.lines.slice(0, 3).map(({ dir, raw }) => `${dir === "client" ? ">" : "<"} ${raw}`);

  it.each([
    [[1, 2, 9], []],
    [[1, 1], ["host-request-id"]],
    [[2, 1], ["host-request-id"]],
    [[1.5], ["bad-envelope", "host-request-id"]],
    [["1"], ["host-request-id"]],
    [[-1], ["host-request-id"]],
  ])("%j", async (ids, expected) => {
    expect(await broken(transcriptOf([...hello, ...ids.flatMap(ask)]))).toEqual(expected);
  });
});

describe("a command that is sent again", () => {
  const hello = turn.lines.slice(0, 3).map(({ dir, raw }) => `${dir === "client" ? ">" : "<"} ${raw}`);
  const accepted = '"result":{"turnId":"t"}';
  const rejected =
    '"error":{"code":-32030,"message":"no","data":{"kind":"commandRejected","commandId":"c","reason":"missing_run"}}';
  const busy = '"error":{"code":-32001,"message":"busy","data":{"kind":"overloaded"}}';
  const call = (id: number, answer: string, more = ""): readonly string[] => [
    `> {"jsonrpc":"2.0","id":${id},"method":"x/do","params":{"commandId":"c"${more}}}`,
    `< {"jsonrpc":"2.0","id":${id},${answer}}`,
  ];

  it.each([
    ["with the same answer", call(11, accepted), call(12, accepted), []],
    ["with another answer", call(11, accepted), call(12, '"result":{"turnId":"u"}'), ["replay-differs"]],
    [
      "with more in its answer",
      call(11, accepted),
      call(12, '"result":{"turnId":"t","a":1}'),
      ["replay-differs"],
    ],
    ["and has failed since", call(11, accepted), call(12, rejected), []],
    ["and is accepted though it was rejected", call(11, rejected), call(12, accepted), ["replay-differs"]],
    [
      "and is rejected otherwise",
      call(11, rejected),
      call(12, rejected.replace("missing_run", "abandoned")),
      ["replay-differs"],
    ],
    ["after an error that settled nothing", call(11, busy), call(12, accepted), []],
    ["with other content", call(11, accepted), call(12, '"result":{"turnId":"u"}', ',"a":1'), []],
  ])("%s", async (_, first, second, expected) => {
    expect(await broken(transcriptOf([...hello, ...first, ...second]))).toEqual(expected);
  });
});

describe("messages that the bundle lacks", () => {
  it("are counted with their answers, and their envelopes still checked", async () => {
    const hello = turn.lines.slice(0, 3).map(({ dir, raw }) => `${dir === "client" ? ">" : "<"} ${raw}`);
    const transcript = transcriptOf([
      ...hello,
      '> {"jsonrpc":"2.0","id":5,"method":"new/ask","params":{"any":1}}',
      '< {"jsonrpc":"2.0","id":5,"result":{"any":1}}',
      '< {"jsonrpc":"2.0","method":"new/told","params":[]}',
    ]);
    const { unknownMethods, findings } = await validateTranscripts([transcript], bundle);
    expect(unknownMethods.map(({ line, method }) => [line, method])).toEqual([
      [4, "new/ask"],
      [5, "new/ask"],
    ]);
    expect(findings.map(({ rule, line, instanceLocation }) => [rule, line, instanceLocation])).toEqual([
      ["bad-envelope", 6, "/params"],
    ]);
  });
});
