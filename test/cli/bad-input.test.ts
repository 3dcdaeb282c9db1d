/** Whatever the schema file holds, the program ends with a finding and its place: no stack trace, nothing half written. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mspkit, type Run } from "../support/cli.js";
import { bundleText } from "../support/marked.js";
import { scratchFolder } from "../support/repo.js";
import { treeOf } from "../support/tree.js";

/** A folder with output from a good schema, in whose place `content` then stands; what each command says of it. */
async function runAll(content: string | Buffer): Promise<Run[]> {
  const cwd = scratchFolder();
  const schema = join(cwd, "b.json");
  writeFileSync(schema, bundleText('"$defs": { "A": { "type": "string" } }'));
  const generate = ["generate", "--schema", "b.json", "--out", "out"];
  expect((await mspkit(generate, { cwd })).code).toBe(0);
  const before = treeOf(join(cwd, "out"));
  writeFileSync(schema, content);
  const runs: Run[] = [];
  for (const words of [
    generate,
    [...generate, "--check"],
    ["lint", "--schema", "b.json"],
    ["fingerprint", "--schema", "b.json"],
  ])
    runs.push(await mspkit(words, { cwd }));
  expect(treeOf(join(cwd, "out"))).toEqual(before);
  return runs;
}

const ring = (count: number): string =>
  Array.from({ length: count }, (_, i) => `"D${i}": { "$ref": "#/$defs/D${(i + 1) % count}" }`).join(",\n");

describe("a schema file", () => {
  test.each<[string, string | Buffer, string]>([
    ["that is empty", "", "1:1: error bundle-empty"],
    ["that is not JSON", "{\n  nope", "2:3: error json-syntax"],
    ["that nests 100,000 deep", "[".repeat(100_000), "1:1002: error json-syntax"],
    ["that is not UTF-8", Buffer.from([0x7b, 0x0a, 0xff]), "2:1: error invalid-utf8"],
    ["of 50 MB", Buffer.alloc(50_000_000, "["), "1:1: error bundle-too-large"],
    ["with a key that stands twice", bundleText('"$defs": {},\n  "$defs": {}'), "4:3: error duplicate-key"],
    [
      "with a definition that means nothing",
      bundleText('"$defs": { "A": true }'),
      "3:14: error invalid-value",
    ],
    [
      "with a circle of 2,000 references",
      bundleText(`"$defs": {\n${ring(2_000)}\n}`),
      "4:1: error circular-ref",
    ],
    ["with clashing names", bundleText('"$defs": { "a-b": {}, "a_b": {} }'), "3:14: error name-clash"],
  ])("%s is refused by every command at its place", async (_, content, expected) => {
    for (const { code, stdout, stderr } of await runAll(content)) {
      expect(code).toBe(1);
      const said = stdout + stderr;
      expect(said).toContain(`b.json:${expected}: `);
      expect(said).not.toMatch(/^\s+at |Error:|node:internal|an error of the tool itself/m);
    }
  });
});
