/** The aggregate of a session under a few schedules: enough to notice a change, and quick. */
import { expect, test } from "vitest";
import { Counts } from "../../host/session/law.js";
import { runSchedule } from "../../host/session/laws.js";

test.each([1, 2, 3, 4, 5, 6, 7, 8])("no schedule breaks a law: part %i", (part) => {
  const counts = new Counts();
  for (let seed = part; seed <= 24; seed += 8) expect(runSchedule(seed, counts)).toBeUndefined();
});
