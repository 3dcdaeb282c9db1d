import { describe, expect, test } from "vitest";
import { Host } from "../../src/host/host.js";
import type { Driver } from "../../src/laws/driver/driver.js";
import { framesIn } from "../../src/laws/fuzz/frame.js";
import { fuzz } from "../../src/laws/fuzz/fuzz.js";
import { embeddedDriver } from "../../src/laws/simulation/embedded.js";
import { FAULTS, type FaultState, faultState, planted } from "../fixtures/laws/faults.mjs";

/** The embedded host with a fault in front of it. Its memory is what the fault keeps: all else is this process's. */
async function faulty(fault: string): Promise<Driver> {
  let state: FaultState = faultState();
  const driver = await embeddedDriver({
    makeHost: (options) => {
      const host = new Host(options);
      state = faultState();
      const own = state;
      return {
        accept: (transport) => host.accept(planted(transport, fault, own, () => void transport.close())),
        close: () => host.close(),
      };
    },
  });
  const memoryBytes = (): number => state.kept.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return {
    ...driver,
    place: async () => {
      const place = await driver.place();
      return {
        ...place,
        start: async () => ({ ...(await started(place)), memoryBytes }),
        remove: () => place.remove(),
      };
    },
  };
}

async function started(place: Awaited<ReturnType<Driver["place"]>>) {
  const host = await place.start();
  return {
    connect: () => host.connect(),
    plan: host.plan,
    crash: () => host.crash(),
    stop: () => host.stop(),
    ended: host.ended,
    stderrTail: "",
    ...(host.idle === undefined ? {} : { idle: host.idle }),
  };
}

describe("a planted fault is found, called by its kind, and made small", () => {
  test.each(Object.entries(FAULTS))("%s", { timeout: 120_000 }, async (name, { kind }) => {
    const frames = kind === "lawBroken" ? 2_000 : 30_000;
    const report = await fuzz(await faulty(name), {
      frames,
      maxFindings: 1,
      maxShrinks: 80,
      freeBytes: 4 * 1024 * 1024,
    });
    const [finding] = report.findings;
    expect(finding, "nothing was found").toBeDefined();
    expect(finding?.kind).toBe(kind);
    expect(finding?.again).toBe(true);
    if (kind === "lawBroken") expect(finding?.law).toBe("replay-identity");
    else expect(framesIn(finding!.case)).toBeLessThanOrEqual(4);
    expect(finding?.lines.some(({ dir }) => dir === "client")).toBe(true);
  });

  test("the findings that count are the same for any number of hosts", { timeout: 120_000 }, async () => {
    const run = async (workers: number) => {
      const driver = await faulty("fails at a bound");
      const { findings } = await fuzz(driver, { frames: 12_000, maxFindings: 2, maxShrinks: 20, workers });
      return findings.map(({ id, kind, case: of }) => ({ id, kind, of }));
    };
    const one = await run(1);
    expect(one).toHaveLength(2);
    expect(await run(3)).toEqual(one);
  });

  test("there are ten of them and more, and without one nothing is found", { timeout: 60_000 }, async () => {
    expect(Object.keys(FAULTS).length).toBeGreaterThanOrEqual(10);
    const { findings } = await fuzz(await embeddedDriver(), { frames: 3_000 });
    expect(findings).toEqual([]);
  });
});
