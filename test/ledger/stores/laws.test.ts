/** Every store of the project keeps every law that it can be held to. */
import { expect, it } from "vitest";
import { checkStore, type StoreSubject } from "../../../src/laws/store/index.js";
import {
  crashableSubject,
  fileSubject,
  memorySubject,
  notKept,
  sqliteSubject,
} from "../../support/store-subjects.js";
import { syncShim } from "../../support/sync-shim.js";

const shim = syncShim();

const rows: [string, StoreSubject, readonly string[]][] = [
  ["the memory store", memorySubject, ["failed", "killed", "killed-writing", "unplugged"]],
  ["the disk of the simulations", crashableSubject, ["unplugged"]],
  ["the file store", fileSubject(), []],
  ["the SQLite store", sqliteSubject(), shim === undefined ? ["unplugged"] : []],
];

it.each(rows)("%s keeps the laws", { timeout: 120_000 }, async (_name, subject, notApplicable) => {
  const report = await checkStore(subject, { seed: 7 });
  expect(notKept(report)).toEqual(Object.fromEntries(notApplicable.map((id) => [id, "notApplicable"])));
  expect(report.holds).toBe(true);
});

it("finds that a file store without sync does not outlive a power cut", { timeout: 120_000 }, async () => {
  const report = await checkStore(fileSubject({ sync: "none" }), { seed: 7 });
  expect(Object.keys(notKept(report))).toEqual(["unplugged"]);
  expect(report.laws.find(({ law }) => law === "unplugged")?.verdict).toBe("broken");
});

// Without a C compiler this cannot be tried, and is counted as skipped.
it.skipIf(shim === undefined).each(["normal", "off"] as const)(
  "finds that an SQLite store with synchronous %s does not outlive a power cut",
  { timeout: 120_000 },
  async (synchronous) => {
    const report = await checkStore(sqliteSubject({ synchronous }), { only: ["unplugged"] });
    expect(report.laws[0]).toMatchObject({ verdict: "broken" });
    expect(report.laws[0]!.counts["deaths"]).toBeGreaterThan(0);
  },
);
