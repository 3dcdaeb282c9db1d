/** `mspkit lint` and `mspkit explain`: findings for people, programs and workflows; what a rule is about. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { driftRules } from "../../codegen/drift/rules.js";
import { rules } from "../../codegen/index.js";
import { catalog } from "../../src/laws/catalog.js";
import { transcriptRules } from "../../src/transcripts/index.js";
import { mspkit } from "../support/cli.js";
import { bundleText } from "../support/marked.js";
import { DEPOT_SCHEMA, scratchFolder } from "../support/repo.js";

function folderWith(body: string, name = "b.json"): string {
  const cwd = scratchFolder();
  writeFileSync(join(cwd, name), bundleText(body));
  return cwd;
}

const BAD = '"$defs": { "A": { "type": "strnig", "x-note": 1 } }';

describe("lint", () => {
  test("says one finding a line with its place, and exits 1 on an error", async () => {
    const { code, stdout, stderr } = await mspkit(["lint", "--schema", "b.json"], { cwd: folderWith(BAD) });
    expect(code).toBe(1);
    expect(stdout.split("\n").map((line) => line.split(": ").slice(0, 2).join(": "))).toEqual([
      "b.json:3:21: error unknown-type",
      "b.json:3:39: note foreign-annotation",
      "",
    ]);
    expect(stderr).toBe("b.json: 1 error, 1 note\n");
  });

  test("exits 0 on warnings unless they are denied", async () => {
    const cwd = folderWith('"$defs": { "A": { "type": "string" } }');
    const lint = (...words: string[]): Promise<number | null> =>
      mspkit(["lint", "--schema", "b.json", ...words], { cwd }).then(({ code }) => code);
    expect([await lint(), await lint("--deny-warnings")]).toEqual([0, 1]);
    // Notes are no warnings.
    writeFileSync(
      join(cwd, "b.json"),
      bundleText('"$defs": { "A": { "description": "A.", "x-msp-role": "record", "x-note": 1 } }'),
    );
    expect(await lint("--deny-warnings")).toBe(0);
  });

  test("says nothing on stdout of a schema without findings", async () => {
    const cwd = folderWith('"$defs": {}');
    expect(await mspkit(["lint", "--schema", "b.json"], { cwd })).toEqual({
      code: 0,
      stdout: "",
      stderr: "b.json: nothing found\n",
    });
  });

  test("--json has rule, severity, place and parameters", async () => {
    const { code, stdout, stderr } = await mspkit(["lint", "--schema", "b.json", "--json"], {
      cwd: folderWith(BAD),
    });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject([
      {
        rule: "unknown-type",
        severity: "error",
        instanceLocation: "/$defs/A/type",
        file: "b.json",
        line: 3,
        column: 21,
        params: { type: "strnig" },
      },
      { rule: "foreign-annotation", severity: "note", instanceLocation: "/$defs/A/x-note" },
    ]);
  });

  test("--format github-actions escapes what a workflow command would take for its own", async () => {
    const cwd = folderWith('"$defs": { "A": { "type": "a%b\\r\\nc::d,e" } }', "a,b%:c.json");
    const words = ["lint", "--schema", "a,b%:c.json", "--format", "github-actions"];
    const { code, stdout } = await mspkit(words, { cwd });
    expect(code).toBe(1);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toBe(
      '::error file=a%2Cb%25%3Ac.json,line=3,col=21,title=unknown-type::"a%25b%0D%0Ac::d,e" is not a JSON type',
    );
    const note = await mspkit(["lint", "--schema", "b.json", "--format", "github-actions"], {
      cwd: folderWith(BAD),
    });
    expect(note.stdout).toMatch(/^::notice file=b\.json,line=3,col=39,title=foreign-annotation::/m);
  });

  test("reports an excuse without use for its own schema, once all rules could be checked", async () => {
    const cwd = folderWith('"$defs": {}');
    const excuses = [{ pointer: "/$defs/A", rule: "unused-definition", reason: "Kept." }];
    writeFileSync(join(cwd, "mspkit.config.json"), JSON.stringify({ schema: "b.json", excuses }));
    expect(await mspkit(["lint"], { cwd })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("unused-excuse"),
    });
    expect((await mspkit(["lint", "--schema", DEPOT_SCHEMA], { cwd })).stdout).not.toContain("unused-excuse");
    writeFileSync(join(cwd, "b.json"), bundleText('"nope": 1'));
    expect((await mspkit(["lint"], { cwd })).stdout).not.toContain("unused-excuse");
  });

  test("of a lone experimental bundle without a mark asks for the other half, unless that is not needed", async () => {
    const cwd = scratchFolder();
    mkdirSync(join(cwd, "experimental"));
    writeFileSync(join(cwd, "experimental/b.json"), bundleText('"$defs": {}'));
    writeFileSync(join(cwd, "experimental/manifest.json"), '{ "experimental": true, "schemaVersion": 1 }');
    const run = (...words: string[]): ReturnType<typeof mspkit> =>
      mspkit([...words, "--schema", "experimental/b.json"], { cwd });
    const told = /^experimental\/b\.json:1:1: error stable-surface-unknown: /;
    expect(await run("lint")).toMatchObject({ code: 1, stdout: expect.stringMatching(told) });
    expect(await run("lint", "--experimental")).toMatchObject({ code: 0 });
    expect(await run("fingerprint")).toMatchObject({ code: 1, stderr: expect.stringMatching(told) });
    expect(await run("fingerprint", "--surface", "experimental")).toMatchObject({ code: 0 });
    expect(await run("generate", "--out", "o")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(told),
    });
    expect(await run("generate", "--out", "o", "--experimental")).toMatchObject({ code: 0 });
  });
});

describe("explain", () => {
  test("lists every rule and every law, and tells of each rule why and what to do", async () => {
    const { code, stdout } = await mspkit(["explain"]);
    expect(code).toBe(0);
    const tables = [rules, transcriptRules, driftRules].flatMap((table) => Object.keys(table));
    const ids = [...tables, ...catalog.map(({ id }) => id)];
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(JSON.parse((await mspkit(["explain", "--json"])).stdout)).toEqual({
      ...rules,
      ...transcriptRules,
      ...driftRules,
      ...Object.fromEntries(
        catalog.map(({ id, level, promise, needs, least, runs }) => [
          id,
          { id, level, promise, needs, least, runs },
        ]),
      ),
    });
    const one = await mspkit(["explain", "stability-leak"]);
    expect(one.code).toBe(0);
    for (const text of ["stability-leak (error)", rules["stability-leak"].why, rules["stability-leak"].fix])
      expect(one.stdout).toContain(text);
    expect(JSON.parse((await mspkit(["explain", "name-clash", "--json"])).stdout)).toEqual({
      id: "name-clash",
      ...rules["name-clash"],
    });
  });

  test("tells of a rule of drift whom it breaks, with an example", async () => {
    const { code, stdout } = await mspkit(["explain", "member-required"]);
    expect(code).toBe(0);
    const { purpose, breaks, example, fix } = driftRules["member-required"];
    for (const text of [
      "member-required (a rule of drift)",
      purpose,
      breaks,
      example.before,
      example.after,
      fix,
    ])
      expect(stdout).toContain(text);
    expect(JSON.parse((await mspkit(["explain", "value-added", "--json"])).stdout)).toEqual({
      id: "value-added",
      ...driftRules["value-added"],
    });
  });

  test("tells of a law what is promised and what it needs", async () => {
    const { code, stdout } = await mspkit(["explain", "replay-identity"]);
    expect(code).toBe(0);
    const { promise, needs } = catalog.find(({ id }) => id === "replay-identity")!;
    for (const text of ["replay-identity (a law of level core)", promise, ...needs])
      expect(stdout).toContain(text);
  });

  test.each(["stability-leek", "toString", "__proto__"])("of %s is a usage error", async (id) => {
    const { code, stdout, stderr } = await mspkit(["explain", id]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    if (id === "stability-leek") expect(stderr).toContain('did you mean "stability-leak"');
  });
});
