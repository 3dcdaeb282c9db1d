/** `mspkit changelog`: from one version to another, by what it means for whom. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mspkit, type Run } from "../../support/cli.js";
import { notesBundle } from "../../support/notes.js";
import { hasReference, REFERENCE, scratchFolder } from "../../support/repo.js";

function folder(): string {
  const cwd = scratchFolder();
  const files = {
    "notes.schema.json": notesBundle({ methods: ["note/more"] }),
    "old.json": notesBundle({ methods: ["note/gone"] }),
    "table.json": JSON.stringify([
      { release: "0.1.0", surface: "old.json" },
      { release: "0.2.0", surface: "notes.schema.json" },
    ]),
  };
  for (const [path, text] of Object.entries(files)) writeFileSync(join(cwd, path), text);
  return cwd;
}

const changelog = (cwd: string, ...words: readonly string[]): Promise<Run> =>
  mspkit(["changelog", "--no-evidence", "--schema", "notes.schema.json", ...words], { cwd });

describe("a changelog", () => {
  test("names the releases, and gives no advice on one that has its name", async () => {
    const run = await changelog(
      folder(),
      "--from",
      "release:0.1.0",
      "--to",
      "release:0.2.0",
      "--releases",
      "table.json",
    );
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(run.stdout).toMatch(/^## .*0\.1\.0 to 0\.2\.0\n/);
    expect(run.stdout).toContain("note/gone");
    expect(run.stdout).toContain("note/more");
    expect(run.stdout).not.toContain("next version");
  });

  test("goes to the schema of today where nothing else is said, and tells the next version", async () => {
    const run = await changelog(folder(), "--from", "release:0.1.0", "--releases", "table.json");
    expect(run.stdout).toMatch(/^## .*0\.1\.0 to notes\.schema\.json\n/);
    expect(run.stdout).toContain("0.2.0");
  });

  test("comes from the baseline where nothing else is said", async () => {
    const cwd = folder();
    expect(await changelog(cwd)).toMatchObject({ code: 3, stdout: "" });
    await mspkit(["baseline", "set", "--schema", "notes.schema.json", "--release", "0.2.0"], { cwd });
    expect((await changelog(cwd)).stdout).toMatch(
      /^## .*0\.2\.0 to notes\.schema\.json\n\n[\s\S]*Nothing changed\./,
    );
  });

  test("has the reason of what is acknowledged", async () => {
    const cwd = folder();
    const words = ["--from", "old.json"];
    const json = await mspkit(
      ["diff", "--no-evidence", "--json", "--schema", "notes.schema.json", "--against", "old.json"],
      { cwd },
    );
    const { comparisons } = JSON.parse(json.stdout) as {
      comparisons: [{ changes: { id: string; pointer: string; rule: string }[] }];
    };
    const removed = comparisons[0].changes.find(({ rule }) => rule === "method-removed")!;
    const reason = "Nobody has called it for a year.";
    const row = { change: removed.id, pointer: removed.pointer, rule: removed.rule, reason };
    const rows = [{ ...row, issue: "#4", acts: "clients", release: "0.2.0" }];
    expect((await changelog(cwd, ...words)).stdout).not.toContain(reason);
    writeFileSync(join(cwd, "acknowledgments.json"), JSON.stringify({ acknowledgments: rows }));
    expect((await changelog(cwd, ...words)).stdout).toContain(reason);
  });

  test("goes to a file where one is named", async () => {
    const cwd = folder();
    const told = (await changelog(cwd, "--from", "old.json")).stdout;
    expect(await changelog(cwd, "--from", "old.json", "--out", "FRAGMENT.md")).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    expect(readFileSync(join(cwd, "FRAGMENT.md"), "utf8")).toBe(told);
  });

  test("of what is not there is trouble, and of wrong words usage", async () => {
    const cwd = folder();
    for (const words of [
      ["--from", "nope.json"],
      ["--from", "old.json", "--to", "nope.json"],
      ["--from", "release:0.1.0"],
    ])
      expect(await changelog(cwd, ...words)).toMatchObject({ code: 3, stdout: "" });
    for (const words of [
      ["--from", ""],
      ["--to", "git:"],
    ])
      expect(await changelog(cwd, ...words)).toMatchObject({ code: 2, stdout: "" });
  });

  test.skipIf(!hasReference)("of the protocol's own history has its known facts", async () => {
    const words = ["changelog", "--no-evidence", "--releases", join(REFERENCE, "releases.json")];
    const { code, stdout } = await mspkit([...words, "--from", "release:1.4.2", "--to", "release:1.4.13"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^## .*1\.4\.2 to 1\.4\.13\n/);
    expect(stdout).toContain("session/delete");
    const none = await mspkit([...words, "--from", "release:1.4.9", "--to", "release:1.4.10"]);
    expect(none.stdout).toContain("Nothing changed.");
  });
});
