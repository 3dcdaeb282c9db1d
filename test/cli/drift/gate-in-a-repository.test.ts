/** The gate over the life of a change: made, refused, acknowledged, left in peace, taken back, released. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Change } from "../../../codegen/drift/change.js";
import type { Finding } from "../../../codegen/index.js";
import { mspkit, type Run } from "../../support/cli.js";
import { Repository } from "../../support/git.js";
import { type NotesVersion, notesBundle } from "../../support/notes.js";

interface Report {
  readonly comparisons: readonly { readonly nextVersion?: string; readonly changes: readonly Change[] }[];
  readonly findings: readonly Finding[];
}

test("a breaking edit passes once it is acknowledged, and for as long as it is there", async () => {
  const repository = new Repository();
  const cwd = repository.folder;
  const schema = "schema/notes.schema.json";
  const run = (...words: readonly string[]): Promise<Run> => mspkit([...words, "--schema", schema], { cwd });
  const write = (version: NotesVersion = {}): void => repository.write(schema, notesBundle(version));
  const acknowledge = (...rows: readonly object[]): void =>
    repository.write("schema/acknowledgments.json", JSON.stringify({ acknowledgments: rows }));
  const gate = async (): Promise<{ readonly code: number | null; readonly report: Report }> => {
    const { code, stdout } = await run("breaking", "--json");
    return { code, report: JSON.parse(stdout) as Report };
  };

  write();
  repository.commit();
  expect(await run("breaking")).toMatchObject({ code: 3, stdout: "" });
  expect(await run("baseline", "set", "--release", "0.3.1")).toMatchObject({ code: 0 });
  repository.commit("v0.3.1");
  expect(await gate()).toMatchObject({
    code: 0,
    report: { comparisons: [{ nextVersion: "0.3.1", changes: [] }] },
  });

  const breaking: NotesVersion = { kinds: ["plain", "list", "table"] };
  write(breaking);
  const refused = await gate();
  expect(refused.code).toBe(1);
  const [change, ...others] = refused.report.comparisons[0]!.changes;
  expect(others).toEqual([]);
  expect(change).toMatchObject({
    rule: "value-added",
    pointer: "/$defs/Kind/enum",
    verdict: "breaking",
    breaks: ["old-client-new-host"],
    witness: { sender: "host", use: { message: "note/last", part: "result" }, value: { kind: "table" } },
  });
  expect(refused.report.comparisons[0]!.nextVersion).toBe("0.4.0");

  const acknowledgment = {
    change: change!.id,
    pointer: change!.pointer,
    rule: change!.rule,
    reason: "Clients were told a month ago.",
    issue: "#7",
    acts: "clients",
    release: "0.4.0",
  };
  acknowledge(acknowledgment);
  expect(await gate()).toMatchObject({ code: 0, report: { findings: [] } });
  repository.commit();

  // Something else moves, and lines with it: nothing has to be said again.
  write({
    ...breaking,
    params: { again: { description: "More words.", type: "string" } },
    methods: ["note/all"],
  });
  const unrelated = await gate();
  expect(unrelated.code).toBe(0);
  expect(
    unrelated.report.comparisons[0]!.changes.map(({ rule, verdict }) => `${verdict} ${rule}`).sort(),
  ).toEqual(["additive member-added", "additive method-added", "breaking value-added"]);
  repository.commit();

  // The same gate against what a commit has, and against the tag.
  for (const [base, code] of [
    ["git:v0.3.1", 0],
    [`git:HEAD~1:${schema}`, 1],
  ] as const) {
    const against = await run("breaking", "--json", "--against", base);
    expect([base, against.code]).toEqual([base, code]);
    const { findings } = JSON.parse(against.stdout) as Report;
    expect(findings.map(({ rule }) => rule)).toEqual(code === 0 ? [] : ["stale-acknowledgment"]);
  }

  write({ methods: ["note/all"] });
  const reverted = await gate();
  expect(reverted.code).toBe(1);
  expect(reverted.report.findings).toMatchObject([
    {
      rule: "stale-acknowledgment",
      file: "schema/acknowledgments.json",
      instanceLocation: "/acknowledgments/0",
    },
  ]);

  // With the change in a release, what was said of it is done with.
  write(breaking);
  const settled = await run("baseline", "set", "--release", "0.4.0");
  expect(settled.code).toBe(0);
  expect(settled.stdout).toContain(`settled: ${change!.id} value-added /$defs/Kind/enum\n`);
  expect(JSON.parse(readFileSync(join(cwd, "schema/acknowledgments.json"), "utf8"))).toEqual({
    acknowledgments: [],
    deprecations: [],
  });
  expect(await gate()).toMatchObject({ code: 0, report: { comparisons: [{ changes: [] }], findings: [] } });
});
