import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  caseCount,
  caseNumbers,
  leastOf,
  readRuns,
  readShard,
  runsText,
} from "../../../src/laws/run/plan.js";
import { toyLaw } from "../../support/toy-laws.js";

describe("the number of cases", () => {
  it("is read and written", () => {
    for (const text of ["1", "250", "20%", "300%"])
      expect(runsText(readRuns(text) ?? { each: 0 })).toBe(text);
    for (const text of ["0", "0%", "-1", "1.5", "x", "", "10 %", "10000000"])
      expect(readRuns(text)).toBeUndefined();
  });

  it("is one at the least, and a part of each law's own", () => {
    const law = toyLaw("one", { runs: 15 });
    expect(
      [{ percent: 1 }, { percent: 20 }, { percent: 100 }, { percent: 140 }, { each: 4 }].map((runs) =>
        caseCount(law, runs),
      ),
    ).toEqual([1, 3, 15, 21, 4]);
  });

  it("asks for less of what must be exercised where it is smaller, and never for more", () => {
    const law = toyLaw("one", { runs: 10, least: { replays: 20, crashes: 3 } });
    expect(leastOf(law, 10)).toEqual({ replays: 20, crashes: 3 });
    expect(leastOf(law, 5)).toEqual({ replays: 10, crashes: 1 });
    expect(leastOf(law, 1)).toEqual({ replays: 2, crashes: 1 });
    expect(leastOf(law, 1_000)).toEqual({ replays: 20, crashes: 3 });
  });
});

describe("a shard", () => {
  it("is read", () => {
    expect(readShard("2/4")).toEqual({ index: 2, of: 4 });
    for (const text of ["0/4", "5/4", "1", "1/0", "a/b", "1/4/2", ""])
      expect(readShard(text)).toBeUndefined();
  });

  it("has each case once, together with the others", () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(100), fc.integer({ min: 1, max: 9 }), (from, count, of) => {
        const parts = Array.from({ length: of }, (_, i) =>
          caseNumbers(from, from + count, { index: i + 1, of }),
        );
        expect(parts.flat().sort((a, b) => a - b)).toEqual(caseNumbers(from, from + count));
      }),
    );
  });
});
