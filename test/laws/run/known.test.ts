import { describe, expect, it } from "vitest";
import { readKnownFailures } from "../../../src/laws/run/known.js";

const LAWS = ["one", "two"];
const GOOD = { law: "one", reason: "not done yet", until: "2026-12-24" };
const read = (value: unknown) => readKnownFailures(JSON.stringify(value), LAWS);

describe("a list of known failures", () => {
  it("is read", () => {
    const list = [GOOD, { ...GOOD, law: "two", issue: "https://example.org/1" }];
    expect(read(list)).toEqual({ known: list });
    expect(read([])).toEqual({ known: [] });
  });

  it.each([
    ["no list", GOOD, "is not a list"],
    ["no object", [1], "[0] is not an object"],
    ["null", [null], "[0] is not an object"],
    ["an unknown law", [{ ...GOOD, law: "three" }], "[0] names no law"],
    ["an unknown member", [{ ...GOOD, untill: "x" }], '"untill"'],
    ["no reason", [{ ...GOOD, reason: " " }], "has no reason"],
    ["no day", [{ law: "one", reason: "x" }], "has no last day"],
    ["a day that does not exist", [{ ...GOOD, until: "2026-02-30" }], "has no last day"],
    ["a moment", [{ ...GOOD, until: "2026-12-24T00:00:00Z" }], "has no last day"],
    ["an issue that is no text", [{ ...GOOD, issue: 7 }], "issue"],
    ["a law twice", [GOOD, GOOD], "[1] names one a second time"],
  ])("is refused with %s", (_, value, wrong) => {
    expect(read(value)).toEqual({ wrong: expect.stringContaining(wrong) });
  });

  it("is refused where it is not JSON", () => {
    expect(readKnownFailures("[", LAWS)).toEqual({ wrong: expect.stringContaining("not JSON") });
  });
});
