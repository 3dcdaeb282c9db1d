import { describe, expect, test } from "vitest";
import { crashLaws } from "../../../src/laws/laws/crashes.js";
import { queueLaws } from "../../../src/laws/laws/queue.js";
import { historyLaws } from "../../../src/laws/laws/histories.js";
import { twoHostLaws } from "../../../src/laws/laws/two-hosts.js";
import { steerLaws } from "../../../src/laws/laws/steers.js";
import { turnLaws } from "../../../src/laws/laws/turns.js";
import { runLaw, verdictOf } from "../../../src/laws/run/run-law.js";
import { embeddedDriver } from "../../../src/laws/simulation/embedded.js";
import { Stand } from "../../../src/laws/stand.js";

describe("the embedded host", () => {
  test.each([...historyLaws].map((law) => [law.id, law] as const))("keeps %s", async (_, law) => {
    const stand = new Stand(await embeddedDriver());
    const begun = performance.now();
    const run = await runLaw(law, stand, { seed: 1, cases: Array.from({ length: law.runs }, (_, i) => i) });
    console.log(JSON.stringify({ ...run, broken: run.broken && {...run.broken, history: run.broken.history.lines.map(l=>l.raw.slice(0,200))} }, null, run.broken ? 1 : 0), performance.now() - begun);
    expect(verdictOf(law, run)).toBe("holds");
    await stand.clear();
  });
});
