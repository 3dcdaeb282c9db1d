/** Two hundred thousand frames to the built host as a process, and each planted fault as one. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FAMILIES } from "../../src/laws/coverage/coverage.js";
import { openDriver } from "../../src/laws/driver/open.js";
import { framesIn } from "../../src/laws/fuzz/frame.js";
import { fuzz } from "../../src/laws/fuzz/fuzz.js";
import { FAULTS } from "../fixtures/laws/faults.mjs";
import { ROOT, scratchFolder } from "../support/repo.js";

const FRAMES = 200_000;
const HOST = [process.execPath, join(ROOT, "dist/bin/mspkit.cjs"), "serve", "--store"];
const FAULTY = [process.execPath, join(ROOT, "test/fixtures/laws/faulty-host.mjs"), "--fault"];

describe("mspkit serve under fuzz", () => {
  test.each(["memory"])("over %s nothing is found", { timeout: 3_600_000 }, async (store) => {
    const driver = await openDriver({ words: [...HOST, store], cwd: scratchFolder() });
    try {
      const report = await fuzz(driver, { frames: FRAMES });
      const { coverage, durationMs, frames, answers, skipped } = report;
      const rate = Math.round((1_000 * frames) / durationMs);
      console.info(
        `fuzz over ${store}: ${frames} frames, ${answers} answers, ${skipped} left out, ${rate}/s`,
      );
      for (const { name, why } of coverage.unreachable) console.info(`not to be reached: ${name} ${why}`);
      expect(report.findings).toEqual([]);
      expect(frames).toBeGreaterThanOrEqual(FRAMES);
      for (const family of FAMILIES) expect(coverage[family].missing, family).toEqual([]);
      expect(report.laws.length).toBeGreaterThan(0);
    } finally {
      await driver.close();
    }
  });
});

describe("a planted fault of a process", () => {
  test.for(Object.entries(FAULTS))("%s", { timeout: 900_000 }, async ([name, { kind }], { skip }) => {
    const driver = await openDriver({ words: [...FAULTY, name], cwd: scratchFolder() });
    try {
      skip(
        kind === "lawBroken" && !driver.abilities.has("connections"),
        "what the fault remembers is lost with the process, and laws are tried on a new one",
      );
      const { findings } = await fuzz(driver, { frames: 60_000, maxFindings: 1 });
      const [finding] = findings;
      expect(finding?.kind).toBe(kind);
      expect(finding?.again).toBe(true);
      expect(framesIn(finding!.case)).toBeLessThanOrEqual(4);
    } finally {
      await driver.close();
    }
  });
});
