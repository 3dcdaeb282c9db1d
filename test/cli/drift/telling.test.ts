/** How a comparison is told: every form, the words that choose one, the exit code, and what is told beside changes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mspkit, type Run } from "../../support/cli.js";
import { notesBundle } from "../../support/notes.js";
import { hasReference, REFERENCE, scratchFolder } from "../../support/repo.js";

const OLD = notesBundle({ methods: ["note/gone"] });
const NEW = notesBundle();

function folderOf(files: Readonly<Record<string, string>>): string {
  const cwd = scratchFolder();
  for (const [path, text] of Object.entries({ "old.json": OLD, "new.json": NEW, ...files }))
    writeFileSync(join(cwd, path), text);
  return cwd;
}

/** Compares `old.json` with `new.json`, and tries nothing. */
function compare(cwd: string, command: "breaking" | "diff", ...words: readonly string[]): Promise<Run> {
  const versions = ["--schema", "new.json", "--against", "old.json"];
  return mspkit([command, "--no-evidence", ...versions, ...words], { cwd });
}

describe("a comparison is told", () => {
  const FORMS = [
    ["text", /^old\.json:\d+:\d+: breaking method-removed: note\/gone: /],
    ["json", /^\{\n {2}"comparisons": \[/],
    ["github-actions", /^::error file=old\.json,line=\d+,/],
    ["junit", /^<\?xml version="1\.0"/],
    ["md", /^#+ /],
  ] as const;

  test.each(FORMS)("as %s", async (format, begins) => {
    const { code, stdout, stderr } = await compare(folderOf({}), "breaking", "--format", format);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toMatch(begins);
    expect(stdout).toContain("note/gone");
    expect(stdout.endsWith("\n")).toBe(true);
  });

  test("in a file, and as text beside it", async () => {
    const cwd = folderOf({});
    const text = (await compare(cwd, "breaking")).stdout;
    const json = (await compare(cwd, "breaking", "--json")).stdout;
    const run = await compare(cwd, "breaking", "--json", "--out", "report.json");
    expect(run).toEqual({ code: 1, stdout: text, stderr: "" });
    expect(readFileSync(join(cwd, "report.json"), "utf8")).toBe(json);
    expect((await compare(cwd, "breaking", "--json", "--out", "no/report.json")).code).toBe(3);
  });

  test("in JSON with rule, pointer, verdict and whom it breaks; and with a witness where something is tried", async () => {
    const cwd = folderOf({});
    const words = [
      "breaking",
      "--json",
      "--runs",
      "20",
      "--seed",
      "7",
      "--schema",
      "new.json",
      "--against",
      "old.json",
    ];
    const { code, stdout } = await mspkit(words, { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      comparisons: [
        {
          changes: [
            {
              rule: "method-removed",
              pointer: "/methods/note~1gone",
              verdict: "breaking",
              breaks: ["old-client-new-host"],
              witness: { sender: "client", use: { message: "note/gone" }, refusal: { keyword: "method" } },
            },
          ],
        },
      ],
    });
    expect((await mspkit(words, { cwd })).stdout).toBe(stdout);
  });

  test("by diff as by breaking, but without a verdict", async () => {
    const cwd = folderOf({ "acknowledgments.json": "not read" });
    const { code, stdout, stderr } = await compare(cwd, "diff", "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [change] = (JSON.parse(stdout) as { comparisons: [{ changes: [Record<string, unknown>] }] })
      .comparisons[0].changes;
    expect(change).toMatchObject({ rule: "method-removed", verdict: "breaking" });
    expect(change).not.toHaveProperty("standing");
    expect((await compare(cwd, "breaking")).code).toBe(1);
    expect((await compare(cwd, "diff", "--against", "nope.json")).code).toBe(3);
  });
});

describe("a schema that is refused", () => {
  test("is a finding, and a base that is refused is trouble", async () => {
    const bad = NEW.replace('"type": "string"', '"type": "strnig"');
    const head = await compare(folderOf({ "new.json": bad }), "breaking");
    expect(head).toMatchObject({ code: 1, stdout: "" });
    expect(head.stderr).toMatch(/^new\.json:\d+:\d+: error unknown-type/);
    const base = await compare(folderOf({ "old.json": bad }), "breaking");
    expect(base).toMatchObject({ code: 3, stdout: "" });
    expect(base.stderr).toMatch(
      /^mspkit: old\.json: cannot be compared with: old\.json:\d+:\d+: error unknown-type/,
    );
  });

  test("is none for a keyword that the dialect lacks: the comparison names it, and fails closed", async () => {
    const cwd = folderOf({
      "old.json": NEW,
      "new.json": notesBundle({ keywords: { unevaluatedProperties: false } }),
    });
    const { code, stdout } = await compare(cwd, "breaking", "--json");
    expect(code).toBe(1);
    const { comparisons } = JSON.parse(stdout) as { comparisons: [{ changes: Record<string, unknown>[] }] };
    expect(comparisons[0].changes).toMatchObject([
      {
        rule: "keyword-changed",
        verdict: "unknown",
        pointer: expect.stringContaining("unevaluatedProperties"),
      },
    ]);
  });
});

describe("acknowledgments", () => {
  test("are read strictly, at their place", async () => {
    const cwd = folderOf({ "acknowledgments.json": '{\n  "acknowledgment": []\n}' });
    const run = await compare(cwd, "breaking");
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^acknowledgments\.json:2:3: error invalid-acknowledgments: /);
    expect((await compare(cwd, "breaking", "--acknowledgments", "nope.json")).code).toBe(3);
  });
});

describe("an older release that is put back", () => {
  const rows = (...releases: readonly [string, string][]): string =>
    JSON.stringify(releases.map(([release, surface]) => ({ release, surface })));
  const files = {
    "first.json": NEW,
    "second.json": notesBundle({ methods: ["note/second"] }),
    "table.json": rows(["0.1.0", "first.json"], ["0.2.0", "second.json"]),
    "new.json": NEW,
  };
  const rulesOf = ({ stdout }: Run): string[] =>
    (JSON.parse(stdout) as { findings: { rule: string }[] }).findings.map(({ rule }) => rule);
  const against = (base: string, schema: string, ...words: readonly string[]): Promise<Run> =>
    mspkit(
      [
        "breaking",
        "--no-evidence",
        "--json",
        "--releases",
        "table.json",
        "--against",
        base,
        "--schema",
        schema,
        ...words,
      ],
      { cwd: folderOf(files) },
    );

  test("is told as a roll-back, and fails", async () => {
    const run = await against("release:0.2.0", "new.json");
    expect(run.code).toBe(1);
    expect(rulesOf(run)).toEqual(["schema-rolled-back"]);
  });

  test("is none where the head is later, or the same", async () => {
    for (const [base, head] of [
      ["release:0.1.0", "second.json"],
      ["release:0.2.0", "second.json"],
      ["release:0.1.0", "new.json"],
    ] as const) {
      const run = await against(base, head);
      expect([base, head, run.code, rulesOf(run)]).toEqual([base, head, 0, []]);
    }
  });

  test.skipIf(!hasReference)("is told of the protocol's own releases without a table", async () => {
    const old = join(REFERENCE, "releases/1.4.12.json");
    const words = ["diff", "--no-evidence", "--json", "--schema", old];
    const run = await mspkit([...words, "--against", join(REFERENCE, "surface.json")]);
    expect(run.code).toBe(0);
    expect(rulesOf(run)).toEqual(["schema-rolled-back"]);
    expect(rulesOf(await mspkit([...words, "--against", join(REFERENCE, "releases/1.4.9.json")]))).toEqual(
      [],
    );
  });
});

describe("the next version", () => {
  test.each([
    ["0.3.1", "old.json", "0.4.0"],
    ["1.3.1", "old.json", "2.0.0"],
    ["1.3.1", "new.json", "1.3.1"],
    ["1.3.1", "less.json", "1.4.0"],
  ])("after %s and %s is %s", async (release, surface, expected) => {
    const cwd = folderOf({
      "less.json": notesBundle({ without: ["note/clear"] }),
      "table.json": JSON.stringify([{ release, surface }]),
    });
    const words = ["diff", "--no-evidence", "--json", "--releases", "table.json", "--schema", "new.json"];
    const { stdout } = await mspkit([...words, "--against", `release:${release}`], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ comparisons: [{ nextVersion: expected }] });
  });
});

describe("wrong words", () => {
  test.each([
    [["--format", "xml"], '"xml"'],
    [["--json", "--format", "md"], "contradict"],
    [["--no-evidence", "--seed", "1"], "--seed"],
    [["--runs", "0"], "--runs"],
    [["--out", ""], "--out"],
    [["--releases", ""], "--releases"],
    [["--agianst", "x"], 'did you mean "--against"'],
    [["x"], 'unexpected "x"'],
  ])("%j exit 2", async (words, why) => {
    for (const command of ["breaking", "diff"]) {
      const { code, stdout, stderr } = await mspkit([command, ...words], { cwd: folderOf({}) });
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(why);
    }
  });
});
