/** Some real hosts that are killed under load. Three hundred of them are in test/campaigns. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type KillOptions, killHosts } from "../host/crash/kills.js";
import { scratchFolder } from "../support/repo.js";

describe.skipIf(process.platform === "win32")("hosts that are killed under load", () => {
  test.each([
    ["file", 10],
    ["sqlite", 5],
  ])("lose nothing that was answered and do nothing twice, over a %s store", async (scheme, kills) => {
    const folder = scratchFolder();
    const { broken, counts } = await killHosts(`${scheme}:${join(folder, "store")}`, folder, {
      kills,
      seed: 1,
    });
    console.info(`kills over ${scheme}: ${JSON.stringify(counts)}`);
    expect(broken).toEqual([]);
    expect(counts.kills).toBe(kills);
    expect(counts.sent).toBeGreaterThan(kills);
    expect(counts.turnsRun).toBeGreaterThan(0);
  });

  async function lawsBroken(folder: string, options: Partial<KillOptions>): Promise<string[]> {
    const { broken } = await killHosts(`file:${join(folder, "store")}`, folder, {
      kills: 4,
      seed: 2,
      ...options,
    });
    return broken.map((found) => found.slice(0, found.indexOf(":")));
  }

  test("a store that loses the last of each log is caught", async () => {
    const folder = scratchFolder();
    const afterKill = () => {
      const sessions = join(folder, "store/sessions");
      for (const session of readdirSync(sessions)) {
        // The newest segment, which is the killed host's: of an older one the store would miss the end by itself. Its
        // first entry stays, or there would be no session.
        const segment = join(sessions, session, readdirSync(join(sessions, session)).sort().at(-1)!);
        const lines = readFileSync(segment, "utf8").trimEnd().split("\n");
        if (lines.length > 4) writeFileSync(segment, `${lines.slice(0, -2).join("\n")}\n`);
      }
    };
    expect(await lawsBroken(folder, { afterKill })).toContain("what was answered is in the log");
  });

  test("an agent that runs a command twice is caught", async () => {
    expect(await lawsBroken(scratchFolder(), { agentTimes: 2 })).toContain("nothing happens twice");
  });
});
