/** Trap E 24: runs in which nothing, or something else, was tested are never green. Hosts of the kind are in a campaign, bad-hosts. */
import { describe, expect, it } from "vitest";
import type { AnyLaw } from "../../../src/laws/law.js";
import { runLaws } from "../../../src/laws/run/run-laws.js";
import { toyDriver, toyLaw } from "../../support/toy-laws.js";

const reportOf = async (...laws: AnyLaw[]) => (await runLaws(toyDriver(), { laws })).report;

describe("trap E 24: a run in which nothing was tested", () => {
  it("keeps to the promise that broke first while the case is made smaller", async () => {
    // The smallest numbers break another law: they are other findings, and not this one.
    const others = toyLaw("other");
    const big = toyLaw("big", { breaks: (n) => n >= 400 });
    const law: AnyLaw = {
      ...big,
      run: async (trial, number) => {
        await toyLaw("low", { breaks: (n) => n < 300, blames: "other" }).run(trial, number);
        await big.run(trial, number);
      },
    };
    const { laws } = await reportOf(law, others);
    expect(laws.find(({ id }) => id === "big")).toMatchObject({ verdict: "broken", broken: { case: 400 } });
  });

  it("is inconclusive where nearly every case is discarded, with how many and why", async () => {
    const report = await reportOf(toyLaw("picky", { runs: 200, void: (n) => n % 100 !== 0 }));
    expect(report.verdict).toBe("inconclusive");
    expect(report.laws[0]).toMatchObject({ verdict: "inconclusive", cases: 200 });
    expect(report.laws[0]?.void).toBeGreaterThan(180);
    expect(report.laws[0]?.voidReasons).toEqual(["a void number"]);
  });

  it("is inconclusive where the precondition of every case fails", async () => {
    const report = await reportOf(toyLaw("never", { void: () => true }), toyLaw("fine"));
    expect(report.verdict).toBe("inconclusive");
    expect(report.laws.map(({ verdict }) => verdict)).toEqual(["inconclusive", "holds"]);
  });

  it("is inconclusive where the cases come to something else than what the law is about", async () => {
    const report = await reportOf(toyLaw("beside", { least: { replays: 1 } }));
    expect(report.laws[0]).toMatchObject({ verdict: "inconclusive", counts: { numbers: 12 } });
  });

  it("says nothing where there is no law to try", async () => {
    expect((await reportOf()).verdict).toBe("inconclusive");
  });
});
