/** What `--against` may name, and what is said where it names nothing that can be compared with. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { mspkit, type Run } from "../../support/cli.js";
import { Repository } from "../../support/git.js";
import { notesBundle } from "../../support/notes.js";
import { scratchFolder } from "../../support/repo.js";

const OLD = notesBundle({ methods: ["note/gone"] });
const NEW = notesBundle();

/** A folder with files by path; the schema of today is `notes.schema.json`. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const cwd = scratchFolder();
  for (const [path, text] of Object.entries({ "notes.schema.json": NEW, ...files })) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  return cwd;
}

function breaking(cwd: string, ...words: readonly string[]): Promise<Run> {
  return mspkit(["breaking", "--no-evidence", "--json", "--schema", "notes.schema.json", ...words], { cwd });
}

/** The rules of the changes, by base. */
function rulesIn({ stdout }: Run): Record<string, string[]> {
  const { comparisons } = JSON.parse(stdout) as {
    readonly comparisons: readonly {
      readonly base: string;
      readonly changes: readonly { readonly rule: string }[];
    }[];
  };
  return Object.fromEntries(comparisons.map(({ base, changes }) => [base, changes.map(({ rule }) => rule)]));
}

/** A history with an old version under every form; the working tree has the new one. */
function historyOf(): string {
  const repository = new Repository();
  const pair = ["pair/stable/n.schema.json", "pair/experimental/n.schema.json"];
  for (const path of ["api/notes.schema.json", "old/o.schema.json", "half/stable/n.schema.json", ...pair])
    repository.write(path, OLD);
  repository.write("bad.json", "bad");
  repository.commit("v1.0.0");
  repository.write("api/notes.schema.json", NEW);
  repository.commit();
  return repository.folder;
}

const table = (rows: readonly object[]): string => JSON.stringify(rows);

describe("a version is found", () => {
  test.each([
    ["in a file", "old/notes.schema.json", { "old/notes.schema.json": OLD }],
    ["in a folder that has one bundle", "old", { "old/notes.schema.json": OLD, "old/README.md": "Old." }],
    [
      "in the pair of a folder",
      "pair",
      { "pair/stable/n.schema.json": OLD, "pair/experimental/n.schema.json": OLD },
    ],
    [
      "by its release in a table",
      "release:1.0.0",
      { "t/releases.json": table([{ release: "1.0.0", surface: "../old.json" }]), "old.json": OLD },
    ],
    [
      "by its release, as a pair",
      "release:1.0.0",
      {
        "t/releases.json": JSON.stringify({ releases: [{ release: "1.0.0", surface: "pair" }] }),
        "t/pair/stable/n.schema.json": OLD,
        "t/pair/experimental/n.schema.json": OLD,
      },
    ],
    [
      "in an installed package",
      "package:notes",
      {
        "node_modules/notes/package.json": '{"version":"1.0.0"}',
        "node_modules/notes/schema/msp/msp.schema.json": OLD,
      },
    ],
    [
      "at a path of a package with a scope",
      "package:@a/notes/s/old.json",
      { "node_modules/@a/notes/package.json": "{}", "node_modules/@a/notes/s/old.json": OLD },
    ],
  ] as const)("%s", async (_, base, files) => {
    const releases = Object.hasOwn(files, "t/releases.json") ? ["--releases", "t/releases.json"] : [];
    const run = await breaking(folderOf(files), "--against", base, ...releases);
    expect(run).toMatchObject({ code: 1, stderr: "" });
    expect(rulesIn(run)).toEqual({ [base]: ["method-removed"] });
  });

  test.each([
    ["git:v1.0.0", "at the place of the schema"],
    ["git:v1.0.0:api/notes.schema.json", "at a path from the root"],
    ["git:v1.0.0:./notes.schema.json", "at a path from the working folder"],
    ["git:v1.0.0:api/../api/notes.schema.json", "at a path that goes up again"],
    ["git:v1.0.0:old", "in a folder that has one bundle"],
    ["git:v1.0.0:pair", "in the pair of a folder"],
    ["git:refs/tags/v1.0.0:old/", "by the whole name of a tag"],
    ["git:main~1", "by a branch and steps from it"],
  ])("in Git: %s, %s", async (base) => {
    const run = await breaking(join(historyOf(), "api"), "--against", base);
    expect(run).toMatchObject({ code: 1, stderr: "" });
    expect(rulesIn(run)).toEqual({ [base]: ["method-removed"] });
  });

  test("with a comma in its path", async () => {
    const run = await breaking(folderOf({ "a,b/o.schema.json": OLD }), "--against", "a,b");
    expect(rulesIn(run)).toEqual({ "a,b": ["method-removed"] });
  });

  test("in the baseline beside the schema where none is named", async () => {
    const cwd = folderOf({});
    writeFileSync(join(cwd, "notes.schema.json"), OLD);
    expect((await mspkit(["baseline", "set", "--schema", "notes.schema.json"], { cwd })).code).toBe(0);
    writeFileSync(join(cwd, "notes.schema.json"), NEW);
    const run = await breaking(cwd);
    expect(rulesIn(run)).toEqual({ baseline: ["method-removed"] });
    expect(run.code).toBe(1);
  });
});

describe("several versions at once", () => {
  const files = { "old.json": OLD, "same.json": NEW, "more.json": notesBundle({ without: ["note/last"] }) };

  test("are each reported, and the worst is the exit code", async () => {
    const cwd = folderOf(files);
    const run = await breaking(
      cwd,
      ...["same.json", "old.json", "more.json"].flatMap((one) => ["--against", one]),
    );
    expect(run).toMatchObject({ code: 1, stderr: "" });
    expect(rulesIn(run)).toMatchObject({ "same.json": [], "old.json": ["method-removed"] });
    expect(rulesIn(run)["more.json"]).toContain("method-added");
    expect((await breaking(cwd, "--against", "same.json", "--against", "more.json")).code).toBe(0);
  });

  test("are one where one is named twice", async () => {
    const run = await breaking(folderOf(files), "--against", "same.json", "--against", "same.json");
    expect((JSON.parse(run.stdout) as { comparisons: unknown[] }).comparisons).toHaveLength(1);
  });

  test("are reported beside one that is not there, and that is trouble", async () => {
    const run = await breaking(folderOf(files), "--against", "nope.json", "--against", "old.json");
    expect(run.code).toBe(3);
    expect(run.stderr).toMatch(/^mspkit: nope\.json: /);
    expect(rulesIn(run)).toEqual({ "old.json": ["method-removed"] });
  });

  test("say nothing on stdout where none is there", async () => {
    const run = await breaking(folderOf({}), "--against", "nope.json", "--against", "nor.json");
    expect(run).toMatchObject({ code: 3, stdout: "" });
    expect(run.stderr.match(/^mspkit: /gm)).toHaveLength(2);
  });

  test("make an acknowledgment stale only where it matches none of them", async () => {
    const cwd = folderOf(files);
    const first = JSON.parse((await breaking(cwd, "--against", "old.json")).stdout) as {
      comparisons: [{ changes: [{ id: string; pointer: string; rule: string }] }];
    };
    const { id, pointer, rule } = first.comparisons[0].changes[0];
    const row = {
      change: id,
      pointer,
      rule,
      reason: "It is not used.",
      issue: "#1",
      acts: "nobody",
      release: "0.2.0",
    };
    writeFileSync(join(cwd, "acknowledgments.json"), JSON.stringify({ acknowledgments: [row] }));
    expect((await breaking(cwd, "--against", "same.json", "--against", "old.json")).code).toBe(0);
    expect((await breaking(cwd, "--against", "same.json")).code).toBe(1);
  });
});

/** What is meant, its reference, what is said of it, and the table of releases. */
type Trouble = [what: string, base: string | undefined, why: RegExp, releases?: string];

describe("what cannot be compared with is trouble, never no change", () => {
  const rows = table([{ release: "1.0.0", surface: "nope.json" }, { release: "1.1.0" }]);

  test.each<Trouble>([
    ["a file that is not there", "nope.json", /does not exist/],
    ["a folder without a bundle", "empty", /holds 0 files/],
    ["a folder with two bundles", "two", /holds 2 files/],
    ["half a pair", "half", /experimental: does not exist/],
    ["a file that is no bundle", "bad.json", /bad\.json:1:1: error json-syntax/],
    ["an empty file", "none.json", /bundle-empty/],
    ["a release without a table", "release:1.0.0", /--releases/],
    [
      "a release that the table has not",
      "release:9.9.9",
      /is not in table\.json\nIt has 1\.0\.0, 1\.1\.0\./,
      "table.json",
    ],
    ["a release without a bundle", "release:1.1.0", /has no bundle/, "table.json"],
    ["a release whose bundle is not there", "release:1.0.0", /nope\.json: does not exist/, "table.json"],
    ["a table that is not there", "release:1.0.0", /no\.json: does not exist/, "no.json"],
    ["a table that is none", "release:1.0.0", /is no table of releases/, "bad.json"],
    ["a table of something else", "release:1.0.0", /no array/, "notes.schema.json"],
    ["a table with a bad row", "release:1.0.0", /row 1 has no release/, "rows.json"],
    ["a table with a release twice", "release:1.0.0", /1\.0\.0 twice/, "twice.json"],
    ["a package that is not installed", "package:nope", /npm install --save-dev nope/],
    ["a package without that file", "package:notes/x.json", /does not exist/],
    ["a folder that is no repository", "git:HEAD", /git:HEAD: not a git repository/],
    ["a baseline that is not there", undefined, /there is no baseline\nmspkit baseline set/],
  ])("%s", async (_, base, why, releases) => {
    const cwd = folderOf({
      "empty/README.md": "",
      "two/a.schema.json": OLD,
      "two/b.schema.json": OLD,
      "half/stable/a.schema.json": OLD,
      "bad.json": "bad",
      "none.json": "",
      "table.json": rows,
      "rows.json": table([{ release: "latest" }]),
      "twice.json": table([{ release: "1.0.0" }, { release: "1.0.0" }]),
      "node_modules/notes/package.json": "{}",
    });
    const words = [
      ...(base === undefined ? [] : ["--against", base]),
      ...(releases === undefined ? [] : ["--releases", releases]),
    ];
    const { code, stdout, stderr } = await breaking(cwd, ...words);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(why);
  });

  test.each([
    ["git:v9.9.9", /there is no such commit, branch or tag/],
    ["git:v1.0.0:nope.json", /nope\.json: is not in that commit/],
    ["git:v1.0.0:half", /is not in that commit/],
    ["git:v1.0.0:bad.json", /git:v1\.0\.0:bad\.json:1:1: error json-syntax/],
  ])("in Git: %s", async (base, why) => {
    const { code, stdout, stderr } = await breaking(join(historyOf(), "api"), "--against", base);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(why);
  });

  test("without Git", async () => {
    const env = { PATH: scratchFolder() };
    const words = ["diff", "--no-evidence", "--schema", "notes.schema.json", "--against", "git:HEAD"];
    const { code, stderr } = await mspkit(words, { cwd: folderOf({}), env });
    expect(code).toBe(3);
    expect(stderr).toBe("mspkit: git: is not installed\n");
  });

  test("a baseline that was edited by hand", async () => {
    const cwd = folderOf({});
    expect((await mspkit(["baseline", "set", "--schema", "notes.schema.json"], { cwd })).code).toBe(0);
    expect((await breaking(cwd)).code).toBe(0);
    writeFileSync(join(cwd, "baseline/notes.schema.json"), OLD);
    const run = await breaking(cwd);
    expect(run).toMatchObject({ code: 3, stdout: "" });
    expect(run.stderr).toContain("mspkit baseline set");
  });
});

describe("wrong words are no reference", () => {
  test.each([
    "",
    "git:",
    "git::x",
    "git:HEAD:",
    "git:--output=x:y",
    "release:",
    "package:",
    "package:..",
    "package:/x",
  ])("%j", async (base) => {
    const { code, stdout, stderr } = await breaking(folderOf({}), "--against", base);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^mspkit: --against/);
  });
});
