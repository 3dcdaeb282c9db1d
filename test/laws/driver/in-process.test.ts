/** Hosts that are objects of this process. */
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { scriptedAgent } from "../../../src/host/agents/scripted.js";
import { Host } from "../../../src/host/host.js";
import { identityOf } from "../../../src/host/identity.js";
import { type InProcessHost, inProcessDriver } from "../../../src/laws/driver/in-process.js";
import { replayIdentity } from "../../../src/laws/laws/replay.js";
import { runLaw, verdictOf } from "../../../src/laws/run/run-law.js";
import { Stand } from "../../../src/laws/stand.js";
import { memoryStore } from "../../../src/ledger/index.js";
import { openStore } from "../../../src/ledger/node.js";

/** The embedded host in real time, on a folder or in memory. */
function embedded(folder?: string): InProcessHost {
  const identity = identityOf({ name: "embedded", version: "0.0.0" });
  const store = folder === undefined ? memoryStore() : openStore(`file:${folder}`);
  return new Host({ store, agent: scriptedAgent(), identity, grants: [] });
}

describe("a host of this process", () => {
  test("is asked what it can do, and laws are tried on it", async () => {
    const driver = await inProcessDriver({ name: "in memory", start: () => embedded() });
    for (const ability of ["ephemeral", "connections", "echo", "quick", "serves:turn/start"] as const)
      expect(driver.abilities, ability).toContain(ability);
    expect(driver.abilities).not.toContain("crash");
    const stand = new Stand(driver);
    const run = await runLaw(replayIdentity, stand, { seed: 1, cases: [0, 1] });
    await stand.clear();
    expect(run.counts["replays"] ?? 0).toBeGreaterThan(0);
    expect(verdictOf({ ...replayIdentity, least: {} }, run)).toBe("holds");
    await driver.close();
  });

  test("has a fresh folder for each place, the same for each life on it, and none in the end", async () => {
    const folders: string[] = [];
    const driver = await inProcessDriver({
      name: "on files",
      start: (folder) => {
        folders.push(folder);
        return embedded(folder);
      },
      serves: ["turn/start"],
      cannot: ["experimental"],
    });
    expect(driver.abilities).toContain("durable");
    expect(driver.abilities).not.toContain("experimental");
    folders.length = 0;
    const [one, two] = [await driver.place(), await driver.place()];
    for (const place of [one, one, two]) await (await place.start()).stop();
    expect(folders[0]).toBe(folders[1]);
    expect(folders[2]).not.toBe(folders[0]);
    for (const folder of folders) expect(readdirSync(folder)).toEqual([]);
    await driver.close();
    for (const folder of folders) expect(() => readdirSync(folder)).toThrow("ENOENT");
  });

  test("can be crashed where it says so", async () => {
    let crashes = 0;
    const driver = await inProcessDriver({
      name: "crashing",
      can: ["crash"],
      start: () => {
        const host = embedded();
        return {
          accept: (transport) => host.accept(transport),
          close: () => host.close(),
          crash: async () => {
            crashes++;
            await host.close();
          },
        };
      },
    });
    expect(driver.abilities).toContain("crash");
    const before = crashes;
    const place = await driver.place();
    const host = await place.start();
    await host.crash();
    await host.crash();
    expect(crashes).toBe(before + 1);
    expect(await host.ended).toEqual({ code: null, signal: "SIGKILL" });
    await driver.close();
  });
});
