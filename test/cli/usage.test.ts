/** Words: help, versions, slips; and trouble that is no verdict. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mspkit } from "../support/cli.js";
import { DEPOT_SCHEMA, ROOT, scratchFolder } from "../support/repo.js";

const COMMANDS = [
  "generate",
  "lint",
  "format",
  "fingerprint",
  "breaking",
  "diff",
  "changelog",
  "validate",
  "explain",
];

describe("help", () => {
  test("lists the commands and the exit codes", async () => {
    const { code, stdout, stderr } = await mspkit(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${name} +\\w`, "m"));
    expect(stdout).toContain("Exit codes: 0");
    expect((await mspkit(["help"])).stdout).toBe(stdout);
    expect(await mspkit([])).toEqual({ code: 2, stdout, stderr: "" });
  });

  test.each(COMMANDS)("of %s says what it takes", async (name) => {
    const { code, stdout, stderr } = await mspkit([name, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: mspkit ${name} \\[options\\]`));
    expect(stdout).toMatch(/^ +--\w/m);
    expect((await mspkit(["help", name])).stdout).toBe(stdout);
    expect((await mspkit([name, "-h"])).stdout).toBe(stdout);
  });

  test("--version is the package's", async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
    expect(await mspkit(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });
});

describe("wrong words exit 2, print nothing on stdout, and say what was meant", () => {
  test.each([
    [["lnit"], 'did you mean "lint"'],
    [["toString"], "no command"],
    [["help", "formt"], 'did you mean "format"'],
    [["generate", "--shcema", "x"], 'did you mean "--schema"'],
    [["generate", "x"], 'unexpected "x"'],
    [["generate", "--only", "typs"], 'did you mean "types"'],
    [["generate", "--only", ""], "no product"],
    [["generate", "--surface", "both"], '"both"'],
    [["generate", "--experimental", "--surface", "stable"], "contradict"],
    [["generate", "--watch", "--check"], "contradict"],
    [["generate", "--summary", "html"], '"html"'],
    [["generate", "--out", ""], "--out"],
    [["lint", "--schema", ""], "--schema"],
    [["lint", "--schema"], "--schema"],
    [["lint", "--format", "xml"], '"xml"'],
    [["lint", "--surface", "all"], '"all"'],
    [["lint", "--check=yes"], "--check"],
    [["fingerprint", "--experimental", "--surface", "stable"], "contradict"],
    [["validate"], "--def or --method"],
    [["validate", "--def", "A", "--method", "m"], "--def or --method"],
    [["validate", "--method", "m"], "--part"],
    [["validate", "--def", "A", "--part", "params"], "--part"],
  ])("%j", async (words, expected) => {
    const { code, stdout, stderr } = await mspkit(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^mspkit: /);
    expect(stderr).toContain(expected);
  });
});

describe("trouble exits 3 and shows no stack", () => {
  test.each([...COMMANDS.filter((name) => name !== "explain" && name !== "validate"), "validate --def A"])(
    "%s of a schema that is not there",
    async (words) => {
      const { code, stdout, stderr } = await mspkit([...words.split(" "), "--schema", "nope/b.json"], {
        cwd: scratchFolder(),
      });
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      expect(stderr).toMatch(/^mspkit: nope\/b\.json: does not exist\n$/);
    },
  );

  test("a folder that holds no pair", async () => {
    const { code, stderr } = await mspkit(["lint", "--schema", "."], { cwd: scratchFolder() });
    expect(code).toBe(3);
    expect(stderr).toContain("stable");
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test.skipIf(process.platform !== "linux")("a standard output that takes nothing", () => {
    const program = join(ROOT, "dist/bin/mspkit.cjs");
    const { status, stderr } = spawnSync(
      "sh",
      ["-c", `"${process.execPath}" "${program}" explain >/dev/full`],
      {
        encoding: "utf8",
      },
    );
    expect(status).toBe(3);
    expect(stderr).toMatch(/^mspkit: standard output cannot be written: .*\n$/);
  });
});

describe("a configuration that is wrong", () => {
  test.each(COMMANDS.filter((name) => name !== "explain"))("refuses %s at its place", async (name) => {
    const cwd = scratchFolder();
    writeFileSync(join(cwd, "mspkit.config.json"), '{\n  "schem": "b.json"\n}');
    const { code, stdout, stderr } = await mspkit([name, "--schema", DEPOT_SCHEMA], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/mspkit\.config\.json:2:3: error invalid-config: .*\n$/);
  });
});
