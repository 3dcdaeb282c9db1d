/** The walk: our hosts come through it, and what it exercises is enough to find faults that no single law looks for. */
import { describe, expect, it } from "vitest";
import { historyLaws } from "../../../src/laws/laws/histories.js";
import { embeddedDriver } from "../../../src/laws/simulation/embedded.js";
import { flawedDriver } from "../../support/flawed-driver.js";
import { from } from "../../support/ill-answers.js";
import { ran, toldOf } from "../../support/law-run.js";
import { without } from "../../support/without-ability.js";

const [walk] = historyLaws;

describe("our host", () => {
  it("comes through with crashes, partial operations and overlapping ones", async () => {
    const result = await ran(walk!, await embeddedDriver());
    expect(result.verdict, toldOf(result)).toBe("holds");
    const { counts, void: voids } = result.run;
    expect(voids, toldOf(result)).toBe(0);
    for (const [what, least] of Object.entries({
      crashes: 10,
      partial: 5,
      overlapping: 50,
      replays: 60,
      conflicts: 10,
    }))
      expect(counts[what], what).toBeGreaterThanOrEqual(least);
  });

  it("comes through where nothing outlives it, and over one connection", async () => {
    for (const driver of [
      await embeddedDriver({ durability: "ephemeral" }),
      without(await embeddedDriver(), ["connections", "twoHosts"]),
    ]) {
      const result = await ran(walk!, driver);
      expect(result.verdict, `${driver.name}: ${toldOf(result)}`).toBe("holds");
    }
  });
});

describe("a fault is found by the models alone, in a host that", () => {
  it.each<[string, () => (line: string) => string]>([
    ["now and then names another turn", from(4, /"disposition":"started"/, '"disposition":"queued"')],
    [
      "tells some ends twice",
      from(3, /^(.*"method":"turn\/completed".*"viewCursor":")(.*)$/, "$1$2\n$1again $2"),
    ],
    ["forgets an end", from(2, /.*"method":"turn\/completed".*/, "")],
  ])("%s", async (_, flaw) => {
    const result = await ran(walk!, await flawedDriver(flaw));
    expect(result.run.broken?.law, toldOf(result)).toBeDefined();
    expect(result.clientFrames, toldOf(result)).toBeLessThanOrEqual(12);
  });
});
