/** Releases: which texts are one, their order, and which comes after a drift. */
import { describe, expect, test } from "vitest";
import type { Change } from "../../../codegen/drift/change.js";
import { compareReleases, isRelease, nextVersion, parseRelease } from "../../../codegen/drift/version.js";
import { changed, driftFrom } from "./made.js";

/** As Semantic Versioning orders them, from the earliest. */
const ORDERED = [
  "0.0.0",
  "0.9.10",
  "0.10.0",
  "1.0.0-0",
  "1.0.0-9",
  "1.0.0-10",
  "1.0.0--1",
  "1.0.0-alpha",
  "1.0.0-alpha.1",
  "1.0.0-alpha.beta",
  "1.0.0-beta",
  "1.0.0-beta.2",
  "1.0.0-beta.11",
  "1.0.0-beta.99999999999999999998",
  "1.0.0-beta.99999999999999999999",
  "1.0.0-rc.1",
  "1.0.0",
  "1.2.9",
  "1.10.0",
  "2.0.0",
  "999999999999999.0.0",
];

test("releases are ordered as Semantic Versioning says", () => {
  let pairs = 0;
  for (const [i, a] of ORDERED.entries())
    for (const [j, b] of ORDERED.entries()) {
      expect(Math.sign(compareReleases(a, b)), `${a} and ${b}`).toBe(Math.sign(i - j));
      pairs++;
    }
  expect(pairs).toBe(ORDERED.length ** 2);
  expect(compareReleases("1.0.0+a", "1.0.0+b")).toBe(0);
});

test.each([
  "",
  "1",
  "1.0",
  "v1.0.0",
  "1.0.0.0",
  "01.0.0",
  "1.00.0",
  "1.0.0-",
  "1.0.0-01",
  "1.0.0-a..b",
  "1.0.0+",
  " 1.0.0",
  "1.0.0\n",
  "1.0.0-é",
  "9999999999999999.0.0",
  "-1.0.0",
])("%j is no release", (text) => {
  expect(isRelease(text)).toBe(false);
  expect(parseRelease(text)).toBeUndefined();
  expect(() => compareReleases(text, "1.0.0")).toThrow(RangeError);
});

test("a release has its parts", () => {
  expect(parseRelease("1.2.3-rc.1+build-7")).toEqual({ major: 1, minor: 2, patch: 3, before: ["rc", "1"] });
  expect(parseRelease("1.2.3+a-b")).toEqual({ major: 1, minor: 2, patch: 3, before: [] });
});

describe("the next version", () => {
  const of = (...parts: Partial<Change>[]) => driftFrom(...parts.map(changed));
  const nothing = of();
  const none = of({ verdict: "none" });
  const additive = of({ verdict: "none" }, { verdict: "additive" });
  const unknown = of({ verdict: "additive" }, { verdict: "unknown" });
  const breaking = of({ verdict: "breaking" }, { verdict: "additive" });
  const experimental = of({ verdict: "breaking", surface: "experimental" });
  test.each([
    ["0.3.4", nothing, "0.3.4"],
    ["0.3.4", none, "0.3.5"],
    ["0.3.4", additive, "0.3.5"],
    ["0.3.4", unknown, "0.4.0"],
    ["0.3.4", breaking, "0.4.0"],
    ["0.3.4", experimental, "0.3.5"],
    ["1.4.13", nothing, "1.4.13"],
    ["1.4.13", none, "1.4.14"],
    ["1.4.13", additive, "1.5.0"],
    ["1.4.13", unknown, "2.0.0"],
    ["1.4.13", breaking, "2.0.0"],
    ["1.4.13", experimental, "1.4.14"],
    // A pre-release is followed by its own release, where that moves enough.
    ["2.0.0-rc.1", nothing, "2.0.0-rc.1"],
    ["2.0.0-rc.1", breaking, "2.0.0"],
    ["2.1.0-rc.1", breaking, "3.0.0"],
    ["2.0.1-rc.1", breaking, "3.0.0"],
    ["2.1.0-rc.1", additive, "2.1.0"],
    ["2.1.1-rc.1", additive, "2.2.0"],
    ["2.1.1-rc.1", none, "2.1.1"],
    ["1.4.13+build", additive, "1.5.0"],
  ] as const)("after %s (case %#) is %3$s", (base, drift, next) => {
    expect(nextVersion(base, drift)).toBe(next);
  });

  test("is not told of what is no release", () => {
    expect(() => nextVersion("v1.0.0", breaking)).toThrow(RangeError);
  });
});
