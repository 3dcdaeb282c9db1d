/** The aggregate of a session under a few schedules: enough to notice a change, and quick. */
import { expect, test } from "vitest";
import { Counts } from "../../host/session/law.js";
import { runSchedule } from "../../host/session/laws.js";

test.each([1, 2, 3, 4])("no schedule breaks a law: part %i", (part) => {
  const counts = new Counts();
  for (let seed = part; seed <= 40; seed += 4) expect(runSchedule(seed, counts)).toBeUndefined();
});
