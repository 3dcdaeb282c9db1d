/** Hosts that no law may hold for: a green run against one of them would say that a green run says nothing. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { methods } from "../../generated/msp/stable/tables.js";
import { catalog } from "../../src/laws/catalog.js";
import { type OpenedDriver, openDriver } from "../../src/laws/driver/open.js";
import type { AnyLaw, Verdict } from "../../src/laws/law.js";
import { runLaw, verdictOf } from "../../src/laws/run/run-law.js";
import { Stand } from "../../src/laws/stand.js";
import { ROOT, scratchFolder } from "../support/repo.js";

interface Shown {
  readonly verdict: Verdict;
  /** The law that was seen broken, whichever was tried. */
  readonly broke: string | undefined;
  readonly why: string | undefined;
}

/** A driver for one of the bad hosts, of which everything is said, so that every law of one connection applies. */
function badHost(name: string, timeoutMs: number): Promise<OpenedDriver> {
  const folder = scratchFolder();
  const config = {
    start: [process.execPath, join(ROOT, "test/fixtures/laws", name)],
    durable: "store",
    prompts: "test-agent",
    serves: Object.keys(methods),
    timeoutMs,
  };
  writeFileSync(join(folder, "mspkit.host.json"), JSON.stringify(config));
  return openDriver({ cwd: folder });
}

/** Whatever the number of cases is: what a law counts must have been exercised once to say anything. */
function lenient(law: AnyLaw): AnyLaw {
  return { ...law, least: Object.fromEntries(Object.keys(law.least).map((what) => [what, 1])) };
}

/** What all laws that apply say of a bad host, two at a time. */
async function verdicts(name: string, timeoutMs: number, cases: number): Promise<Map<string, Shown>> {
  const driver = await badHost(name, timeoutMs);
  const laws = catalog.filter(({ needs }) => needs.every((ability) => driver.abilities.has(ability)));
  const shown = new Map<string, Shown>();
  const left = [...laws];
  const worker = async () => {
    for (let law = left.shift(); law !== undefined; law = left.shift()) {
      const t0 = performance.now();
      const stand = new Stand(driver);
      const run = await runLaw(lenient(law), stand, {
        seed: 1,
        cases: Array.from({ length: cases }, (_, i) => i),
        maxShrinks: 0,
      });
      await stand.clear();
      console.log("time", law.id, performance.now() - t0);
      const verdict = verdictOf(lenient(law), run);
      shown.set(law.id, { verdict, broke: run.broken?.law, why: run.broken?.what ?? run.voidReasons[0] });
    }
  };
  await Promise.all([worker(), worker()]);
  await driver.close();
  expect(shown.size).toBeGreaterThan(35);
  return shown;
}

/** The laws that have a verdict. */
function having(shown: ReadonlyMap<string, Shown>, verdict: Verdict): string[] {
  return [...shown].filter(([, of]) => of.verdict === verdict).map(([id]) => id);
}

describe("no law holds for a host that", () => {
  for (const [n, t, c] of [["acks-everything.mjs", 10_000, 2]] as const)
  test(n, { timeout: 400_000 }, async () => {
    const t0 = performance.now();
    const shown = await verdicts(n, t, c);
    console.log(n, performance.now() - t0, "holds", having(shown, "holds"), "broken", having(shown, "broken"), [...shown].map(([id, s]) => `${id} ${s.verdict} ${s.broke} ${s.why?.slice(0,100)}`));
  });
});
