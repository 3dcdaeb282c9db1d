/** `describeHostLaws` makes tests of this very run: what follows are the laws of the embedded host. */
import { expect, it } from "vitest";
import { embeddedDriver } from "../../src/laws/simulation/embedded.js";
import { describeHostLaws } from "../../src/laws/vitest.js";

const driver = await embeddedDriver({ durability: "ephemeral" });
describeHostLaws(driver, {
  only: ["replay-identity", "dedupe-after-crash"],
  runs: "20%",
  title: "made tests",
});

it("makes a test of each law, and skips what does not apply", ({ task }) => {
  const made = task.file.tasks.find(({ name }) => name === "made tests");
  expect(
    made !== undefined && "tasks" in made && made.tasks.map(({ name, mode }) => [name.split(":")[0], mode]),
  ).toEqual([
    ["replay-identity", "run"],
    ["dedupe-after-crash", "skip"],
  ]);
});
