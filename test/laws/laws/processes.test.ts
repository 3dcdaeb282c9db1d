/** Laws of crashes, of turns and of two hosts, on real processes that are killed: `mspkit serve` with a store in files. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenedDriver, openDriver } from "../../../src/laws/driver/open.js";
import { abandonedLaws } from "../../../src/laws/laws/abandoned.js";
import { crashLaws } from "../../../src/laws/laws/crashes.js";
import { historyLaws } from "../../../src/laws/laws/histories.js";
import { steerLaws } from "../../../src/laws/laws/steers.js";
import { twoHostLaws } from "../../../src/laws/laws/two-hosts.js";
import { MSPKIT } from "../../support/conversation.js";
import { ran, toldOf } from "../../support/law-run.js";

const TRIED: Readonly<Record<string, number>> = {
  "dedupe-after-crash": 2,
  "unanswered-is-safe": 4,
  "abandoned-is-stable": 1,
  "queued-ack-survives": 2,
  "steer-stays": 2,
  "settle-once": 2,
  "command-histories": 6,
};
const laws = [...crashLaws, ...abandonedLaws, ...steerLaws, ...twoHostLaws, ...historyLaws].filter(
  ({ id }) => id in TRIED,
);

describe.skipIf(process.platform === "win32")("a process of ours", () => {
  const cwd = mkdtempSync(join(tmpdir(), "mspkit-test-"));
  let driver: OpenedDriver;
  beforeAll(async () => {
    const words = [process.execPath, MSPKIT, "serve", "--store", "file:{dir}"];
    driver = await openDriver({ words, cwd });
  });
  afterAll(async () => {
    await driver.close();
    rmSync(cwd, { recursive: true, force: true });
  });

  it.each(laws.map((law) => [law.id, law] as const))("keeps %s", async (id, law) => {
    expect(law.needs.filter((need) => !driver.abilities.has(need))).toEqual([]);
    const result = await ran(law, driver, { cases: TRIED[id] ?? 1 });
    expect(result.run.broken, toldOf(result)).toBeUndefined();
    expect(result.run.void, toldOf(result)).toBe(0);
    expect(Object.values(result.run.counts).some((times) => times > 0)).toBe(true);
  });
});
