/** Holes: with either recovery, the view ends as that of one who missed nothing. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dice, gapLaw, noCounts } from "./delivery.js";
import { history } from "./history.js";
import { kit } from "./session.js";

describe("a view with holes", () => {
  it("is spliced to the view without them", async () => {
    const counts = noCounts();
    const check = fc.asyncProperty(history(), dice, (events, chance) =>
      gapLaw(kit, events, chance, "splice", counts),
    );
    await fc.assert(check, { numRuns: 1_500, seed: 6 });
    expect(counts.dropped).toBeGreaterThan(5_000);
    expect(counts.gaps).toBeGreaterThan(1_500);
    expect(counts.extended).toBeGreaterThan(300);
    expect(counts.held).toBeGreaterThan(3_000);
    expect(counts.pages).toBeGreaterThan(2_000);
    expect(counts.twins).toBeGreaterThan(2_000);
    expect(counts.orders).toBeGreaterThan(2_000);
  });

  it("is spliced at the second try where the host refuses pages", async () => {
    const counts = noCounts();
    const check = fc.asyncProperty(history(), dice, (events, chance) =>
      gapLaw(kit, events, chance, "splice", counts, true),
    );
    await fc.assert(check, { numRuns: 1_000, seed: 6 });
    expect(counts.failures).toBeGreaterThan(400);
    expect(counts.gaps).toBeGreaterThan(1_500);
  });

  it("is anchored anew, to the view of one who began there", async () => {
    const counts = noCounts();
    const check = fc.asyncProperty(history({ compacted: true }), dice, (events, chance) =>
      gapLaw(kit, events, [{ ...chance[0]!, drops: false }, ...chance], "reanchor", counts),
    );
    await fc.assert(check, { numRuns: 1_500, seed: 6 });
    expect(counts.gaps).toBeGreaterThan(1_500);
    expect(counts.extended).toBeGreaterThan(300);
    expect(counts.held).toBeGreaterThan(3_000);
    expect(counts.twins).toBeGreaterThan(2_000);
  });
});
