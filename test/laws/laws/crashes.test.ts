/** Laws of the death of a host: our hosts keep them, and each breaks on a host with a fault of its kind. */
import { describe, expect, it } from "vitest";
import { abandonedLaws } from "../../../src/laws/laws/abandoned.js";
import { crashLaws } from "../../../src/laws/laws/crashes.js";
import { embeddedDriver } from "../../../src/laws/simulation/embedded.js";
import type { Store } from "../../../src/ledger/store.js";
import { flawedDriver } from "../../support/flawed-driver.js";
import { from } from "../../support/ill-answers.js";
import { ran, toldOf } from "../../support/law-run.js";
import { without } from "../../support/without-ability.js";

const laws = [...crashLaws, ...abandonedLaws];
const lawOf = (id: string) => laws.find((law) => law.id === id) as (typeof laws)[number];

describe("our host", () => {
  it.each(laws.map((law) => [law.id, law] as const))("keeps %s", async (_, law) => {
    for (const driver of [
      await embeddedDriver(),
      without(await embeddedDriver(), ["connections", "twoHosts", "serves:view/page"]),
    ]) {
      const result = await ran(law, driver);
      expect(result.verdict, `${driver.name}: ${toldOf(result)}`).toBe("holds");
      expect(result.run.void, toldOf(result)).toBe(0);
    }
  });

  it("is not asked for what outlives it where nothing does", async () => {
    const { abilities } = await embeddedDriver({ durability: "ephemeral" });
    for (const { needs } of laws) expect(needs.every((need) => abilities.has(need))).toBe(false);
  });
});

/** A store that has lost the last entries of every log that is opened again. */
const losing =
  (lost: number) =>
  (store: Store): Store => ({
    ...store,
    open: async (space, id, options) => {
      const log = await store.open(space, id, options);
      const { entries } = log;
      return space === "sessions"
        ? { ...log, entries: entries.slice(0, Math.max(1, entries.length - lost)) }
        : log;
    },
  });

describe("a fault is found", () => {
  it.each<[string, string, () => (line: string) => string]>([
    [
      "dedupe-after-crash",
      "has another ack after a crash",
      from(2, /"startedNewTurn":true/, '"startedNewTurn":false'),
    ],
    [
      "unanswered-is-safe",
      "has another ack each time",
      from(2, /"startedNewTurn":true/, '"startedNewTurn":false'),
    ],
    [
      "ack-implies-durable",
      "does not know what it acked",
      from(1, /"reason":"abandoned"/, '"reason":"missing_run"'),
    ],
    [
      "abandoned-settlement",
      "gives another reason",
      from(1, /"reason":"abandoned"/, '"reason":"missing_run"'),
    ],
    [
      "abandoned-settlement",
      "says that it completed",
      from(1, /"terminal":"failed"/g, '"terminal":"completed"'),
    ],
    ["abandoned-is-stable", "changes its mind", from(3, /"reason":"abandoned"/, '"reason":"missing_run"')],
    [
      "queued-ack-survives",
      "forgets that it was to wait",
      from(2, /"disposition":"queued"/, '"disposition":"started"'),
    ],
  ])("by %s, in a host that %s", async (id, _, flaw) => {
    const result = await ran(lawOf(id), await flawedDriver(flaw));
    expect(result.run.broken?.what, toldOf(result)).toBeDefined();
    expect(result.clientFrames).toBeLessThanOrEqual(12);
  });

  it.each(["dedupe-after-crash", "ack-implies-durable", "queued-ack-survives"])(
    "by %s, in a host whose store loses entries",
    async (id) => {
      const result = await ran(lawOf(id), await embeddedDriver({ throughStore: losing(6) }));
      expect(result.run.broken?.law, toldOf(result)).toBe(id);
      expect(result.clientFrames).toBeLessThanOrEqual(12);
    },
  );
});
