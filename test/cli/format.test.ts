/** `mspkit format` and `mspkit fingerprint`. */
import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mspkit, type Run } from "../support/cli.js";
import { bundleText } from "../support/marked.js";
import { DEPOT_SCHEMA, scratchFolder } from "../support/repo.js";
import { timesOf, treeOf } from "../support/tree.js";

const DEPOT = readFileSync(DEPOT_SCHEMA, "utf8");
const SQUEEZED = JSON.stringify(JSON.parse(DEPOT));

describe("format", () => {
  const format = (cwd: string, ...words: string[]): Promise<Run> =>
    mspkit(["format", "--schema", "b.json", ...words], { cwd });

  test("writes the canonical form once; --check writes nothing", async () => {
    const cwd = scratchFolder();
    const path = join(cwd, "b.json");
    writeFileSync(path, SQUEEZED);
    chmodSync(path, 0o640);
    const before = timesOf(cwd);
    expect(await format(cwd, "--check")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^b\.json: /),
    });
    expect(timesOf(cwd)).toEqual(before);
    expect(await format(cwd)).toEqual({ code: 0, stdout: "", stderr: "b.json: written\n" });
    expect(treeOf(cwd)).toEqual({ "b.json": DEPOT });
    expect(statSync(path).mode & 0o777).toBe(0o640);
    const after = timesOf(cwd);
    expect(await format(cwd)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(await format(cwd, "--check")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(timesOf(cwd)).toEqual(after);
  });

  test("writes where a link leads, and leaves the link", async () => {
    const cwd = scratchFolder();
    mkdirSync(join(cwd, "real"));
    writeFileSync(join(cwd, "real/b.json"), SQUEEZED);
    symlinkSync("real/b.json", join(cwd, "b.json"));
    expect((await format(cwd)).code).toBe(0);
    expect(lstatSync(join(cwd, "b.json")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(cwd, "real/b.json"), "utf8")).toBe(DEPOT);
  });

  test("takes both files of a pair, whatever they are called", async () => {
    const cwd = scratchFolder();
    for (const surface of ["stable", "experimental"]) {
      mkdirSync(join(cwd, "pair", surface), { recursive: true });
      writeFileSync(join(cwd, "pair", surface, `${surface}-depot.schema.json`), SQUEEZED);
      writeFileSync(join(cwd, "pair", surface, "manifest.json"), "{}");
    }
    const run = (...words: string[]): Promise<Run> =>
      mspkit(["format", "--schema", "pair", ...words], { cwd });
    const check = await run("--check");
    expect(check.code).toBe(1);
    expect(check.stderr.match(/-depot\.schema\.json: not in canonical form/g)).toHaveLength(2);
    expect((await run()).code).toBe(0);
    expect(readFileSync(join(cwd, "pair/stable/stable-depot.schema.json"), "utf8")).toBe(DEPOT);
    expect(readFileSync(join(cwd, "pair/experimental/manifest.json"), "utf8")).toBe("{}");
    expect((await run("--check")).code).toBe(0);
  });

  test.each([
    ["a key that stands twice", '{ "$defs": {}, "$defs": {} }', "b.json:1:16: error duplicate-key"],
    ["no JSON", "{ nope }", "b.json:1:3: error json-syntax"],
    [
      "a number that would not survive",
      '{ "$defs": { "A": { "const": 1e999 } } }',
      "b.json:1:30: error json-syntax",
    ],
  ])("leaves a file with %s as it is", async (_, text, expected) => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, "b.json"), text);
    const { code, stderr } = await format(cwd);
    expect(code).toBe(1);
    expect(stderr.startsWith(expected)).toBe(true);
    expect(treeOf(cwd)).toEqual({ "b.json": text });
  });
});

describe("fingerprint", () => {
  test("prints one line, and with --json the parts by message", async () => {
    const run = (...words: string[]): Promise<Run> =>
      mspkit(["fingerprint", "--schema", DEPOT_SCHEMA, ...words]);
    const stable = (await run()).stdout;
    expect(stable).toMatch(/^sha256:[0-9a-f]{64}\n$/);
    expect((await run("--experimental")).stdout).not.toBe(stable);
    const { surface, fingerprint, parts } = JSON.parse((await run("--json")).stdout) as {
      surface: string;
      fingerprint: string;
      parts: Record<"methods" | "notifications" | "requests", Record<string, string>>;
    };
    expect([surface, `${fingerprint}\n`]).toEqual(["stable", stable]);
    expect(Object.keys(parts.methods)).toEqual(["find", "move", "open", "ping", "tree"]);
    expect(Object.keys(parts.notifications)).toEqual(["happened", "watching"]);
    expect(Object.keys(parts.requests)).toEqual(["confirm"]);
  });

  test("names the method that differs", async () => {
    const cwd = scratchFolder();
    const parts = async (result: string): Promise<Record<string, string>> => {
      const body = `"$defs": { "A": {}, "B": ${result} }, "methods": {
        "a": { "result": { "$ref": "#/$defs/A" } }, "b": { "result": { "$ref": "#/$defs/B" } } }`;
      writeFileSync(join(cwd, "b.json"), bundleText(body));
      const { stdout } = await mspkit(["fingerprint", "--schema", "b.json", "--json"], { cwd });
      return (JSON.parse(stdout) as { parts: { methods: Record<string, string> } }).parts.methods;
    };
    const [before, after] = [await parts('{ "type": "null" }'), await parts('{ "type": "string" }')];
    expect(Object.keys(before).filter((name) => before[name] !== after[name])).toEqual(["b"]);
  });
});
