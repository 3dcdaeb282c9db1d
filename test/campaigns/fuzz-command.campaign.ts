/** `mspkit fuzz`: a host gets frames of all kinds, and what comes of it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mspkit, type Run } from "../support/cli.js";
import { ROOT, scratchFolder } from "../support/repo.js";

const fuzz = (words: readonly string[], cwd: string): Promise<Run> => mspkit(["fuzz", ...words], { cwd });
const host = (...words: string[]) => [
  "--",
  process.execPath,
  join(ROOT, "test/fixtures/laws", words[0]!),
  ...words.slice(1),
];

describe("mspkit fuzz", { timeout: 120_000 }, () => {
  it("finds nothing in a host that is right, says what was exercised, and keeps what was new", async () => {
    const cwd = scratchFolder();
    const { code, stdout } = await fuzz(
      ["--embedded", "durable", "--frames", "1200", "--corpus", "corpus"],
      cwd,
    );
    expect(stdout).toMatch(/^1200 frames in 2 cases to the embedded host, durable, \d+ answers/);
    expect(stdout).toMatch(/^of the schema, [\d.]+ %: methods 39\/39, members \d+\/\d+, bounds/m);
    expect(stdout).toContain("replay-identity holds");
    expect(stdout.endsWith("nothing found\n")).toBe(true);
    expect(code).toBe(0);
    expect(existsSync(join(cwd, ".mspkit"))).toBe(false);
    expect(readdirSync(join(cwd, "corpus")).length).toBeGreaterThan(0);
  });

  it("is one finding where less was exercised than was asked for", async () => {
    const words = ["--embedded", "memory", "--frames", "1", "--min-coverage", "100"];
    const { code, stdout } = await fuzz(words, scratchFolder());
    expect(stdout).toMatch(/^[\d.]+ % of the schema is less than 100 %$/m);
    expect(code).toBe(1);
  });

  it.each([
    ["prints-garbage.mjs", "badAnswer"],
    ["closes-at-once.mjs", "crash"],
    ["never-answers.mjs", "hang"],
  ])("calls a host wrong that is so from the beginning: %s", async (file, kind) => {
    const cwd = scratchFolder();
    const words = ["--frames", "600", "--max-failures", "1", "--report", "json", ...host(file)];
    const { code, stdout } = await fuzz(words, cwd);
    const { findings, kind: report } = JSON.parse(stdout) as {
      kind: string;
      findings: { kind: string; folder: string; case: { batches: unknown[][] } }[];
    };
    expect(report).toBe("fuzzReport");
    expect(findings.map((finding) => finding.kind)).toEqual([kind]);
    expect(findings[0]!.case.batches.flat().length).toBeLessThanOrEqual(2);
    expect(existsSync(join(cwd, findings[0]!.folder, "case.json"))).toBe(true);
    expect(code).toBe(1);
  });

  it("finds a planted fault in a process, and finds it first the next time", async () => {
    const cwd = scratchFolder();
    const faulty = host("faulty-host.mjs", "--fault", "dies of a member twice");
    const first = await fuzz(["--frames", "6000", "--max-failures", "1", ...faulty], cwd);
    expect(first.stdout).toMatch(/^crash: /m);
    expect(first.code).toBe(1);
    const again = await fuzz(["--frames", "1", "--max-failures", "1", "--seed", "99", ...faulty], cwd);
    expect(again.stdout).toMatch(/^crash: /m);
    expect(again.stdout).toMatch(/^\d+ frames in 1 cases/);
    expect(again.code).toBe(1);
    const right = await fuzz(["--frames", "1", "--seed", "99", ...host("faulty-host.mjs")], cwd);
    expect(right.stdout).toContain("nothing found");
    expect(right.code).toBe(0);
  });

  it("tells of it in every form, and keeps what is left of the host", async () => {
    const cwd = scratchFolder();
    const files = ["json=a/fuzz.json", "junit=fuzz.xml", "md=fuzz.md", "github-actions=notes.txt"];
    const { code, stdout } = await fuzz(
      [
        ...["--frames", "6000", "--max-failures", "1", "--out", "left", "--workers", "2"],
        ...files.flatMap((file) => ["--report", file]),
        ...host("faulty-host.mjs", "--fault", "dies of a member twice"),
      ],
      cwd,
    );
    expect(code).toBe(1);
    const text = (file: string) => readFileSync(join(cwd, file), "utf8");
    const report = JSON.parse(text("a/fuzz.json")) as {
      verdict: string;
      repeat: string;
      findings: { folder: string }[];
    };
    expect(report.verdict).toBe("broken");
    const folder = report.findings[0]!.folder;
    expect(stdout).toContain(`kept in ${folder}`);
    expect(text("fuzz.xml")).toMatch(/tests="6" failures="1" errors="0"/);
    expect(text("fuzz.xml")).toContain('<testcase classname="crash" name="it lives on"><failure message=');
    expect(text("fuzz.md")).toMatch(/^## crash$/m);
    expect(text("notes.txt")).toMatch(/^::error title=crash::crash%3A |^::error title=crash::crash: /);
    const left = join("left", readdirSync(join(cwd, "left"))[0]!);
    expect(readdirSync(join(cwd, left)).sort()).toEqual([
      "case.json",
      "exit.json",
      "stderr.txt",
      "transcript",
    ]);
    expect(JSON.parse(text(join(left, "exit.json")))).toEqual({ code: 139, signal: null });
    expect(text(join(left, "stderr.txt"))).toContain("a planted fault");

    // What both keep in one folder is left alone by the other.
    const laws = ["laws", "--embedded", "memory", "--law", "replay-identity", "--runs", "2", "--prune"];
    const held = await mspkit(laws, { cwd });
    expect({ code: held.code, stderr: held.stderr }).toEqual({ code: 0, stderr: "" });
    expect(existsSync(join(cwd, folder, "case.json"))).toBe(true);
    mkdirSync(join(cwd, ".mspkit/failures/one-end-1"));
    writeFileSync(join(cwd, ".mspkit/failures/one-end-1/case.json"), '{"format":1,"law":"one-end"}');
    rmSync(join(cwd, folder), { recursive: true });
    const none = await fuzz(["--embedded", "memory", "--frames", "1"], cwd);
    expect(none.stdout).toMatch(/^600 frames in 1 cases/);
    expect(none.code).toBe(0);
  });

  it.each([
    [["--frames", "0", "--embedded", "memory"], "--frames takes a whole number from 1"],
    [["--time", "5s", "--embedded", "memory"], "--time goes with --profile nightly"],
    [["--profile", "nightly", "--frames", "5", "--embedded", "memory"], "--frames excludes it"],
    [["--profile", "nightly", "--shard", "1/2", "--embedded", "memory"], "--shard parts a number of cases"],
    [["--embedded", "memory", "--", "node"], "--embedded excludes"],
    [["--report", "xml", "--embedded", "memory"], "--report takes text, json, junit"],
    [["--workers", "0", "--embedded", "memory"], "--workers takes a whole number from 1"],
    [["--"], "-- needs the host's command"],
  ])("refuses %j", async (words, why) => {
    const { code, stderr } = await fuzz(words, scratchFolder());
    expect(stderr).toContain(why);
    expect(code).toBe(2);
  });

  it("fails for a host that cannot be started, without a verdict", async () => {
    const { code } = await fuzz(["--", "no-such-program-anywhere"], scratchFolder());
    expect(code).toBe(3);
  });
});
