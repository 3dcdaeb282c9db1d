/** Files that are no bundle: a finding with its place, never a crash. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Findings, MAX_BUNDLE_BYTES, readBundle, TroubleError } from "../../../codegen/index.js";
import { scratchFolder } from "../../support/repo.js";

/** `RULE LINE:COLUMN POINTER` of what reading a file finds. */
function read(bytes: string | Uint8Array): string[] {
  const path = join(scratchFolder(), "b.json");
  writeFileSync(path, bytes);
  const findings = new Findings();
  const bundle = readBundle(path, findings);
  expect(bundle === undefined).toBe(findings.hasErrors);
  return findings.sorted().map((f) => `${f.rule} ${f.line}:${f.column} ${f.instanceLocation}`);
}

const bytes = (...parts: (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from([part]))));

const SCHEMA = '"$schema":"https://json-schema.org/draft/2020-12/schema"';

describe("a file that is no bundle", () => {
  test.each<[string, string | Uint8Array, string]>([
    ["nothing", "", "bundle-empty 1:1 "],
    ["white space", "\n\t \r\n", "bundle-empty 1:1 "],
    ["a byte order mark", bytes(0xef, 0xbb, 0xbf), "bundle-empty 1:1 "],
    ["prose", "MSP is a protocol.\n", "json-syntax 1:1 "],
    ["YAML", "$defs:\n  A: {}\n", "json-syntax 1:1 "],
    ["half of a bundle", '{\n  "$defs": {\n', "json-syntax 3:1 "],
    ["two values", "{}\n{}", "json-syntax 2:1 "],
    ["a comment", '{\n  // why\n  "$defs": {} }', "json-syntax 2:3 "],
    ["a comma too many", '{ "$defs": {}, }', "json-syntax 1:16 "],
    ["a line feed in a string", '{ "a\n": 1 }', "json-syntax 1:5 "],
    ["an unknown escape", '{ "a\\x": 1 }', "json-syntax 1:6 "],
    ["NaN", '{ "a": NaN }', "json-syntax 1:8 "],
    ["a number like 01", '{ "a": 01 }', "json-syntax 1:9 "],
    ["an array", "[]", "invalid-value 1:1 "],
    ["a number", "1", "invalid-value 1:1 "],
    ["null", "null", "invalid-value 1:1 "],
    ["a Latin-1 text", bytes('{ "a": "caf', 0xe9, '" }'), "invalid-utf8 1:12 "],
    ["a character cut off", bytes('{\n"a": "', 0xf0, 0x9f, 0x98), "invalid-utf8 2:7 "],
    ["a lone surrogate in UTF-8", bytes('{"a":"', 0xed, 0xa0, 0x80, '"}'), "invalid-utf8 1:7 "],
    ["UTF-16", Buffer.from("\ufeff{}", "utf16le"), "invalid-utf8 1:1 "],
    ["a bad byte after a replacement character", bytes('{"\ufffd":"', 0xff, '"}'), "invalid-utf8 1:7 "],
  ])("%s", (_, content, expected) => {
    expect(read(content)).toEqual([expected]);
  });

  test.each([1_002, 100_000])("%i values inside each other", (depth) => {
    expect(read("[".repeat(depth) + "]".repeat(depth))).toEqual(["json-syntax 1:1002 "]);
    expect(read("[".repeat(depth))).toEqual(["json-syntax 1:1002 "]);
  });

  test("50 MB, whatever they hold", () => {
    expect(read(Buffer.alloc(50_000_000, "x"))).toEqual(["bundle-too-large 1:1 "]);
    expect(read(`{${SCHEMA}}`.padEnd(MAX_BUNDLE_BYTES))).toEqual([]);
  });
});

describe("a file that is a bundle all the same", () => {
  test.each<[string, string | Uint8Array]>([
    ["with a byte order mark", `\ufeff{${SCHEMA}}`],
    ["with CRLF", `{\r\n  ${SCHEMA}\r\n}\r\n`],
    ["on one line", `{${SCHEMA},"$defs":{}}`],
    ["with escapes", `{"\\u0024schema":"https:\\/\\/json-schema.org/draft/2020-12/schema"}`],
  ])("%s", (_, content) => {
    expect(read(content)).toEqual([]);
  });

  test("places are counted in its own lines", () => {
    expect(read(`{\r\n  ${SCHEMA},\r\n  "nope": 1\r\n}`)).toEqual(["unknown-top-level-key 3:3 /nope"]);
    expect(read(`\ufeff{${SCHEMA},"nope":1}`)).toEqual(["unknown-top-level-key 1:59 /nope"]);
  });
});

describe("keys that stand twice", () => {
  test("are each told at the second place, however deep", () => {
    const text = `{${SCHEMA},
  "$defs": { "A": { "type": "string" },
             "A": { "type": "null", "type": "null", "\\u0074ype": "null" } },
  "$defs": {} }`;
    expect(read(text).filter((line) => line.startsWith("duplicate-key"))).toEqual([
      "duplicate-key 3:14 /$defs/A",
      "duplicate-key 3:37 /$defs/A/type",
      "duplicate-key 3:53 /$defs/A/type",
      "duplicate-key 4:3 /$defs",
    ]);
  });

  test("are not told of one name in two objects", () => {
    expect(read(`{${SCHEMA},"$defs":{"A":{"properties":{"A":{}}},"B":{"properties":{"A":{}}}}}`)).toEqual([]);
  });
});

describe("a path that cannot be read is trouble, not a verdict", () => {
  test.each(["nowhere.json", "nowhere/b.json", "empty", "file/b.json"])("%s", (name) => {
    const folder = scratchFolder();
    mkdirSync(join(folder, "empty"));
    writeFileSync(join(folder, "file"), "");
    expect(() => readBundle(join(folder, name), new Findings())).toThrow(TroubleError);
  });
});
