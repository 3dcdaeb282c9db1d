import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addToCorpus, keepFinding, readCorpus } from "../../../src/laws/fuzz/finding.js";
import { framesIn } from "../../../src/laws/fuzz/frame.js";
import { embeddedDriver, type FuzzReport, fuzz } from "../../../src/laws/index.js";

const FRAMES = 10_000;

describe("the embedded host under fuzz", () => {
  test.each(["durable", "ephemeral"] as const)(
    "%s: nothing is found",
    { timeout: 120_000 },
    async (durability) => {
      const report = await fuzz(await embeddedDriver({ durability }), { frames: FRAMES });
      expect(report.findings).toEqual([]);
      expect(report.frames).toBeGreaterThanOrEqual(FRAMES);
      // Notifications and blank lines get none, each part has one question more.
      expect(report.answers).toBeGreaterThan(FRAMES * 0.9);
      const { coverage, laws } = report;
      expect(coverage.methods.missing).toEqual([]);
      expect(coverage.members.missing).toEqual([]);
      expect(coverage.percent).toBeGreaterThan(97);
      expect(laws.map(({ id }) => id)).toContain("replay-identity");
      expect(laws.every(({ verdict }) => verdict === "holds")).toBe(true);
    },
  );

  test("a case is the same however it is come to, and shards make up the whole", {
    timeout: 60_000,
  }, async () => {
    const driver = await embeddedDriver();
    const whole = await fuzz(driver, { frames: 2_400, lawCases: 0 });
    const parts = await Promise.all(
      [1, 2].map((index) => fuzz(driver, { frames: 1_200, lawCases: 0, shard: { index, of: 2 } })),
    );
    const texts = (cases: typeof whole.interesting) => cases.map((of) => JSON.stringify(of)).sort();
    // What is new to the whole is new to the part that has it.
    const found = new Set(parts.flatMap(({ interesting }) => texts(interesting)));
    expect(whole.interesting.length).toBeGreaterThan(0);
    expect(texts(whole.interesting).every((text) => found.has(text))).toBe(true);
    expect(parts.reduce((sum, { cases }) => sum + cases, 0)).toBe(whole.cases);
  });

  test("results do not depend on how many hosts are fuzzed at once", { timeout: 100_000 }, async () => {
    const run = async (workers: number): Promise<Omit<FuzzReport, "durationMs">> => {
      const driver = await embeddedDriver();
      const { durationMs: _, ...rest } = await fuzz(driver, { frames: 9_600, lawCases: 1, workers });
      return rest;
    };
    const one = await run(1);
    // Nine hundred more than three lives of the first ones.
    expect(one.cases).toBe(16);
    expect(await run(3)).toEqual(one);
  });

  test("a run that is given up ends, for the reason that is given", async () => {
    const stop = new AbortController();
    const running = fuzz(await embeddedDriver(), {
      frames: 100_000,
      workers: 2,
      signal: stop.signal,
      onProgress: () => stop.abort(new Error("enough")),
    });
    await expect(running).rejects.toThrow("enough");
  });

  test("what reached something new is kept, and run first", { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "mspkit-corpus-"));
    try {
      const driver = await embeddedDriver();
      const { interesting } = await fuzz(driver, { frames: 1_200, lawCases: 0 });
      for (const of of interesting) addToCorpus(of, folder);
      const kept = readCorpus(folder);
      expect(kept).toHaveLength(interesting.length);
      const again = await fuzz(driver, { frames: 1, first: kept, lawCases: 0, seed: 2 });
      expect(again.frames).toBeGreaterThanOrEqual(kept.reduce((sum, of) => sum + framesIn(of), 0));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("a finding is kept as a case and a transcript, and read as a case again", () => {
    const folder = mkdtempSync(join(tmpdir(), "mspkit-finding-"));
    try {
      const frame = { kind: "valid" as const, text: "x", why: "x" };
      const of = { opening: { experimental: false, capabilities: [] }, calm: 0, batches: [[frame]] };
      const finding = {
        id: "case-1",
        kind: "hang" as const,
        what: "x",
        details: null,
        number: 1,
        case: of,
        again: true,
      };
      const lines = [{ dir: "client" as const, raw: '{"jsonrpc":"2.0","id":1,"method":"x"}' }];
      const own = keepFinding({ ...finding, lines, stderrTail: "it said" }, folder);
      expect(readdirSync(own).sort()).toEqual(["case.json", "stderr.txt", "transcript"]);
      expect(readCorpus(folder)).toEqual([of]);
      // The same one takes the place of the first; another one has a folder of its own.
      expect(keepFinding({ ...finding, lines, stderrTail: "" }, folder)).toBe(own);
      expect(readdirSync(own).sort()).toEqual(["case.json", "transcript"]);
      const other = { ...of, calm: 1 };
      expect(keepFinding({ ...finding, case: other, lines, stderrTail: "" }, folder)).not.toBe(own);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

test("frames with one and the same strange id are answered in any order", async () => {
  const text = (method: string, params: string) =>
    `{"jsonrpc":"2.0","id":"","method":"${method}","params":${params}}`;
  const batch = [
    text("session/start", '{"commandId":"{{new}}"}'),
    text("session/list", "{}"),
    text("approval/decide", "{}"),
    text("userInput/cancel", '{"sessionId":"{{new}}"}'),
  ].map((of) => ({ kind: "hostile" as const, text: of, why: "" }));
  const first = [{ opening: { experimental: false, capabilities: [] }, calm: 0, batches: [batch] }];
  const { findings, frames } = await fuzz(await embeddedDriver(), { first, frames: 1, lawCases: 0 });
  expect(findings).toEqual([]);
  expect(frames).toBeGreaterThanOrEqual(4);
});
