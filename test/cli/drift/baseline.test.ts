/** `mspkit baseline`: what it writes, what it takes away, and what it leaves. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mspkit, type Run } from "../../support/cli.js";
import { notesBundle } from "../../support/notes.js";
import { MSP_SCHEMA, ROOT, scratchFolder } from "../../support/repo.js";

const SCHEMA = "notes.schema.json";

function folderOf(text: string): string {
  const cwd = scratchFolder();
  writeFileSync(join(cwd, SCHEMA), text);
  return cwd;
}

function baseline(cwd: string, ...words: readonly string[]): Promise<Run> {
  return mspkit(["baseline", ...words, "--schema", SCHEMA], { cwd });
}

const noteIn = (cwd: string): Record<string, string> =>
  JSON.parse(readFileSync(join(cwd, "baseline/baseline.json"), "utf8")) as Record<string, string>;

describe("baseline set", () => {
  test("copies the schema byte by byte, and notes its release and fingerprint", async () => {
    const text = `${notesBundle()}\n\n`;
    const cwd = folderOf(text);
    const run = await baseline(cwd, "set", "--release", "1.2.0-rc.1");
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(cwd, "baseline", SCHEMA), "utf8")).toBe(text);
    const { stdout } = await mspkit(["fingerprint", "--schema", SCHEMA], { cwd });
    expect(noteIn(cwd)).toEqual({ release: "1.2.0-rc.1", fingerprint: stdout.trim() });
    expect(run.stdout).toBe(`baseline: release 1.2.0-rc.1: ${stdout}`);
    expect(readdirSync(join(cwd, "baseline")).sort()).toEqual(["baseline.json", SCHEMA]);
  });

  test("needs no release, and says what is missing then", async () => {
    const cwd = folderOf(notesBundle());
    const run = await baseline(cwd, "set");
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("--release");
    expect(Object.keys(noteIn(cwd))).toEqual(["fingerprint"]);
    expect((await baseline(cwd, "show")).stdout).toContain("no release is named");
  });

  test("starts a list of acknowledgments, and lets one be that is there", async () => {
    const cwd = folderOf(notesBundle());
    await baseline(cwd, "set");
    const file = join(cwd, "acknowledgments.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ acknowledgments: [], deprecations: [] });
    writeFileSync(file, '{"deprecations":[]}');
    await baseline(cwd, "set");
    expect(readFileSync(file, "utf8")).toBe('{"deprecations":[]}');
  });

  test("replaces a baseline of another name or kind, and leaves what is none of it", async () => {
    const cwd = folderOf(notesBundle());
    for (const path of ["stable", "experimental"])
      mkdirSync(join(cwd, "baseline", path), { recursive: true });
    for (const path of ["stable/n.schema.json", "experimental/n.schema.json", "old.schema.json", "README.md"])
      writeFileSync(join(cwd, "baseline", path), "x");
    expect((await baseline(cwd, "set")).code).toBe(0);
    expect(readdirSync(join(cwd, "baseline")).sort()).toEqual(["README.md", "baseline.json", SCHEMA]);
  });

  test("keeps both bundles of a pair, inside it", async () => {
    const cwd = scratchFolder();
    for (const surface of ["stable", "experimental"]) {
      mkdirSync(join(cwd, "pair", surface), { recursive: true });
      writeFileSync(join(cwd, "pair", surface, "n.schema.json"), notesBundle());
    }
    expect((await mspkit(["baseline", "set", "--schema", "pair"], { cwd })).code).toBe(0);
    expect(existsSync(join(cwd, "pair/baseline/experimental/n.schema.json"))).toBe(true);
    const gate = ["breaking", "--no-evidence", "--schema", "pair"];
    expect(await mspkit(gate, { cwd })).toMatchObject({ code: 0, stderr: "" });
    const less = notesBundle({ without: ["note/clear"] });
    for (const surface of ["stable", "experimental"])
      writeFileSync(join(cwd, "pair", surface, "n.schema.json"), less);
    expect((await mspkit(gate, { cwd })).code).toBe(1);
  });

  test("takes out what the move settles, and nothing else", async () => {
    const cwd = folderOf(notesBundle({ methods: ["note/old", "note/older"] }));
    await baseline(cwd, "set", "--release", "0.1.0");
    writeFileSync(join(cwd, SCHEMA), notesBundle({ methods: ["note/older"] }));
    const told = await mspkit(["breaking", "--no-evidence", "--json", "--schema", SCHEMA], { cwd });
    const { comparisons } = JSON.parse(told.stdout) as {
      comparisons: [{ changes: [{ id: string; pointer: string; rule: string }] }];
    };
    const { id, pointer, rule } = comparisons[0].changes[0];
    const row = { pointer, rule, reason: "Nobody calls it.", issue: "#3", acts: "clients", release: "0.2.0" };
    const announced = { firstNoticed: "0.1.0", removableFrom: "0.2.0", reason: row.reason, issue: "#3" };
    const stranger = { ...row, change: "0123456789abcdef" };
    const later = { ...announced, pointer: "/methods/note~1older" };
    const rows = [{ ...row, change: id }, stranger];
    const deprecations = [{ ...announced, pointer: "/methods/note~1old" }, later];
    writeFileSync(join(cwd, "acknowledgments.json"), JSON.stringify({ acknowledgments: rows, deprecations }));
    const run = await baseline(cwd, "set", "--release", "0.2.0");
    expect(run.code).toBe(0);
    expect(run.stdout.split("\n").slice(1)).toEqual([
      `settled: ${id} method-removed /methods/note~1old`,
      "over: the deprecation of /methods/note~1old",
      "",
    ]);
    expect(run.stderr).toContain("1 acknowledgment");
    expect(JSON.parse(readFileSync(join(cwd, "acknowledgments.json"), "utf8"))).toEqual({
      acknowledgments: [stranger],
      deprecations: [later],
    });
  });

  test("mends a baseline that cannot be used, and takes nothing out then", async () => {
    const cwd = folderOf(notesBundle());
    await baseline(cwd, "set");
    writeFileSync(join(cwd, "baseline", SCHEMA), "bad");
    const run = await baseline(cwd, "set");
    expect(run.code).toBe(0);
    expect(run.stderr).toContain("no acknowledgment is taken out");
    expect((await mspkit(["breaking", "--no-evidence", "--schema", SCHEMA], { cwd })).code).toBe(0);
  });

  test("writes nothing for a schema that is refused, and takes no release that is none", async () => {
    const cwd = folderOf('{"$schema":"x"');
    expect((await baseline(cwd, "set")).code).toBe(1);
    expect(await baseline(cwd, "set", "--release", "v1")).toMatchObject({ code: 2, stdout: "" });
    expect(readdirSync(cwd)).toEqual([SCHEMA]);
    expect((await mspkit(["baseline", "set", "--schema", "no.json"], { cwd })).code).toBe(3);
  });
});

describe("baseline show", () => {
  test("tells what is compared with, and whether it is the schema of today", async () => {
    const cwd = folderOf(notesBundle());
    await baseline(cwd, "set", "--release", "1.0.0");
    const { fingerprint } = noteIn(cwd);
    const file = join("baseline", SCHEMA);
    expect(await baseline(cwd, "show")).toEqual({
      code: 0,
      stdout: `${file}: release 1.0.0: ${fingerprint}\n${SCHEMA}: the same\n`,
      stderr: "",
    });
    writeFileSync(join(cwd, SCHEMA), notesBundle({ methods: ["note/more"] }));
    const json = await baseline(cwd, "show", "--json");
    expect(JSON.parse(json.stdout)).toEqual({ file, release: "1.0.0", fingerprint, same: false });
  });

  test("of a schema without one is trouble", async () => {
    expect(await baseline(folderOf(notesBundle()), "show")).toMatchObject({ code: 3, stdout: "" });
  });
});

describe("the project's own baseline", () => {
  test("is of the release that it says, and the schema passes the gate", async () => {
    const show = await mspkit(["baseline", "show", "--schema", MSP_SCHEMA, "--json"]);
    expect(show).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(show.stdout)).toMatchObject({
      file: "schema/msp/baseline/msp.schema.json",
      release: "1.4.13",
    });
    expect((await mspkit(["breaking", "--no-evidence"], { cwd: ROOT })).code).toBe(0);
  });
});
