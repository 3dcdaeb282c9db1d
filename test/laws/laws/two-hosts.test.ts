/** Laws of two hosts on one place: our hosts keep them, and each breaks on hosts or a store with a fault of its kind. */
import { describe, expect, it } from "vitest";
import { twoHostLaws } from "../../../src/laws/laws/two-hosts.js";
import { embeddedDriver } from "../../../src/laws/simulation/embedded.js";
import type { Log, Store } from "../../../src/ledger/store.js";
import { ran, toldOf } from "../../support/law-run.js";

const lawOf = (id: string) => twoHostLaws.find((law) => law.id === id) as (typeof twoHostLaws)[number];

/** Changes every log that a store opens. */
const throughLogs =
  (change: (log: Log) => Log) =>
  (store: Store): Store => ({
    ...store,
    open: async (...words) => change(await store.open(...words)),
  });

/** Takes what it writes after it was fenced for written. */
const unfenced = throughLogs((log) => ({
  ...log,
  write: (entries) => {
    try {
      return log.write(entries);
    } catch {
      return undefined;
    }
  },
}));

/** Takes a session from whoever has it. */
const greedy = (store: Store): Store => ({
  ...store,
  open: async (space, id, options) => {
    if ((await store.state(space, id)) === "held") await store.fence(space, id);
    return store.open(space, id, options);
  },
});

describe("our hosts", () => {
  it.each(twoHostLaws.map((law) => [law.id, law] as const))("keep %s", async (_, law) => {
    const result = await ran(law, await embeddedDriver());
    expect(result.verdict, toldOf(result)).toBe("holds");
    expect(result.run.void, toldOf(result)).toBe(0);
  });

  it("are not asked where there can be one only", async () => {
    const { abilities } = await embeddedDriver({ durability: "ephemeral" });
    for (const { needs } of twoHostLaws) expect(needs.every((need) => abilities.has(need))).toBe(false);
  });
});

describe("a fault is found", () => {
  it.each<[string, string, (store: Store) => Store]>([
    ["settle-once", "write after they were fenced", unfenced],
    ["recovery-spares-the-living", "take a session from each other", greedy],
    ["epochs-rise", "have the epoch of the holder before", throughLogs((log) => ({ ...log, epoch: 1 }))],
    ["epochs-rise", "write after they were fenced", unfenced],
    ["store-laws", "write after they were fenced", unfenced],
    ["store-laws", "take a session from each other", greedy],
  ])("by %s, in hosts that %s", async (id, _, throughStore) => {
    const result = await ran(lawOf(id), await embeddedDriver({ throughStore }));
    expect(result.run.broken?.law, toldOf(result)).toBe(id);
    expect(result.clientFrames).toBeLessThanOrEqual(12);
  });
});
