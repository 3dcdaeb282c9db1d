/** What docs/stores.md says of losses, lines and laws is so. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkStore, type StoreSubject, storeLaws } from "../../src/laws/store/index.js";
import { readLine } from "../../src/ledger/stores/file/lines.js";
import { ROOT } from "../support/repo.js";
import { fileSubject, memorySubject, sqliteSubject } from "../support/store-subjects.js";
import { syncShim } from "../support/sync-shim.js";

const PAGE = readFileSync(join(ROOT, "docs/stores.md"), "utf8");

/** The rows of the table below a heading, cell by cell. */
function table(heading: string): string[][] {
  const part = PAGE.slice(PAGE.indexOf(`## ${heading}\n`)).split("\n## ")[0]!;

  return part
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .slice(2, -2)
        .split(" | ")
        .map((cell) => cell.trim()),
    );
}

const SUBJECTS: Readonly<Record<string, StoreSubject>> = {
  "`memory`": memorySubject,
  "`file:DIR`": fileSubject(),
  "`file:DIR?sync=none`": fileSubject({ sync: "none" }),
  "`sqlite:PATH`": sqliteSubject(),
  "`sqlite:PATH?synchronous=normal`": sqliteSubject({ synchronous: "normal" }),
  "`sqlite:PATH?synchronous=off`": sqliteSubject({ synchronous: "off" }),
};

describe("the table of losses", () => {
  const rows = table("What can be lost");

  it("has every store and setting", () => {
    expect(rows.map(([store]) => store)).toEqual(Object.keys(SUBJECTS));
  });

  it.each(rows)("says of %s what the laws say", { timeout: 120_000 }, async (store, process, power) => {
    const report = await checkStore(SUBJECTS[store!]!, { only: ["killed", "unplugged"] });
    const found = Object.fromEntries(report.laws.map(({ law, verdict }) => [law, verdict]));
    // A store in memory has no process of its own to kill: it ends with ours.
    expect(found["killed"]).toBe(process === "nothing" ? "holds" : "notApplicable");
    const tried = process === "nothing" && (store!.startsWith("`file") || syncShim() !== undefined);
    const right = power === "nothing" ? "holds" : "broken";
    expect(found["unplugged"]).toBe(tried ? right : "notApplicable");
  });
});

it("the lines that it shows are sound", () => {
  const lines = PAGE.split("\n").filter((line) => line.startsWith('{"crc":'));
  const kinds = lines.map((line) => readLine(Buffer.from(line), 0, Buffer.byteLength(line))?.kind);
  expect(kinds).toEqual(["claim", "before", "entry", "closed"]);
});

it("the table of laws is that of the laws", () => {
  expect(table("Your own store")).toEqual(storeLaws.map(({ id, promise }) => [`\`${id}\``, promise]));
});
