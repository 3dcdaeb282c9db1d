/** A replay holds a host to every frame, in order, and to nothing that is a host's own. */
import { describe, expect, it } from "vitest";
import { loadTranscript, loadTranscripts, type Transcript } from "../../../src/transcripts/index.js";
import { roleOf } from "../../../src/transcripts/replay/vocabulary.js";
import { madeElsewhere, replayAgainst } from "../../support/replay.js";
import { everyTranscript, OWN_TRANSCRIPTS, transcriptOf } from "../../support/transcripts.js";

const golden = (scenario: string): Transcript => loadTranscript(`${OWN_TRANSCRIPTS}/${scenario}`);

const HELLO = '< {"jsonrpc":"2.0","method":"session/started","params":{"session":{"sessionId":"s"}}}';

describe("a host that does what was recorded", () => {
  it("is conformant, in every recording", () => {
    for (const transcript of everyTranscript()) {
      const { report, sent } = replayAgainst(transcript, transcript.lines);
      expect(report, transcript.scenario).toMatchObject({ kind: "replayComplete" });
      const clients = transcript.lines.filter(({ dir }) => dir === "client").map(({ raw }) => raw);
      expect(sent, transcript.scenario).toEqual(clients);
    }
  });

  it("may mint other ids, cursors, ranges and numbers, which the client then uses", () => {
    let changed = 0;
    for (const transcript of everyTranscript()) {
      const host = madeElsewhere(transcript).lines;
      const { report, sent } = replayAgainst(transcript, host);
      expect(report, transcript.scenario).toMatchObject({ kind: "replayComplete" });
      const told = host.filter(({ dir }) => dir === "client").map(({ raw }) => JSON.parse(raw) as unknown);
      expect(
        sent.map((raw) => JSON.parse(raw) as unknown),
        transcript.scenario,
      ).toEqual(told);
      const recorded = transcript.lines.filter(({ dir }) => dir === "client");
      changed += recorded.filter(({ raw }, i) => raw !== sent[i]).length;
    }
    expect(changed).toBeGreaterThan(60);
  });

  it("is sent each line byte for byte but for the ids", () => {
    const transcript = transcriptOf([
      HELLO,
      '> { "id" : 1,\t"method":"view/page", "params":{"sessionId": "s", "text": "s", "x":1.0, "x":2} }\r',
    ]);
    const { sent } = replayAgainst(transcript, [
      { dir: "server", raw: HELLO.slice(2).replace('"s"', '"other"') },
    ]);
    expect(sent).toEqual([
      '{ "id" : 1,\t"method":"view/page", "params":{"sessionId": "other", "text": "s", "x":1.0, "x":2} }\r',
    ]);
  });

  it("may be sent what is no JSON", () => {
    const transcript = transcriptOf([
      '> {"a":',
      '< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}',
    ]);
    expect(replayAgainst(transcript, transcript.lines)).toMatchObject({
      sent: ['{"a":'],
      report: { kind: "replayComplete" },
    });
  });
});

describe("a host whose ids do not stand one for one", () => {
  const item = (id: string, more = ""): string =>
    `< {"jsonrpc":"2.0","method":"item/started","params":{"item":{"itemId":"${id}"${more}}}}`;
  const play = (recorded: readonly string[], said: readonly string[]) =>
    replayAgainst(transcriptOf(recorded), transcriptOf(said).lines).report;

  it("diverges where it uses two for one, or one for two", () => {
    const two = play([item("a"), item("a")], [item("x"), item("y")]);
    expect(two).toMatchObject({
      transcriptLine: 2,
      divergences: [{ path: "params.item.itemId", expected: "a", received: "y" }],
    });
    const one = play([item("a"), item("b")], [item("x"), item("x")]);
    expect(one).toMatchObject({
      transcriptLine: 2,
      divergences: [{ path: "params.item.itemId", expected: "b", received: "x" }],
    });
    expect(play([item("a"), item("b")], [item("b"), item("a")])).toMatchObject({ kind: "replayComplete" });
  });

  it("diverges where it changes an id of the client, or names a started turn after another command", () => {
    const transcript = golden("text-turn");
    for (const name of ["commandId", "turnId"]) {
      const host = transcript.lines.map(({ dir, raw }) => {
        const own = raw.includes('"disposition":"started"')
          ? raw.replace(new RegExp(`"${name}":"[^"]*"`), `"${name}":"01900000-0000-7000-8000-000000000009"`)
          : raw;
        return { dir, raw: own };
      });
      expect(replayAgainst(transcript, host).report).toMatchObject({
        problem: "frameDivergence",
        divergences: [{ path: `result.${name}` }],
      });
    }
  });

  it("may have one id for an item and its task, or two", () => {
    const apart = item("a", ',"taskId":"t"');
    const joined = item("x", ',"taskId":"x"');
    expect(play([apart], [joined])).toMatchObject({ kind: "replayComplete" });
    expect(play([joined], [apart])).toMatchObject({ kind: "replayComplete" });
  });

  it("numbers its requests from one on", () => {
    const ask = (id: string): string =>
      `< {"jsonrpc":"2.0","id":${id},"method":"approval/request","params":{}}`;
    for (const id of ["0", '"1"', "1.5", "null"])
      expect(play([ask("1")], [ask(id)]), id).toMatchObject({ divergences: [{ path: "id", expected: 1 }] });
    expect(play([ask("1")], [ask("5")])).toMatchObject({ kind: "replayComplete" });
  });

  it("keeps ids within a text, in its own words", () => {
    const say = (id: string, text: string): string =>
      `< {"jsonrpc":"2.0","method":"item/started","params":{"item":{"itemId":"${id}","fallbackText":"${text}"}}}`;
    expect(play([item("a-1"), say("a-1", "see a-1.")], [item("x"), say("x", "see x.")])).toMatchObject({
      kind: "replayComplete",
    });
    expect(play([item("a-1"), say("a-1", "see a-1.")], [item("x"), say("x", "see y.")])).toMatchObject({
      divergences: [{ path: "params.item.fallbackText" }],
    });
  });
});

/** Every value of a frame that is no object and no list, with its path and a frame that has another one there. */
function* changes(frame: unknown): Generator<{ path: string; changed: unknown }> {
  const other = (value: unknown): unknown =>
    typeof value === "string"
      ? `${value}~`
      : typeof value === "number"
        ? value + 1
        : value === null
          ? 0
          : null;
  const visit = function* (
    value: unknown,
    path: string,
    build: (value: unknown) => unknown,
  ): Generator<{ path: string; changed: unknown }> {
    if (Array.isArray(value))
      for (const [i, item] of value.entries())
        yield* visit(item, `${path}[${i}]`, (next) => build(value.map((old, at) => (at === i ? next : old))));
    else if (typeof value === "object" && value !== null)
      for (const [name, member] of Object.entries(value))
        yield* visit(member, path === "" ? name : `${path}.${name}`, (next) =>
          build({ ...value, [name]: next }),
        );
    else yield { path, changed: build(other(value)) };
  };
  yield* visit(frame, "", (value) => value);
}

/** Paths below a value that is compared as a whole, or not at all. */
function coveredBy(path: string, role: string): boolean {
  const parts = path.split(".");
  return parts.some((_, i) => roleOf(parts.slice(0, i + 1).join(".")).role === role);
}

describe("a single member that is another", () => {
  const free = new Set<string>();
  let exact = 0;

  it("is a divergence at its path, unless it is a host's own", () => {
    for (const transcript of loadTranscripts(OWN_TRANSCRIPTS))
      for (const [at, { dir, raw, line }] of transcript.lines.entries()) {
        if (dir === "client") continue;
        for (const { path, changed } of changes(JSON.parse(raw))) {
          if (["minted", "range"].some((role) => coveredBy(path, role))) continue;
          const host = transcript.lines.with(at, { dir, line, raw: JSON.stringify(changed) });
          const { report } = replayAgainst(transcript, host);
          const own = ["own", "passing"].some((role) => coveredBy(path, role));
          if (own) {
            free.add(path.replace(/\[\d+\]/g, "[]"));
            expect(report.kind, `${transcript.scenario}:${line} ${path}`).toBe("replayComplete");
            continue;
          }
          exact++;
          if (path === "id") {
            // An answer to another request, or a request under another number.
            if (Object.hasOwn(JSON.parse(raw) as object, "method")) continue;
          }
          expect(report, `${transcript.scenario}:${line} ${path}`).toMatchObject({
            problem: "frameDivergence",
            transcriptLine: line,
            divergences: [{ path }],
          });
        }
      }
    expect(exact).toBeGreaterThan(2_000);
  });

  it("is a host's own in these places alone", () => {
    expect([...free].sort()).toMatchInlineSnapshot(`
      [
        "emittedAtMs",
        "error.message",
        "params.decidedAt",
        "params.durationMs",
        "params.item.recordedAt",
        "params.session.createdAt",
        "params.session.modelId",
        "params.session.path",
        "params.session.providerId",
        "params.session.updatedAt",
        "params.session.workspaceRoot",
        "params.timeToFirstTokenMs",
        "params.usage.cachedTokens",
        "params.usage.inputTokens",
        "params.usage.outputTokens",
        "params.usage.reasoningTokens",
        "result.events[].params.item.recordedAt",
        "result.history.items[].recordedAt",
        "result.museHome",
        "result.platformFamily",
        "result.platformOs",
        "result.schema.fingerprint",
        "result.serverInfo.name",
        "result.serverInfo.version",
        "result.session.createdAt",
        "result.session.modelId",
        "result.session.path",
        "result.session.providerId",
        "result.session.updatedAt",
        "result.session.workspaceRoot",
        "result.userAgent",
      ]
    `);
  });
});

describe("a frame that is not where it was", () => {
  it("is found: left out, added, or behind the next one", () => {
    let played = 0;
    for (const transcript of loadTranscripts(OWN_TRANSCRIPTS)) {
      const { lines, scenario } = transcript;
      for (const [at, line] of lines.entries()) {
        if (line.dir === "client") continue;
        const place = `${scenario}:${line.line}`;
        const without = replayAgainst(transcript, lines.toSpliced(at, 1)).report;
        expect(without, place).toMatchObject({ kind: "replayFailure", transcriptLine: line.line });
        const twice = replayAgainst(transcript, lines.toSpliced(at, 0, line)).report;
        const next = lines.slice(at + 1).find(({ dir }) => dir === "server");
        expect(twice, place).toMatchObject({
          kind: "replayFailure",
          problem: next === undefined ? "frameExtra" : "frameDivergence",
        });
        played += 2;
        if (lines[at + 1]?.dir !== "server") continue;
        const swapped = lines.with(at, lines[at + 1]!).with(at + 1, line);
        expect(replayAgainst(transcript, swapped).report, place).toMatchObject({
          problem: "frameDivergence",
          transcriptLine: line.line,
        });
        played++;
      }
    }
    expect(played).toBeGreaterThan(500);
  });

  it("is told by what it is, not by each of its members", () => {
    const transcript = golden("session-start");
    const [started, answer] = transcript.lines.filter(({ dir }) => dir === "server").slice(1);
    const host = transcript.lines.map((line) =>
      line === started ? answer! : line === answer ? started! : line,
    );
    expect(replayAgainst(transcript, host).report).toMatchObject({
      expectedFrame: started!.raw,
      receivedFrame: answer!.raw,
      divergences: [{ path: "method", expected: "session/started", received: 2, note: "another frame" }],
    });
  });

  it("that is no frame is told as it came", () => {
    const transcript = golden("session-start");
    for (const raw of ["[]", "{", "5"]) {
      const host = transcript.lines.map((line) => (line.dir === "server" ? { ...line, raw } : line));
      expect(replayAgainst(transcript, host).report).toMatchObject({
        problem: "malformedHostFrame",
        transcriptLine: 2,
        receivedFrame: raw,
      });
    }
  });
});

describe("a replay that goes on", () => {
  it("plays the rest after a frame that is missing, too much or different, and tells of the first", () => {
    let played = 0;
    for (const transcript of loadTranscripts(OWN_TRANSCRIPTS)) {
      const { lines } = transcript;
      const clients = lines.filter(({ dir }) => dir === "client").map(({ raw }) => raw);
      for (const [at, line] of lines.entries()) {
        if (line.dir === "client") continue;
        const extra = { ...line, raw: '{"jsonrpc":"2.0","method":"session/extra","params":{}}' };
        for (const host of [lines.toSpliced(at, 1), lines.toSpliced(at, 0, extra)]) {
          const { report, sent, player } = replayAgainst(transcript, host, { goOn: true });
          const place = `${transcript.scenario}:${line.line}`;
          expect(report.kind, place).toBe("replayFailure");
          expect(sent, place).toEqual(clients);
          expect(player.passed.length, place).toBe(host.length);
          played++;
        }
      }
    }
    expect(played).toBeGreaterThan(500);
  });
});

describe("a transcript that cannot be played", () => {
  it("is refused: without frames, or with bytes that were no text", () => {
    expect(() => replayAgainst(transcriptOf([]), [])).toThrow(expect.objectContaining({ kind: "empty" }));
    const [line] = transcriptOf(["> {}"]).lines;
    const binary = { ...transcriptOf([]), lines: [{ ...line!, base64: "/w==" }] };
    expect(() => replayAgainst(binary, [])).toThrow(expect.objectContaining({ kind: "badFrame", line: 1 }));
  });
});
