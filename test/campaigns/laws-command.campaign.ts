/** `mspkit laws`: a host is held to the laws, and what comes of it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { catalog } from "../../src/laws/catalog.js";
import type { LawsReport } from "../../src/laws/report/report.js";
import { mspkit, type Run } from "../support/cli.js";
import { ROOT, scratchFolder } from "../support/repo.js";

const FLAWED = join(ROOT, "test/fixtures/laws/flawed-host.mjs");
const flawed = (flaw: string) => ["--", process.execPath, FLAWED, flaw];
const EMBEDDED = ["--embedded", "durable", "--law", "replay-identity", "--runs", "4"];
const laws = (words: readonly string[], cwd: string): Promise<Run> => mspkit(["laws", ...words], { cwd });
const json = (file: string): LawsReport => JSON.parse(readFileSync(file, "utf8")) as LawsReport;

describe("mspkit laws", () => {
  it("runs without a word for it, and shows a table", async () => {
    const { code, stdout } = await laws(EMBEDDED, scratchFolder());
    expect(stdout).toMatch(/^holds +replay-identity +4 cases, /m);
    expect(stdout).toContain("1 hold, 0 broken, 0 inconclusive, 0 not applicable");
    expect(code).toBe(0);
  });

  it("writes every form of report at once", async () => {
    const cwd = scratchFolder();
    const files = ["json=a/report.json", "junit=junit.xml", "md=laws.md", "github-actions=notes.txt"];
    const { code, stdout } = await laws(
      ["run", ...EMBEDDED, ...files.flatMap((file) => ["--report", file])],
      cwd,
    );
    expect(code).toBe(0);
    expect(stdout).toContain("replay-identity");
    expect(json(join(cwd, "a/report.json"))).toMatchObject({
      kind: "lawsReport",
      format: 1,
      verdict: "holds",
      seed: 1,
      runs: "4",
      chosen: { laws: ["replay-identity"] },
      laws: [{ id: "replay-identity", verdict: "holds", cases: 4 }],
      coverage: { percent: expect.any(Number) },
    });
    expect(readFileSync(join(cwd, "junit.xml"), "utf8")).toContain('errors="0"');
    expect(readFileSync(join(cwd, "laws.md"), "utf8")).toContain("| holds | `replay-identity` |");
    expect(readFileSync(join(cwd, "notes.txt"), "utf8")).toMatch(/^::notice title=laws::/);
  });

  it("prints one report on standard output", async () => {
    const { code, stdout } = await laws([...EMBEDDED, "--report", "json"], scratchFolder());
    expect([code, (JSON.parse(stdout) as LawsReport).verdict]).toEqual([0, "holds"]);
  });

  it("says nothing where what a law needs is missing in all that was asked for", async () => {
    const { code, stdout } = await laws(
      ["--embedded", "memory", "--law", "dedupe-after-crash"],
      scratchFolder(),
    );
    expect(stdout).toMatch(/^not applicable +dedupe-after-crash +the host has not: durable/m);
    expect(code).toBe(4);
  });

  it("tries random cases until the time is over, and says what repeats them", async () => {
    const cwd = scratchFolder();
    const words = ["--embedded", "durable", "--law", "replay-identity"];
    const nightly = await laws([...words, "--profile", "nightly", "--time", "300ms"], cwd);
    expect(nightly.code).toBe(0);
    const again = /^again: mspkit laws run (.*)$/m.exec(nightly.stderr)?.[1] ?? "";
    expect(again).toMatch(/^--seed \d+ --runs \d+% --law replay-identity --embedded durable$/);
    const repeated = await laws(again.split(" "), cwd);
    const counts = ({ stdout }: Run) => /^holds .*$/m.exec(stdout)?.[0];
    expect(counts(repeated)).toBe(counts(nightly));
  });

  it("joins the reports of shards into that of the whole", async () => {
    const cwd = scratchFolder();
    const part = (n: number) => laws([...EMBEDDED, "--shard", `${n}/2`, "--report", `json=${n}.json`], cwd);
    const [one, two, whole] = await Promise.all([
      part(1),
      part(2),
      laws([...EMBEDDED, "--report", "json=whole.json"], cwd),
    ]);
    expect([one, two, whole].map(({ code }) => code)).toEqual([0, 0, 0]);
    const merged = await laws(["merge", "1.json", "2.json", "--report", "json=merged.json"], cwd);
    expect(merged.code).toBe(0);
    const { coverage: _, durationMs: __, ...rest } = json(join(cwd, "whole.json"));
    expect(json(join(cwd, "merged.json"))).toMatchObject(rest);
    const alone = await laws(["merge", "1.json"], cwd);
    expect(alone.code).toBe(3);
    expect(alone.stderr).toContain("shard 2/2 is there 0 times");
  });

  it("lists the laws", async () => {
    const text = await laws(["list"], ROOT);
    expect(text.stdout.trimEnd().split("\n")).toHaveLength(catalog.length);
    const listed = JSON.parse((await laws(["list", "--json"], ROOT)).stdout) as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual(catalog.map(({ id }) => id));
  });

  it.each([
    ["no host", []],
    ["no command behind --", ["--"]],
    ["two hosts", ["--embedded", "memory", "--", "true"]],
    ["an unknown store", ["--embedded", "disk"]],
    ["an unknown law", ["--law", "replay-identitee", "--embedded", "memory"]],
    ["an unknown level", ["--level", "high", "--embedded", "memory"]],
    ["an unknown profile", ["--profile", "weekly", "--embedded", "memory"]],
    ["an unknown form", ["--report", "xml", "--embedded", "memory"]],
    ["two reports on standard output", ["--report", "json", "--report", "md", "--embedded", "memory"]],
    ["a time and a number", ["--profile", "nightly", "--runs", "5", "--embedded", "memory"]],
    ["a time without nightly", ["--time", "5m", "--embedded", "memory"]],
    ["a time without a unit", ["--profile", "nightly", "--time", "5", "--embedded", "memory"]],
    ["shards of a time", ["--profile", "nightly", "--shard", "1/2", "--embedded", "memory"]],
    ["a shard that is none", ["--shard", "3/2", "--embedded", "memory"]],
    ["no number of cases", ["--runs", "0", "--embedded", "memory"]],
    ["a case of all laws", ["--case", "3", "--embedded", "memory"]],
    ["a file of known failures that is not there", ["--known", "none.json", "--embedded", "memory"]],
    ["an unknown command", ["walk"]],
    ["nothing to join", ["merge"]],
  ])("refuses %s", async (_, words) => {
    const { code, stdout, stderr } = await laws(words, scratchFolder());
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^mspkit: /);
  });

  it("gives no verdict on a host that cannot be started", async () => {
    const { code, stdout } = await laws(["--", "/nowhere/host"], scratchFolder());
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  });
});

describe("a host that breaks a law", () => {
  it("is shown by a case that replays, that its line repeats, and that is found first", async () => {
    const cwd = scratchFolder();
    const broken = await laws(
      [
        "--law",
        "replay-identity",
        "--report",
        "json=first.json",
        "--out",
        "out",
        ...flawed("newTurnOnReplay"),
      ],
      cwd,
    );
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/^BROKEN +replay-identity/m);
    const [row] = json(join(cwd, "first.json")).laws;
    expect(row?.broken).toMatchObject({ kept: false, again: { tries: 3, broke: 3 } });
    expect(row?.broken?.clientFrames).toBeLessThanOrEqual(12);
    expect(broken.stdout).toContain(row?.broken?.timeline.split("\n").at(-2) ?? "none");

    const folder = join(cwd, ".mspkit/failures/replay-identity-1");
    expect(readdirSync(folder).sort()).toEqual(["case.json", "timeline.txt", "transcript"]);
    expect(readdirSync(join(cwd, "out/replay-identity")).sort()).toEqual([
      "case.json",
      "exit.json",
      "stderr.txt",
      "timeline.txt",
      "transcript",
    ]);
    expect(readFileSync(join(cwd, "out/replay-identity/stderr.txt"), "utf8")).toContain("serving");

    const replay = ["conformance", "replay", "--transcript", join(folder, "transcript")];
    const again = await mspkit([...replay, ...flawed("newTurnOnReplay")], { cwd });
    expect({ code: again.code, stdout: again.stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining("conformant"),
    });
    const right = await mspkit([...replay, ...flawed("none")], { cwd });
    expect({ code: right.code, stdout: right.stdout }).toEqual({
      code: 1,
      stdout: expect.stringContaining("result.turnId"),
    });

    const [, , , ...line] = (row?.broken?.repeat ?? "").split(" ");
    const repeated = await laws(["run", "--report", "json", ...line], cwd);
    expect(repeated.code).toBe(1);
    const [same] = (JSON.parse(repeated.stdout) as LawsReport).laws;
    expect(same?.broken).toMatchObject({ case: row?.broken?.case, seed: row?.broken?.seed, kept: false });

    const next = await laws(
      ["--law", "replay-identity", "--report", "json", ...flawed("newTurnOnReplay")],
      cwd,
    );
    expect(next.code).toBe(1);
    expect((JSON.parse(next.stdout) as LawsReport).laws[0]).toMatchObject({
      cases: 0,
      broken: { kept: true, case: row?.broken?.case },
    });

    const mended = await laws(["--law", "replay-identity", "--prune", ...flawed("none")], cwd);
    expect(mended.stdout).toContain("1 kept case breaks nothing any more");
    expect(mended.code).toBe(0);
    expect(existsSync(folder)).toBe(false);
  }, 110_000);

  it("fails no run while the failure is known, and fails it when that is over or the law holds", async () => {
    const cwd = scratchFolder();
    const known = (until: string) =>
      writeFileSync(
        join(cwd, "known.json"),
        JSON.stringify([{ law: "replay-identity", reason: "not done yet", until }]),
      );
    const run = (flaw: string) =>
      laws(
        [
          "--law",
          "replay-identity",
          "--law",
          "one-end",
          "--runs",
          "2",
          "--known",
          "known.json",
          ...flawed(flaw),
        ],
        cwd,
      );
    known("2999-12-31");
    const excused = await run("newTurnOnReplay");
    expect(excused.stdout).toMatch(/^BROKEN +replay-identity +known until 2999-12-31: not done yet/m);
    expect(excused.code).toBe(0);
    const mended = await run("none");
    expect(mended.stdout).toContain("replay-identity is a known failure, and holds");
    expect(mended.code).toBe(1);
    known("2020-01-01");
    expect((await run("newTurnOnReplay")).code).toBe(1);
  }, 110_000);

  it("shows what it does against the schema at the law about that", async () => {
    const cwd = scratchFolder();
    const { code, stdout } = await laws(
      ["--law", "replay-identity", "--runs", "3", "--report", "json", ...flawed("noStatus")],
      cwd,
    );
    expect(code).toBe(1);
    const report = JSON.parse(stdout) as LawsReport;
    expect(report.laws.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["replay-identity", "inconclusive"],
      ["valid-messages", "broken"],
    ]);
  }, 110_000);
});

describe("a host that ends at once", () => {
  it("is never green", async () => {
    const cwd = scratchFolder();
    mkdirSync(join(cwd, "empty"));
    const { code } = await laws(
      ["--law", "replay-identity", "--runs", "2", "--", process.execPath, "-e", ""],
      cwd,
    );
    expect([1, 4]).toContain(code);
  }, 110_000);
});
