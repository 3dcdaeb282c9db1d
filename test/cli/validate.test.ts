/** `mspkit validate`: values against one definition or one part of a method. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mspkit, type Run } from "../support/cli.js";
import { DEPOT_SCHEMA, scratchFolder } from "../support/repo.js";

const validate = (input: string, ...words: string[]): Promise<Run> =>
  mspkit(["validate", "--schema", DEPOT_SCHEMA, ...words], { input });
const places = ({ stdout }: Run): string[] =>
  stdout.split("\n").map((line) => line.split(" ").slice(0, 2).join(" "));

describe("validate", () => {
  test("takes the whole input as one value, however many lines it has", async () => {
    const good = '{\n  "sku": "AB12",\n  "quantity": 1\n}\n';
    expect(await validate(good, "--def", "Line")).toEqual({ code: 0, stdout: "", stderr: "" });
    const bad = await validate('{\n  "sku": "AB12",\n  "quantity": 0\n}\n', "--def", "Line");
    expect(bad).toMatchObject({ code: 1, stderr: "" });
    expect(places(bad)).toEqual(["<stdin>:3:3: /quantity", ""]);
    expect(bad.stdout).toMatch(/\(minimum\)\n$/);
  });

  test("tells every violation", async () => {
    const bad = await validate('{"sku":"x","quantity":1.5}', "--def", "Line");
    expect(places(bad).toSorted()).toEqual(["", "<stdin>:1:12: /quantity", "<stdin>:1:2: /sku"]);
  });

  test("takes lines of values, tells the line of each finding, and skips blank ones", async () => {
    const lines = [
      '{"sku":"AB12","quantity":1}',
      "",
      '{"sku":"AB12"}\r',
      "  ",
      "{nope",
      '{"sku":1,"quantity":1}',
    ];
    const { code, stdout } = await validate(`${lines.join("\n")}\n`, "--def", "Line", "--json");
    expect(code).toBe(1);
    const found = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(
      found.map(({ line, column, instanceLocation, keyword }) => [line, column, instanceLocation, keyword]),
    ).toEqual([
      [3, 1, "", "required"],
      [5, 2, "", "json"],
      [6, 2, "/sku", "type"],
    ]);
  });

  test("reads a file, and - is standard input", async () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, "v.json"), '\ufeff{"sku":"AB12","quantity":0}');
    const words = ["validate", "--schema", DEPOT_SCHEMA, "--def", "Line"];
    const file = await mspkit([...words, "v.json"], { cwd });
    expect(places(file)).toEqual(["v.json:1:15: /quantity", ""]);
    expect((await mspkit([...words, "-"], { cwd, input: "1" })).stdout).toMatch(/^<stdin>:1:1: the value /);
    expect(await mspkit([...words, "nope.json"], { cwd })).toMatchObject({ code: 3, stdout: "" });
  });

  test("knows the parts of methods, requests and notifications", async () => {
    const move = '{"lines":[{"sku":"AB12","quantity":1}],"target":{"to":"place","label":"A"}}';
    expect((await validate(move, "--method", "move", "--part", "params")).code).toBe(0);
    expect((await validate(move, "--method", "move", "--part", "result")).code).toBe(1);
    expect((await validate('{"yes":true}', "--method", "confirm", "--part", "result")).code).toBe(0);
    expect((await validate("{}", "--method", "happened", "--part", "params")).code).toBe(1);
  });

  test("looks at the stable surface unless told otherwise", async () => {
    const words = ["--def", "Priority"];
    expect((await validate('"urgent"', ...words)).code).toBe(1);
    expect((await validate('"urgent"', ...words, "--experimental")).code).toBe(0);
    expect((await validate("{}", "--def", "Stocktake")).code).toBe(2);
    expect((await validate('{"counts":{}}', "--def", "Stocktake", "--surface", "experimental")).code).toBe(0);
  });

  test.each([
    [["--def", "Lime"], 'did you mean "Line"'],
    [["--def", "__proto__"], "no definition"],
    [["--method", "mvoe", "--part", "params"], 'did you mean "move"'],
    [["--method", "ping", "--part", "params"], "no params"],
    [["--method", "happened", "--part", "result"], "no result"],
    [["--method", "move", "--part", "error"], "--part"],
  ])("%j is a usage error", async (words, expected) => {
    const { code, stdout, stderr } = await validate("{}", ...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(expected);
  });

  test.each([
    ["nothing", "", "<stdin>:1:1: the value"],
    ["a value that nests too deep", '{"label":"x","parts":['.repeat(50_000), "<stdin>:1:"],
    [
      "a whole value that nests too deep",
      `${'{"label":"x","parts":['.repeat(50_000)}${"]}".repeat(50_000)}`,
      "<stdin>:1:1:",
    ],
  ])("%s is a finding", async (_, input, expected) => {
    const { code, stdout, stderr } = await validate(input, "--def", "Place");
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout.startsWith(expected)).toBe(true);
  });

  test("bytes that are no text are trouble", async () => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, "v.json"), Buffer.from([0x22, 0xff, 0x22]));
    const words = ["validate", "--schema", DEPOT_SCHEMA, "--def", "Sku", "v.json"];
    expect(await mspkit(words, { cwd })).toMatchObject({ code: 3, stdout: "" });
  });
});
