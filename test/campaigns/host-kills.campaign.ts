/** Three hundred hosts that are killed under load, and a hundred over SQLite; the counts are printed. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { killHosts } from "../host/crash/kills.js";
import { scratchFolder } from "../support/repo.js";

describe.skipIf(process.platform === "win32")("hosts that are killed under load", () => {
  test.each([
    ["file", 300],
    ["sqlite", 100],
  ])(
    "lose nothing that was answered and do nothing twice, over a %s store",
    { timeout: 3_600_000 },
    async (scheme, kills) => {
      const folder = scratchFolder();
      const url = `${scheme}:${join(folder, "store")}`;
      const { broken, counts } = await killHosts(url, folder, { kills, seed: kills });
      console.info(`kills over ${scheme}: ${JSON.stringify(counts)}`);
      expect(broken).toEqual([]);
      expect(counts.kills).toBe(kills);
      expect(counts.killsInFlight).toBeGreaterThan(kills / 2);
      expect(counts.answered).toBeGreaterThan(5 * kills);
      expect(counts.doubled).toBeGreaterThan(kills / 2);
      for (const stand of ["absent", "pending", "kept", "settled"] as const)
        expect(counts.stands[stand], stand).toBeGreaterThan(kills / 2);
      expect(counts.turnsRun).toBeGreaterThan(kills / 2);
      expect(counts.turnsLost).toBeGreaterThan(kills / 5);
    },
  );
});
