/** `mspkit conformance serve-fixture` and the words of its group, over real processes. */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadTranscript, type ServeFixtureReport } from "../../src/transcripts/index.js";
import { mspkit } from "../support/cli.js";
import { Conversation, converse, type Ended, MSPKIT } from "../support/conversation.js";
import { ROOT, scratchFolder } from "../support/repo.js";
import {
  everyTranscript,
  OWN_TRANSCRIPTS,
  ScriptedClient,
  transcriptOf,
  writeTranscript,
} from "../support/transcripts.js";

const serve = (folder: string, ...more: readonly string[]): Conversation =>
  new Conversation([MSPKIT, "conformance", "serve-fixture", "--transcript", folder, ...more]);

/** The report, which is the only line on stderr. */
function reportOf({ stderr }: Ended): ServeFixtureReport {
  expect(stderr).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stderr) as ServeFixtureReport;
}

const TEXT_TURN = join(OWN_TRANSCRIPTS, "text-turn");

describe("every recording is played over a process", () => {
  const transcripts = everyTranscript();
  const named = transcripts.map((one) => [one.folder.split("/").slice(-3).join("/"), one] as const);

  it.each(named)("%s", async (_, transcript) => {
    const played = async (mintsCommandIds: boolean): Promise<void> => {
      const host = serve(transcript.folder, ...(mintsCommandIds ? ["--rewrite-command-ids"] : []));
      await converse(host, transcript, new ScriptedClient({ mintsCommandIds }));
      const ended = await host.hangUp();
      expect(reportOf(ended)).toMatchObject({
        kind: "serveFixtureComplete",
        scenario: transcript.scenario,
      });
      expect(ended.code).toBe(0);
      expect(ended.lines).toHaveLength(transcript.lines.filter(({ dir }) => dir === "server").length);
    };
    await Promise.all([played(false), played(true)]);
  });
});

describe("a client that does something else", () => {
  const transcript = loadTranscript(TEXT_TURN);

  it.each([
    ["turn/start", "params.input[0].text", (text: string) => text.replace(/("text":")/, "$1x")],
    ["turn/start", "params.sessionId", (text: string) => text.replace(/("sessionId":")/, "$1x")],
    ["initialize", "params.more", (text: string) => text.replace('"params":{', '"params":{"more":1,')],
  ])(
    "in %s ends in frameDivergence, and the host does not wait for its end: %s",
    async (method, path, change) => {
      const host = serve(TEXT_TURN);
      const line = transcript.lines.find(({ raw }) => raw.includes(`"method":"${method}"`))!;
      await converse(host, transcript, new ScriptedClient(), line.line - 1);
      host.send(change(line.raw));
      const ended = await host.ended;
      expect(ended.code).toBe(1);
      expect(reportOf(ended)).toMatchObject({
        kind: "serveFixtureFailure",
        problem: "frameDivergence",
        scenario: "text-turn",
        transcriptLine: line.line,
        expectedFrame: line.raw,
        receivedFrame: change(line.raw),
        divergences: expect.arrayContaining([expect.objectContaining({ path })]),
      });
      // Everything that was recorded before has come.
      expect(ended.lines).toHaveLength(
        transcript.lines.filter((one) => one.dir === "server" && one.line < line.line).length,
      );
    },
  );

  it("or hangs up ends in clientEof", async () => {
    const host = serve(TEXT_TURN);
    await converse(host, transcript, new ScriptedClient(), 2);
    const ended = await host.hangUp();
    expect(ended.code).toBe(1);
    expect(reportOf(ended)).toMatchObject({ problem: "clientEof", transcriptLine: 3, receivedFrame: null });
  });

  it("or sends garbage ends in malformedClientFrame", async () => {
    const host = serve(TEXT_TURN);
    host.send("garbage");
    const ended = await host.ended;
    expect(ended).toMatchObject({ code: 1, lines: [] });
    expect(reportOf(ended)).toMatchObject({
      problem: "malformedClientFrame",
      transcriptLine: 1,
      receivedFrame: "garbage",
      errors: [expect.any(String)],
    });
  });

  it("or reads nothing any more is no crash", async () => {
    const host = serve(TEXT_TURN);
    host.child.stdout.destroy();
    for (const { dir, raw } of transcript.lines) if (dir === "client") host.send(raw);
    const ended = await host.hangUp();
    expect(ended.code).toBe(0);
    expect(reportOf(ended).kind).toBe("serveFixtureComplete");
  });
});

describe("a complete session", () => {
  it("is reported before the client ends, and nothing that follows is judged", async () => {
    const transcript = loadTranscript(TEXT_TURN);
    const host = serve(TEXT_TURN);
    await converse(host, transcript, new ScriptedClient());
    expect(await host.tells("serveFixtureComplete")).toBe(true);
    host.send("garbage", '{"jsonrpc":"2.0","id":99,"method":"session/list"}');
    expect(await host.hangUp()).toMatchObject({ code: 0 });
  });

  it("has its frames whole, however long they are", async () => {
    const long = JSON.stringify({ jsonrpc: "2.0", method: "n", params: { text: "é".repeat(2_000_000) } });
    const folder = writeTranscript(scratchFolder(), transcriptOf(['> {"a":1}', `< ${long}`, `< ${long}`]));
    const host = serve(folder);
    host.send('{"a":1}');
    expect((await host.hangUp()).lines).toEqual([long, long]);
  });
});

describe("a transcript that cannot be used exits 3 and touches neither stream", () => {
  const broken = (file: string, text: string): string => {
    const folder = writeTranscript(scratchFolder(), transcriptOf(['> {"a":1}']));
    writeFileSync(join(folder, file), text);
    return folder;
  };

  it.each([
    ["that is not there", () => "nope/at-all"],
    ["with a bad manifest", () => broken("manifest.json", "{}")],
    ["with a bad line", () => broken("transcript.ndjson", '{"dir":"client","raw":"{}"}\n{')],
    ["without a frame", () => broken("transcript.ndjson", "")],
    [
      "with a client's frame that no client can send",
      () => broken("transcript.ndjson", '{"dir":"client","raw":"["}'),
    ],
  ])("%s", async (_, folder) => {
    const { code, stdout, stderr } = await mspkit(["conformance", "serve-fixture", "--transcript", folder()]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(/^mspkit: [^\n]+\n$/);
  });
});

describe("a host that exits", () => {
  it.each([
    ["0", "0"],
    ["5", "3"],
    ["77", "1"],
    ["255", "300"],
  ])("with %s after %s lines", async (code, lines) => {
    const run = await mspkit(["conformance", "serve-fixture", "--exit-code", code, "--stderr-lines", lines], {
      input: "ignored",
    });
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: Number(code), stdout: "" });
    const rows = run.stderr.split("\n");
    expect(rows.pop()).toBe("");
    expect(rows).toHaveLength(Number(lines));
    for (const row of rows) expect(row.trim()).not.toBe("");
  });

  it("waits for nobody", async () => {
    const host = new Conversation([
      MSPKIT,
      "conformance",
      "serve-fixture",
      "--exit-code",
      "4",
      "--stderr-lines",
      "1",
    ]);
    expect(await host.ended).toMatchObject({ code: 4, lines: [] });
  });
});

describe("the words", () => {
  it.each([
    [["serve-fixture"], "--transcript"],
    [["serve-fixture", "--transcript", ""], "--transcript"],
    [["serve-fixture", "--exit-code", "1"], "--stderr-lines"],
    [["serve-fixture", "--stderr-lines", "1"], "--exit-code"],
    [["serve-fixture", "--exit-code", "256", "--stderr-lines", "1"], '"256"'],
    [["serve-fixture", "--exit-code", "-1", "--stderr-lines", "1"], "--exit-code"],
    [["serve-fixture", "--exit-code", "1", "--stderr-lines", "1.5"], '"1.5"'],
    [["serve-fixture", "--exit-code", "1", "--stderr-lines", "1", "--transcript", "x"], "neither"],
    [
      ["serve-fixture", "--exit-code", "1", "--stderr-lines", "1", "--rewrite-command-ids"],
      "--rewrite-command-ids",
    ],
    [["serve-fixture", "--transcrpt", "x"], 'did you mean "--transcript"'],
    [["serve-fixture", "x"], 'unexpected "x"'],
    [["serve-fixtur"], 'did you mean "serve-fixture"'],
    [["toString"], "no command"],
    [["--rot", "x", "validate"], '"--rot"'],
    [["--root", "", "validate"], "--root"],
    [["validate", "--root"], "--root"],
    [["record", "--out", "x"], "--"],
    [["record", "--", "true"], "--out"],
    [["record", "--out", "x", "true"], 'unexpected "true"'],
    [["record", "--out", "x", "--scenario", "../y", "--", "true"], "--scenario"],
    [["record", "--out", "x", "--scenario", "..", "--", "true"], "--scenario"],
  ])("%j are usage errors", async (words, expected) => {
    const { code, stdout, stderr } = await mspkit(["conformance", ...words], { cwd: scratchFolder() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^mspkit: /);
    expect(stderr).toContain(expected);
  });

  it("without a command list the commands", async () => {
    const { code, stdout } = await mspkit(["conformance"]);
    expect(code).toBe(2);
    for (const name of ["serve-fixture", "validate", "staleness", "repin", "record"]) {
      expect(stdout).toMatch(new RegExp(`^  ${name} +\\w`, "m"));
      const help = await mspkit(["conformance", name, "--help"]);
      expect(help.code).toBe(0);
      expect(help.stdout).toMatch(new RegExp(`^Usage: mspkit conformance ${name} \\[options\\]`));
      expect(help.stdout).toContain("--root");
      expect((await mspkit(["help", "conformance", name])).stdout).toBe(help.stdout);
      expect((await mspkit(["conformance", "help", name])).stdout).toBe(help.stdout);
    }
    for (const words of [
      ["conformance", "--help"],
      ["help", "conformance"],
      ["conformance", "help"],
    ])
      expect(await mspkit(words)).toEqual({ code: 0, stdout, stderr: "" });
  });

  it("name a scenario below the root, given before or after the command", async () => {
    for (const words of [
      ["--root", OWN_TRANSCRIPTS, "serve-fixture", "--transcript", "handshake-bare"],
      [`--root=${OWN_TRANSCRIPTS}`, "serve-fixture", "--transcript", "handshake-bare"],
      ["serve-fixture", "--transcript", "handshake-bare", "--root", OWN_TRANSCRIPTS],
      ["serve-fixture", "--transcript", "handshake-bare"],
    ]) {
      const { code, stderr } = await mspkit(["conformance", ...words]);
      expect(code).toBe(1);
      expect(JSON.parse(stderr)).toMatchObject({ problem: "clientEof", scenario: "handshake-bare" });
    }
  });
});

describe("mspkit-conformance", () => {
  it("is the same commands as a program of its own, by whatever link it is started", async () => {
    const link = join(scratchFolder(), "runner");
    symlinkSync(join(ROOT, "dist/bin/mspkit-conformance.cjs"), link);
    const transcript = loadTranscript(TEXT_TURN);
    const host = new Conversation([link, "serve-fixture", "--transcript", TEXT_TURN]);
    await converse(host, transcript, new ScriptedClient());
    expect(await host.hangUp()).toMatchObject({ code: 0 });
    const slip = await new Conversation([link, "serve-fixtur"]).ended;
    expect(slip.code).toBe(2);
    expect(slip.stderr).toMatch(/^mspkit-conformance: .*see mspkit-conformance --help\n$/);
    const help = await new Conversation([link, "serve-fixture", "--help"]).ended;
    expect(help.lines[0]).toMatch(/^Usage: mspkit-conformance serve-fixture /);
    const version = await new Conversation([link, "--version"]).ended;
    const { version: own } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      version: string;
    };
    expect(version.lines).toEqual([own]);
  });
});

describe("validate, staleness and repin", () => {
  /** A root with some of the project's recordings. */
  function rootOf(...scenarios: readonly string[]): string {
    const root = scratchFolder();
    for (const scenario of scenarios)
      cpSync(join(OWN_TRANSCRIPTS, scenario), join(root, scenario), { recursive: true });
    return root;
  }
  const poison = (root: string, file: string, from: string | RegExp, to: string): void => {
    const path = join(root, file);
    const text = readFileSync(path, "utf8");
    expect(text).toMatch(from);
    writeFileSync(path, text.replace(from, to));
  };

  it("validate finds nothing wrong with the package's own", async () => {
    const { code, stderr } = await mspkit(["conformance", "validate"]);
    expect(code).toBe(0);
    expect(stderr).toContain(" 0 errors");
  });

  it("validate tells what is wrong by rule and place", async () => {
    const root = rootOf("text-turn", "handshake-bare");
    poison(root, "text-turn/transcript.ndjson", /\\"turnId\\":\\"[^"]+\\"/, '\\"turnId\\":1');
    const words = ["conformance", "--root", root, "validate"];
    const text = await mspkit(words);
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/^text-turn\/transcript\.ndjson:\d+: error bad-result: \/result\/turnId: /m);
    const json = await mspkit([...words, "--json"]);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      transcripts: 2,
      unknownMethods: [],
      findings: expect.arrayContaining([
        expect.objectContaining({
          rule: "bad-result",
          severity: "error",
          transcript: "text-turn",
          instanceLocation: "/result/turnId",
        }),
      ]),
    });
  });

  it("warnings alone are no failure", async () => {
    const { code, stdout } = await mspkit([
      "conformance",
      "validate",
      "--root",
      rootOf("unknown-vocabulary"),
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain("warning unknown-word: ");
  });

  it.each([["validate"], ["staleness"], ["repin"]])(
    "%s of no recording is trouble, not success",
    async (name) => {
      for (const root of [scratchFolder(), "nope"]) {
        const { code, stdout, stderr } = await mspkit(["conformance", "--root", root, name]);
        expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
        expect(stderr).toMatch(/^mspkit: .*\n$/);
      }
    },
  );
});
