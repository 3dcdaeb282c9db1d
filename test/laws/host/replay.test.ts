import { describe, expect, test } from "vitest";
import { replayIdentity } from "../../../src/laws/laws/replay.js";
import { runLaw, verdictOf } from "../../../src/laws/run/run-law.js";
import { embeddedDriver } from "../../../src/laws/simulation/embedded.js";
import { Stand } from "../../../src/laws/stand.js";

describe("the embedded host", () => {
  test("repeats its acks", async () => {
    const stand = new Stand(await embeddedDriver());
    console.log([...stand.driver.abilities].join(" "));
    const run = await runLaw(replayIdentity, stand, {
      seed: 1,
      cases: Array.from({ length: 15 }, (_, i) => i),
    });
    console.log(run);
    expect(verdictOf(replayIdentity, run)).toBe("holds");
    await stand.clear();
  });
});
