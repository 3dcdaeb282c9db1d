/** The laws of a session, and of its view, over many more schedules, and longer ones. */
import { expect, test } from "vitest";
import { Random } from "../../src/laws/random.js";
import { Counts } from "../host/session/law.js";
import {
  cursorsArePlaces,
  joinsAnywhere,
  pagesGiveEvents,
  rangesHaveNoHoles,
  tell,
} from "../host/session/law-view.js";
import { type Broken, Laws, runSchedule } from "../host/session/laws.js";
import { Schedule } from "../host/session/schedule.js";
import { SESSION_ID, Simulation } from "../host/session/simulation.js";

const SHORT = { schedules: 3_000, steps: 150 };
const LONG = { schedules: 60, steps: 1_000 };

test.each([SHORT, LONG])("no schedule of $steps steps breaks a law", ({ schedules, steps }) => {
  const counts = new Counts();
  const broken: Broken[] = [];
  for (let seed = 100_000; seed < 100_000 + schedules && broken.length < 3; seed++) {
    const found = runSchedule(seed, counts, undefined, steps);
    if (found !== undefined) broken.push(found);
  }
  console.log(`${schedules} schedules, ${schedules * steps} steps: ${[...counts].map(String).join("; ")}`);
  expect(broken).toEqual([]);
});

test("no schedule breaks a law of the view", () => {
  const counts = new Counts();
  for (let seed = 0; seed < 300; seed++) {
    const random = new Random(200_000 + seed);
    const simulation = new Simulation(new Laws(counts));
    const schedule = new Schedule(random, simulation, counts);
    for (let step = 0; step < 200; step++) schedule.step();
    simulation.flush();
    const told = tell(SESSION_ID, simulation.log);
    joinsAnywhere(told, SESSION_ID, counts);
    pagesGiveEvents(told, random, counts);
    cursorsArePlaces(told, counts);
    rangesHaveNoHoles(told, counts);
  }
  expect(counts.of("a join")).toBeGreaterThan(10_000);
  expect(counts.of("a cursor")).toBeGreaterThan(10_000);
});
