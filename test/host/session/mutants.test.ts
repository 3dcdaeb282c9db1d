import { expect, test } from "vitest";
import { Counts } from "./law.js";
import { type Broken, runSchedule } from "./laws.js";
import { MUTANTS } from "./mutants.js";

/** The most schedules that it may take to notice a fault. */
const SCHEDULES = 120;

function firstBroken(core: (typeof MUTANTS)[number]["core"]): Broken | string {
  for (let seed = 1; seed <= SCHEDULES; seed++) {
    try {
      const broken = runSchedule(seed, new Counts(), core);
      if (broken !== undefined) return broken;
    } catch (error) {
      // The state itself refuses some faults: what a fold cannot take is no log.
      return error instanceof Error ? error.message : String(error);
    }
  }
  return "";
}

test.each(MUTANTS)("the laws notice that $fault", ({ core }) => {
  expect(firstBroken(core)).not.toBe("");
});

test("there are mutants enough, each with a fault of its own", () => {
  expect(MUTANTS.length).toBeGreaterThanOrEqual(12);
  expect(new Set(MUTANTS.map(({ fault }) => fault)).size).toBe(MUTANTS.length);
});
