/** Request ids and command ids: paired at first sight, one to one both ways. */
import { describe, expect, it } from "vitest";
import { CannedHost } from "../../src/transcripts/index.js";
import { play, transcriptOf } from "../support/transcripts.js";

const call = (id: unknown, commandId: string, more: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "m", params: { commandId, ...more } });

/** Plays recorded calls with others; where it diverges. */
function diverges(
  recorded: readonly string[],
  sent: readonly string[],
): { line: number; paths: string[] } | undefined {
  const transcript = transcriptOf(recorded.map((raw) => `> ${raw}`));
  const { report } = play(transcript, (_, line) => sent[line - 1]);
  if (report.kind === "serveFixtureComplete") return undefined;
  expect(report.problem).toBe("frameDivergence");
  for (const { note } of report.divergences) expect(note).toEqual(expect.any(String));
  return { line: report.transcriptLine, paths: report.divergences.map(({ path }) => path) };
}

describe("ids", () => {
  it.each([
    ["strings for numbers", [call(1, "a"), call(2, "b")], [call("x", "p"), call("y", "q")], undefined],
    ["numbers crossed", [call(1, "a"), call(2, "b")], [call(2, "b"), call(1, "a")], undefined],
    ['1 and "1" apart', [call(1, "a"), call("1", "b")], [call("1", "a"), call(1, "b")], undefined],
    ["a replay under one id", [call(1, "a"), call(2, "a")], [call(1, "p"), call(2, "p")], undefined],
    [
      "a replay under two ids",
      [call(1, "a"), call(2, "a")],
      [call(1, "p"), call(2, "q")],
      { line: 2, paths: ["params.commandId"] },
    ],
    [
      "one id for two commands",
      [call(1, "a"), call(2, "b")],
      [call(1, "p"), call(2, "p")],
      { line: 2, paths: ["params.commandId"] },
    ],
    [
      "one request id for two",
      [call(1, "a"), call(2, "b")],
      [call(7, "a"), call(7, "b")],
      { line: 2, paths: ["id"] },
    ],
    [
      '1 and "1" as one',
      [call(1, "a"), call(1, "b")],
      [call(1, "a"), call("1", "b")],
      { line: 2, paths: ["id"] },
    ],
    ["an id that is none", [call(1, "a")], [call(null, "a")], { line: 1, paths: ["id"] }],
    ["an id that is a fraction", [call(1, "a")], [call(1.5, "a")], { line: 1, paths: ["id"] }],
  ])("%s", (_, recorded, sent, expected) => {
    expect(diverges(recorded, sent)).toEqual(expected);
  });

  it("of answers to the host stay exact", () => {
    const transcript = transcriptOf([
      '< {"jsonrpc":"2.0","id":4,"method":"ask"}',
      '> {"jsonrpc":"2.0","id":4,"result":{}}',
    ]);
    expect(play(transcript, (raw) => raw).report.kind).toBe("serveFixtureComplete");
    for (const id of [5, "4"])
      expect(play(transcript, () => JSON.stringify({ jsonrpc: "2.0", id, result: {} })).report).toMatchObject(
        {
          problem: "frameDivergence",
          divergences: [{ path: "id", expected: 4, received: id }],
        },
      );
  });

  it.each(['"\\u0061"', "1.0", "-0", '"é\\n"', "9007199254740993", '""'])(
    "come back as they were spelt: %s",
    (spelling) => {
      const transcript = transcriptOf([
        `> ${call(1, "a")}`,
        '< { "result" : {"id":1} , "id" : 1 }',
        '< {"id":1,"method":"n"}',
      ]);
      const host = new CannedHost(transcript);
      host.start();
      const sent = `{"jsonrpc":"2.0","id":${spelling},"method":"m","params":{"commandId":"a"}}`;
      expect(host.receive(sent).send).toEqual([
        `{ "result" : {"id":1} , "id" : ${spelling} }`,
        '{"id":1,"method":"n"}',
      ]);
    },
  );

  it("come back in answers of any length", () => {
    const long = "y".repeat(9_000_000);
    const transcript = transcriptOf([
      `> ${call(1, "a")}`,
      `< {"result":{"a":"${long}"},"b":"${long}","id":1}`,
    ]);
    const { received } = play(transcript, () => call("own", "a"), { rewriteCommandIds: true });
    expect(received).toEqual([`{"result":{"a":"${long}"},"b":"${long}","id":"own"}`]);
  });

  it("of an error about nothing stay null", () => {
    const host = new CannedHost(transcriptOf([`> ${call(1, "a")}`, '< {"id":null,"error":{}}']));
    host.start();
    expect(host.receive(call("x", "a")).send).toEqual(['{"id":null,"error":{}}']);
  });
});

describe("--rewrite-command-ids", () => {
  /** What the host sends last, when the client calls two commands by its own ids. */
  function answer(
    line: string,
    own: readonly [string, string],
    rewriteCommandIds = true,
  ): string | undefined {
    const transcript = transcriptOf([`> ${call(1, "id-1")}`, `> ${call(2, "id-2")}`, `< ${line}`]);
    return play(transcript, (_, at) => call(at, own[at - 1]!), { rewriteCommandIds }).received.at(-1);
  }

  it("is off by default", () => {
    expect(answer('{"m":"id-1"}', ["x", "y"], false)).toBe('{"m":"id-1"}');
  });

  it.each([
    ["an id alone", '{"m":"id-1","n":["id-2"]}', ["x", "y"], '{"m":"x","n":["y"]}'],
    [
      "within longer texts",
      '{"m":"v:id-1:4","n":"id-2, then id-1."}',
      ["x", "y"],
      '{"m":"v:x:4","n":"y, then x."}',
    ],
    ["a member's name", '{"id-1":{}}', ["x", "y"], '{"x":{}}'],
    ["whole words alone", '{"m":"id-10 xid-1 id-1x id-1"}', ["x", "y"], '{"m":"id-10 xid-1 id-1x x"}'],
    ["never an id that it put in", '{"m":"id-1 id-2"}', ["id-2", "id-1"], '{"m":"id-2 id-1"}'],
    [
      "no spelling around it",
      '{ "m" : "\\u0069d-1 \\u00e9\\n\\"id-2\\"" }',
      ["x", "y"],
      '{ "m" : "x \\u00e9\\n\\"y\\"" }',
    ],
    ["ids that need escapes", '{"m":"id-1"}', ['"\\', "y"], '{"m":"\\"\\\\"}'],
    ["no number", '{"m":1}', ["1", "y"], '{"m":1}'],
  ] as const)("rewrites %s", (_, line, own, expected) => {
    expect(answer(line, own)).toBe(expected);
  });

  it("rewrites the longest id where one begins another", () => {
    const transcript = transcriptOf([`> ${call(1, "a")}`, `> ${call(2, "a-b")}`, '< {"m":"a-b a"}']);
    const sent = [call(1, "x"), call(2, "y")];
    const { received } = play(transcript, (_, line) => sent[line - 1], { rewriteCommandIds: true });
    expect(received).toEqual(['{"m":"y x"}']);
  });

  /** Plays a command and then a frame with an echo of its id. */
  function echo(recorded: string, sent: string, rewriteCommandIds = true) {
    const transcript = transcriptOf([`> ${call(1, "id-1")}`, `> ${call(2, "id-2", { turnId: recorded })}`]);
    const own = (line: number): string => (line === 1 ? call(1, "x") : call(2, "id-1", { turnId: sent }));
    return play(transcript, (_, line) => own(line), { rewriteCommandIds }).report;
  }

  it.each([
    ["id-1", "x"],
    ["v:id-1:4", "v:x:4"],
    // Its own id for the second command is the recorded one of the first; what it says is what it means.
    ["id-2", "id-1"],
    ["other", "other"],
  ])("takes the client's ids for the recorded ones: %s as %s", (recorded, sent) => {
    expect(echo(recorded, sent).kind).toBe("serveFixtureComplete");
  });

  it.each([
    ["id-1", "x", false],
    ["id-1", "y", true],
    ["id-1", "id-1", true],
    ["other", "x", true],
  ])("and nothing else: %s as %s", (recorded, sent, rewrite) => {
    expect(echo(recorded, sent, rewrite)).toMatchObject({
      problem: "frameDivergence",
      divergences: [{ path: "params.turnId" }],
    });
  });
});
