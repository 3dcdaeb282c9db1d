/** A host that dies at every write of every scenario, before it, in the middle and after it; and the one that follows. */
import { describe, expect, test } from "vitest";
import { sessionCommands } from "../../../src/host/session/decide.js";
import type { Moment } from "../../../src/laws/simulation/disk.js";
import { SCENARIOS } from "./scenarios.js";
import { type Run, simulate } from "./simulate.js";

const MOMENTS: readonly Moment[] = ["before", "torn", "after"];

/** Writes of the host that follows at which it dies as well: its recovery, and what is sent again first. */
const MOST_LATER = 4;

const totals = {
  boundaries: 0,
  crashes: 0,
  crashesTwice: 0,
  commands: 0,
  absent: 0,
  pending: 0,
  kept: 0,
  settled: 0,
};

/** Commands that were carried out in runs without a crash. */
const exercised = new Set<string>();

function add({ methods, stands }: Run): void {
  totals.commands += methods.length;
  for (const stand of stands) totals[stand]++;
}

describe("a host that dies at a write, and one that follows it", () => {
  test.each(Object.entries(SCENARIOS))("%s: at every write", async (_, scenario) => {
    const whole = await simulate(scenario, []);
    expect(whole.broken).toEqual([]);
    for (const method of whole.methods) exercised.add(method);
    let crashes = 0;
    for (let write = 1; write <= whole.writes; write++) {
      for (const moment of MOMENTS) {
        const run = await simulate(scenario, [{ write, moment }], { seed: write });
        expect(run.broken, `${moment} write ${write} of ${whole.writes}`).toEqual([]);
        expect(run.writes).toBe(write);
        crashes++;
        add(run);
      }
    }
    totals.boundaries += whole.writes;
    totals.crashes += crashes;
    expect(crashes).toBe(3 * whole.writes);
  });

  test.each(Object.entries(SCENARIOS))("%s: and again while the next one recovers", async (_, scenario) => {
    const { writes } = await simulate(scenario, []);
    for (let write = 1; write <= writes; write++) {
      const first = { write, moment: MOMENTS[write % 3]! };
      const { follows } = await simulate(scenario, [first]);
      for (let later = 1; later <= Math.min(follows, MOST_LATER); later++) {
        const crashes = [first, { write: write + later, moment: MOMENTS[(write + later) % 3]! }];
        const run = await simulate(scenario, crashes);
        expect(run.broken, JSON.stringify(crashes)).toEqual([]);
        totals.crashesTwice++;
        add(run);
      }
    }
  });

  test.each(Object.entries(SCENARIOS))("%s: the same seed makes the same run", async (_, scenario) => {
    const whole = await simulate(scenario, [], { seed: 7 });
    expect(await simulate(scenario, [], { seed: 7 })).toEqual(whole);
    const crash = { write: Math.ceil(whole.writes / 2), moment: "torn" } as const;
    const torn = await simulate(scenario, [crash], { seed: 7 });
    expect(await simulate(scenario, [crash], { seed: 7 })).toEqual(torn);
    // Other ids, and the same boundaries.
    const other = await simulate(scenario, [], { seed: 8 });
    expect([other.writes, other.survived === whole.survived]).toEqual([whole.writes, false]);
  });

  test("every command was exercised, and every way in which one can stand", () => {
    // What a session decides by itself, and what begins one: none is forgotten. What loads one is in every run.
    const all = [
      ...sessionCommands,
      "session/start",
      "session/fork",
      "skill/import",
      "computerUseSetup/start",
    ];
    expect([...exercised].sort()).toEqual(all.sort());
    console.info(`crashes in simulation: ${JSON.stringify(totals)}`);
    // A run in which nothing was exercised must not look like one in which all went well.
    expect(totals.boundaries).toBeGreaterThan(150);
    expect(totals.crashes).toBe(3 * totals.boundaries);
    expect(totals.crashesTwice).toBeGreaterThan(300);
    for (const stand of ["absent", "pending", "kept", "settled"] as const)
      expect(totals[stand], stand).toBeGreaterThan(100);
  });
});
