/** The same bytes from the same protocol: whatever the order of keys, the line ends, the place, the language or the clock's zone. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Findings, generate } from "../../codegen/index.js";
import { mspkit } from "../support/cli.js";
import { bundleText } from "../support/marked.js";
import { DEPOT_SCHEMA, MSP_SCHEMA, scratchFolder } from "../support/repo.js";
import { treeOf } from "../support/tree.js";

/** A text of the same value with the members of every object in another order. */
function reordered(text: string, order: (keys: string[]) => string[]): string {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const node = value as Record<string, unknown>;
    return Object.fromEntries(order(Object.keys(node)).map((key) => [key, visit(node[key])]));
  };
  return JSON.stringify(visit(JSON.parse(text)), null, 2);
}

/** Keys by a number that looks like chance and is none. */
const shuffled = (keys: string[]): string[] => {
  const mix = (text: string): number =>
    [...text].reduce((n, c) => (n * 31 + c.codePointAt(0)! * 7) % 10_007, 17);
  return keys.toSorted((a, b) => mix(a) - mix(b));
};

/** Values that are objects themselves, and rows, wherever a bundle may have them. */
const DATA = bundleText(`"$defs": {
    "A": { "const": { "b": { "d": 1, "c": 2 }, "a": [{ "f": 1, "e": 2 }] } },
    "B": { "enum": [{ "b": 1, "a": 2 }, "x"], "x-msp-openness": "closed" },
    "C": { "type": "object", "default": { "b": 1, "a": 2 }, "examples": [{ "b": 1, "a": 2 }],
           "properties": {}, "dependentRequired": { "b": ["y", "x"], "a": ["z"] } }
  },
  "protocol": { "version": 2, "title": "T", "name": "t" },
  "capabilities": { "reserved": [{ "reference": "r", "name": "n" }], "descriptions": { "b": "B.", "a": "A." }, "grantable": ["b", "a"] },
  "errors": [{ "retryable": true, "overrideKinds": ["y", "x"], "kind": "k", "description": "K.", "code": -1 }],
  "rejections": [{ "reason": "r", "methods": ["m"], "description": "R.", "definedBy": "host" }],
  "reserved": [{ "reference": "r", "identifier": "i" }]`);

test("values and rows do not depend on the order of their members either", async () => {
  const [a, b] = [scratchFolder(), scratchFolder()];
  const schema = join(scratchFolder(), "b.json");
  writeFileSync(schema, DATA);
  expect((await generate({ schema, out: a })).findings.hasErrors).toBe(false);
  writeFileSync(
    schema,
    reordered(DATA, (keys) => keys.toReversed()),
  );
  await generate({ schema, out: b });
  expect(treeOf(b)).toEqual(treeOf(a));
});

describe.each([
  ["MSP", MSP_SCHEMA],
  ["the depot", DEPOT_SCHEMA],
])("%s", (_, path) => {
  const text = readFileSync(path, "utf8");
  const variants: [string, string, Record<string, string>][] = [
    ["as it is", text, { LC_ALL: "C", LANG: "C", TZ: "UTC" }],
    [
      "with its keys the other way round",
      reordered(text, (keys) => keys.toReversed()),
      { LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8", TZ: "Pacific/Apia" },
    ],
    ["with its keys shuffled", reordered(text, shuffled), { LC_ALL: "C", LANG: "C", TZ: "Pacific/Apia" }],
    ["with CRLF", text.replaceAll("\n", "\r\n"), { LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8", TZ: "UTC" }],
    ["on one line", JSON.stringify(JSON.parse(text)), {}],
  ];

  test("gives the same bytes and fingerprint in every form, place, language and zone", async () => {
    expect(new Set(variants.map(([, bundle]) => bundle)).size).toBe(variants.length);
    const first = scratchFolder();
    const trees: unknown[] = [];
    const prints = new Set<string>();
    for (const [i, [, bundle, env]] of variants.entries()) {
      // Folders of other names and depths.
      const cwd = join(scratchFolder(), "a".repeat(i + 1), i % 2 === 0 ? "x" : "y/z");
      mkdirSync(cwd, { recursive: true });
      writeFileSync(join(cwd, "b.json"), bundle);
      const run = (...words: string[]): ReturnType<typeof mspkit> =>
        mspkit([...words, "--schema", "b.json"], { cwd, env });
      expect((await run("generate", "--out", "out")).code).toBe(0);
      trees.push(treeOf(join(cwd, "out")));
      if (i === 0) expect((await run("generate", "--out", join(first, "out"))).code).toBe(0);
      expect((await run("generate", "--check", "--out", join(first, "out"))).code).toBe(0);
      prints.add(
        (await run("fingerprint", "--json")).stdout + (await run("fingerprint", "--experimental")).stdout,
      );
    }
    for (const tree of trees) expect(tree).toEqual(trees[0]);
    expect(treeOf(join(first, "out"))).toEqual(trees[0]);
    expect(prints.size).toBe(1);
  });

  test("gives the same bytes twice in one process, and after another bundle", async () => {
    const [a, b, c] = [scratchFolder(), scratchFolder(), scratchFolder()];
    await generate({ schema: path, out: a });
    await generate({ schema: path === MSP_SCHEMA ? DEPOT_SCHEMA : MSP_SCHEMA, out: c });
    await generate({ schema: path, out: b });
    expect(Object.keys(treeOf(a)).length).toBeGreaterThan(10);
    expect(treeOf(b)).toEqual(treeOf(a));
    expect((await generate({ schema: path, out: a, check: true })).findings.count("error")).toBe(0);
  });

  test("is told apart from a bundle that differs by one word", async () => {
    const out = scratchFolder();
    await generate({ schema: path, out });
    const other = join(scratchFolder(), "b.json");
    const changed = text.replace('"description": "', '"description": "Now ');
    expect(changed).not.toBe(text);
    writeFileSync(other, changed);
    const result = await generate({ schema: other, out, check: true });
    expect(result.findings).toBeInstanceOf(Findings);
    expect(result.findings.count("error")).toBeGreaterThan(0);
  });
});
