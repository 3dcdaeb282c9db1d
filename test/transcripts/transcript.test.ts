/** Reading recordings: what is wrong with a file is told by kind and place. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadTranscript, loadTranscripts, TranscriptError } from "../../src/transcripts/index.js";
import { scratchFolder } from "../support/repo.js";
import { everyTranscript, manifestOf, transcriptOf, writeTranscript } from "../support/transcripts.js";

/** A folder with a good recording of two frames, and with some files replaced. */
function folderWith(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = writeTranscript(scratchFolder(), transcriptOf(['> {"a":1}\r', '< {"b":"é"}']));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

/** What loading a folder throws, as data. */
function faultOf(load: () => unknown): Record<string, unknown> {
  try {
    load();
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
    expect(error.message).toContain(error.file);
    expect(error.why).not.toBe("");
    return { kind: error.kind, file: error.file.split("/").at(-1), line: error.line };
  }
  throw new Error("nothing was thrown");
}

describe("a recording", () => {
  it("is read with its lines, sides and exact frames", () => {
    expect(loadTranscript(folderWith({}))).toMatchObject({
      scenario: "up",
      manifest: manifestOf("up"),
      lines: [
        { line: 1, dir: "client", raw: '{"a":1}\r' },
        { line: 2, dir: "server", raw: '{"b":"é"}' },
      ],
    });
  });

  it("keeps the numbers of its lines over blank ones, and what it does not know out of the way", () => {
    const folder = folderWith({
      "transcript.ndjson": '\n{"dir":"client","raw":"{}","more":1}\r\n\n{"dir":"server","raw":"\\u2028"}',
      "manifest.json": JSON.stringify(
        manifestOf("up", { regenerationJustification: { cite: "x" }, next: 1 }),
      ),
    });
    expect(loadTranscript(folder).lines).toEqual([
      { line: 2, dir: "client", raw: "{}" },
      { line: 4, dir: "server", raw: "\u2028" },
    ]);
  });

  it("is found by the name of its folder, whatever path leads there", () => {
    expect(loadTranscript(`${folderWith({})}/.//`).scenario).toBe("up");
  });

  it.each([
    ["has no transcript", { "transcript.ndjson": undefined }, "unreadable", undefined],
    ["has no manifest", { "manifest.json": undefined }, "unreadable", undefined],
    ["is not UTF-8", { "transcript.ndjson": Buffer.from([0x7b, 0xff]) }, "notUtf8", undefined],
    ["has a manifest that is not JSON", { "manifest.json": "{" }, "notJson", undefined],
    ["has a manifest with a BOM", { "manifest.json": "\ufeff{}" }, "notJson", undefined],
    [
      "has a line that is not JSON",
      { "transcript.ndjson": '{"dir":"client","raw":"{}"}\n{"dir"' },
      "notJson",
      2,
    ],
    ["has a line that is a list", { "transcript.ndjson": "[]" }, "badLine", 1],
    ["has another side", { "transcript.ndjson": '{"dir":"host","raw":"{}"}' }, "badLine", 1],
    ["has no frame", { "transcript.ndjson": '{"dir":"client"}' }, "badLine", 1],
    ["has a frame that is no text", { "transcript.ndjson": '{"dir":"client","raw":{}}' }, "badLine", 1],
    ["has two frames on a line", { "transcript.ndjson": '{"dir":"client","raw":"{}\\n{}"}' }, "badLine", 1],
    [
      "has bytes that are no text",
      { "transcript.ndjson": '{"dir":"client","raw":"","base64":1}' },
      "badLine",
      1,
    ],
  ])("that %s is refused", (_, files, kind, line) => {
    const folder = folderWith({});
    for (const [name, content] of Object.entries(files)) {
      if (content === undefined) rmSync(join(folder, name));
      else writeFileSync(join(folder, name), content);
      expect(faultOf(() => loadTranscript(folder))).toEqual({ kind, file: name, line });
    }
  });

  it.each([
    ["kind", { kind: "x" }],
    ["schemaVersion", { schemaVersion: 2 }],
    ["scenario", { scenario: "down" }],
    ["provenance", { provenance: "found" }],
    ["fingerprint", { fingerprint: "sha256:0" }],
    ["viewSchemaVersion", { viewSchemaVersion: "1" }],
    ["serverConfig", { serverConfig: [] }],
    ["serverConfig.frameLimitBytes", { serverConfig: { frameLimitBytes: 0 } }],
    ["transports", { transports: "stdio" }],
    ["transports[1]", { transports: ["stdio", 2] }],
    ["normalize[1]", { normalize: ["id", "params.sessionId"] }],
    ["seeds", { seeds: undefined }],
    ["seeds.idSeed", { seeds: { idSeed: 1.5, clockStartMs: 0 } }],
    ["seeds.clockStartMs", { seeds: { idSeed: 1 } }],
    ["source", { source: {} }],
    ["source[0]", { source: [{ lines: 1, cite: "x" }] }],
  ])("whose manifest has a wrong %s is refused", (path, change) => {
    const folder = folderWith({ "manifest.json": JSON.stringify(manifestOf("up", change)) });
    expect(() => loadTranscript(folder)).toThrow(
      expect.objectContaining({
        kind: "badManifest",
        why: expect.stringMatching(new RegExp(`^${path.replace(/[[\]]/g, "\\$&")} `)),
      }),
    );
  });

  it.each(["[]", "null", "1"])("whose manifest is %s is refused", (text) => {
    expect(faultOf(() => loadTranscript(folderWith({ "manifest.json": text })))).toMatchObject({
      kind: "badManifest",
    });
  });
});

describe("a root", () => {
  it("gives all recordings below it, by name", () => {
    const root = scratchFolder();
    for (const scenario of ["b", "a-1", "a"])
      writeTranscript(root, { ...transcriptOf(['> {"a":1}'], { scenario }), scenario });
    writeFileSync(join(root, "README.md"), "not a recording");
    mkdirSync(join(root, ".git"));
    expect(loadTranscripts(root).map(({ scenario }) => scenario)).toEqual(["a", "a-1", "b"]);
    symlinkSync(join(root, "a"), join(root, "z"));
    expect(faultOf(() => loadTranscripts(root))).toMatchObject({ kind: "badManifest" });
  });

  it("that has none is no empty success", () => {
    expect(faultOf(() => loadTranscripts(scratchFolder()))).toMatchObject({ kind: "empty" });
    expect(faultOf(() => loadTranscripts(join(scratchFolder(), "nope")))).toMatchObject({
      kind: "unreadable",
      file: "nope",
    });
    const root = scratchFolder();
    mkdirSync(join(root, "hollow"));
    expect(faultOf(() => loadTranscripts(root))).toMatchObject({ kind: "unreadable", file: "manifest.json" });
  });

  it("of the project, and the protocol's where it is there, can be read", () => {
    expect(everyTranscript().length).toBeGreaterThan(19);
  });
});
