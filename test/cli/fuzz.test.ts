/** `mspkit fuzz`: a host gets frames of all kinds, and what comes of it. */
import { existsSync, readdirSync } from "node:fs";
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
    expect(stdout).toMatch(/^exercised: methods 39\/39, members \d+\/\d+, bounds/m);
    expect(stdout).toContain("replay-identity holds");
    expect(stdout.endsWith("nothing found\n")).toBe(true);
    expect(code).toBe(0);
    expect(existsSync(join(cwd, ".mspkit"))).toBe(false);
    expect(readdirSync(join(cwd, "corpus")).length).toBeGreaterThan(0);
  });

  it("is one finding where less was exercised than was asked for", async () => {
    const words = ["--embedded", "memory", "--frames", "1", "--min-coverage", "100"];
    const { code, stdout } = await fuzz(words, scratchFolder());
    expect(stdout).toContain("that is less than 100 %");
    expect(code).toBe(1);
  });

  it.each([
    ["prints-garbage.mjs", "badAnswer"],
    ["closes-at-once.mjs", "crash"],
    ["never-answers.mjs", "hang"],
  ])("calls a host wrong that is so from the beginning: %s", async (file, kind) => {
    const cwd = scratchFolder();
    const words = ["--frames", "600", "--max-failures", "1", "--json", ...host(file)];
    const { code, stdout } = await fuzz(words, cwd);
    const { findings, kind: report } = JSON.parse(stdout) as {
      kind: string;
      findings: { kind: string; folder: string; case: { batches: unknown[][] } }[];
    };
    expect(report).toBe("fuzzReport");
    expect(findings.map((finding) => finding.kind)).toEqual([kind]);
    expect(findings[0]!.case.batches.flat().length).toBeLessThanOrEqual(2);
    expect(existsSync(join(findings[0]!.folder, "case.json"))).toBe(true);
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

  it.each([
    [["--frames", "0", "--embedded", "memory"], "--frames takes a whole number from 1"],
    [["--time", "5s", "--embedded", "memory"], "--time goes with --profile nightly"],
    [["--profile", "nightly", "--frames", "5", "--embedded", "memory"], "--frames excludes it"],
    [["--profile", "nightly", "--shard", "1/2", "--embedded", "memory"], "--shard parts a number of frames"],
    [["--embedded", "memory", "--", "node"], "--embedded excludes"],
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
