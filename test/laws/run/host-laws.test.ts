import { describe, expect, it } from "vitest";
import { catalog } from "../../../src/laws/catalog.js";
import { embeddedDriver, isLawBroken, isLawInconclusive, laws } from "../../../src/laws/index.js";
import { FLAWS } from "../../fixtures/laws/flaws.mjs";
import { flawedDriver } from "../../support/flawed-driver.js";

const law = (id: string) => laws.find((one) => one.id === id)!;
const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a law, for any runner", () => {
  it("is there for each of the catalog", () => {
    expect(laws.map(({ id }) => id)).toEqual(catalog.map(({ id }) => id));
    expect(new Set(laws.map(({ id }) => id)).size).toBe(laws.length);
  });

  it("resolves with its counts where it holds", async () => {
    const checked = await law("replay-identity").check(await embeddedDriver(), { seed: 3, runs: 6 });
    expect(checked).toMatchObject({ verdict: "holds", cases: 6 });
    expect(checked.counts["replays"]).toBeGreaterThan(0);
  });

  it("resolves with what is missing where it does not apply", async () => {
    const driver = await embeddedDriver({ durability: "ephemeral" });
    expect(await law("dedupe-after-crash").check(driver)).toMatchObject({
      verdict: "notApplicable",
      missing: expect.arrayContaining(["durable"]),
      cases: 0,
    });
  });

  it("rejects with what passed where it is broken", async () => {
    const driver = await flawedDriver(FLAWS.newTurnOnReplay);
    const error = await thrown(law("replay-identity").check(driver, { runs: "50%" }));
    expect(isLawBroken(error) && error.law).toBe("replay-identity");
    expect((error as Error).message).toContain("turn/start");
    expect((error as Error).message).toContain(
      "again: mspkit laws run --law replay-identity --seed 1 --case",
    );
  });

  it("rejects with the law that is seen broken in its cases", async () => {
    const driver = await flawedDriver(FLAWS.noStatus);
    const error = await thrown(law("one-end").check(driver));
    expect(isLawBroken(error) && error.law).toBe("valid-messages");
  });

  it("rejects as inconclusive where the host ends before it has said anything", async () => {
    const driver = await embeddedDriver();
    const deaf = {
      ...driver,
      place: async () => {
        const place = await driver.place();
        const start = async () => {
          const host = await place.start();
          const connect = async () => {
            const transport = await host.connect();
            await host.stop();
            return transport;
          };
          return { ...host, connect };
        };
        return { start, remove: () => place.remove() };
      },
    };
    const error = await thrown(law("replay-identity").check(deaf, { runs: 5 }));
    expect(isLawInconclusive(error) && error.row).toMatchObject({
      id: "replay-identity",
      verdict: "inconclusive",
      void: 5,
      why: expect.stringContaining("came to nothing"),
    });
  });

  it("takes no number of cases that is none", async () => {
    await expect(law("replay-identity").check(await embeddedDriver(), { runs: 0 })).rejects.toThrow(
      RangeError,
    );
  });
});
