/** The table of promises is checked both ways: every law is in it, and all that it names is there. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { catalog } from "../../src/laws/catalog.js";
import type { PromiseRow } from "../../src/laws/promises.js";
import { promises } from "../../src/laws/promises.js";
import { hasReference, REFERENCE, ROOT } from "../support/repo.js";

/** What is wrong with a table. */
function wrongWith(rows: readonly PromiseRow[], sections: readonly string[]): string[] {
  const wrong: string[] = [];
  const ids = new Set(catalog.map(({ id }) => id));
  const named = new Set<string>();
  const seen = new Set<string>();
  for (const { id, section, promise, by } of rows) {
    if (seen.has(id)) wrong.push(`${id} stands twice`);
    seen.add(id);
    if (!id.startsWith(`${section}-`)) wrong.push(`${id} is not of section ${section}`);
    if (!/^[A-Z].*\.$/.test(promise)) wrong.push(`${id} is no sentence`);
    if ("laws" in by) {
      if (by.laws.length === 0) wrong.push(`${id} names no law`);
      for (const law of by.laws) {
        named.add(law);
        if (!ids.has(law)) wrong.push(`${id} names the law ${law}, which there is not`);
      }
    } else if ("tests" in by) {
      if (by.tests.length === 0) wrong.push(`${id} names no test`);
      for (const path of by.tests)
        if (!existsSync(join(ROOT, path))) wrong.push(`${id} names ${path}, which there is not`);
    } else if (by.excluded.length < 20) wrong.push(`${id} is excluded without a reason`);
  }
  for (const id of ids) if (!named.has(id)) wrong.push(`no promise names the law ${id}`);
  for (const section of sections)
    if (!rows.some((row) => row.section === section)) wrong.push(`section ${section} has no promise`);
  return wrong;
}

const row = (id: string, by: PromiseRow["by"]): PromiseRow => ({
  ...{ id, section: id.slice(0, id.indexOf("-")), promise: "It is so.", by },
});

describe("the table of promises", () => {
  it("names every law, and what is there", () => {
    expect(wrongWith(promises, [])).toEqual([]);
    expect(promises.length).toBeGreaterThan(90);
  });

  it.skipIf(!hasReference)("has something of every section", () => {
    const text = readFileSync(join(REFERENCE, "facts-commands.md"), "utf8");
    const sections = [...text.matchAll(/^##+ ([1-8](?:\.\d+)?)\.? /gm)].map(([, section]) => section!);
    expect(sections.length).toBeGreaterThan(25);
    expect(wrongWith(promises, sections)).toEqual([]);
  });

  it("is found wrong where it is", () => {
    const poisoned = [
      ...promises.filter(({ by }) => !("laws" in by && by.laws.includes("late-joiner"))),
      row("1-id-required", { laws: ["replay-identity"] }),
      row("9-a", { laws: ["no-such-law"] }),
      row("9-b", { tests: ["test/no/such.test.ts"] }),
      row("9-c", { excluded: "no" }),
      row("9-d", { laws: [] }),
      { ...row("9-e", { laws: ["replay-identity"] }), section: "8" },
    ];
    expect(wrongWith(poisoned, ["1.1", "9.9"])).toEqual([
      "1-id-required stands twice",
      "9-a names the law no-such-law, which there is not",
      "9-b names test/no/such.test.ts, which there is not",
      "9-c is excluded without a reason",
      "9-d names no law",
      "9-e is not of section 8",
      "no promise names the law late-joiner",
      "section 9.9 has no promise",
    ]);
  });
});
