/** Hosts that no law may hold for: a green run against one of them would say that a green run says nothing. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { methods } from "../../generated/msp/stable/tables.js";
import { catalog } from "../../src/laws/catalog.js";
import type { Driver } from "../../src/laws/driver/driver.js";
import { type OpenedDriver, openDriver } from "../../src/laws/driver/open.js";
import type { AnyLaw, Verdict } from "../../src/laws/law.js";
import { runLaw, verdictOf } from "../../src/laws/run/run-law.js";
import { embeddedDriver } from "../../src/laws/simulation/embedded.js";
import { Stand } from "../../src/laws/stand.js";
import { ROOT, scratchFolder } from "../support/repo.js";

interface Shown {
  readonly verdict: Verdict;
  /** The law that was seen broken, whichever was tried. */
  readonly broke: string | undefined;
  readonly voids: number;
}

interface BadHost {
  readonly host: string;
  /** Laws that must be broken. */
  readonly broken: readonly string[];
  /** Whether no others may be. */
  readonly alone?: true;
  /** Laws that the host keeps indeed. */
  readonly keeps?: readonly string[];
  /** The law that is seen broken whichever is tried. */
  readonly everywhere?: string;
  /** Milliseconds to wait for what a host of this kind never says. */
  readonly timeoutMs?: number;
}

const NEGATIVE = [
  "command-id-format",
  "command-id-required",
  "conflict-method",
  "conflict-payload",
  "invalid-refused",
  "payload-sharp",
  "payload-strict",
  "server-mints-none",
];

const HOSTS: readonly BadHost[] = [
  { host: "refuses-everything", broken: ["handshake"], alone: true, everywhere: "handshake" },
  { host: "refuses-after-handshake", broken: ["valid-accepted"], keeps: ["handshake", "stays-alive"] },
  { host: "accepts-everything", broken: ["valid-messages"], keeps: ["handshake", "stays-alive"] },
  {
    host: "acks-everything",
    broken: NEGATIVE,
    keeps: ["handshake", "open-values", "stays-alive", "unknown-members", "valid-accepted"],
    timeoutMs: 3_000,
  },
  { host: "closes-at-once", broken: [], alone: true },
  {
    host: "never-answers",
    broken: ["answered-once"],
    alone: true,
    everywhere: "answered-once",
    timeoutMs: 300,
  },
  { host: "prints-garbage", broken: ["frames"], alone: true, everywhere: "frames" },
];

/** A driver for one of the bad hosts, of which everything is said, so that every law of one connection applies. */
function driverFor({ host, timeoutMs = 20_000 }: BadHost): Promise<OpenedDriver> {
  const folder = scratchFolder();
  const config = {
    start: [process.execPath, join(ROOT, `test/fixtures/laws/${host}.mjs`)],
    durable: "store",
    prompts: "test-agent",
    serves: Object.keys(methods),
    timeoutMs,
  };
  writeFileSync(join(folder, "mspkit.host.json"), JSON.stringify(config));
  return openDriver({ cwd: folder });
}

/** With a few cases: what a law counts must have been exercised once to say anything. */
function lenient(law: AnyLaw): AnyLaw {
  return { ...law, least: Object.fromEntries(Object.keys(law.least).map((what) => [what, 1])) };
}

/** What all laws that apply say of a host, two at a time. */
async function verdicts(
  driver: Driver,
  casesOf: (law: string) => number,
): Promise<ReadonlyMap<string, Shown>> {
  const left = catalog.filter(({ needs }) => needs.every((ability) => driver.abilities.has(ability)));
  const shown = new Map<string, Shown>();
  const worker = async () => {
    for (let law = left.shift(); law !== undefined; law = left.shift()) {
      const stand = new Stand(driver);
      const cases = Array.from({ length: casesOf(law.id) }, (_, i) => i);
      const run = await runLaw(lenient(law), stand, { seed: 1, cases, maxShrinks: 0 });
      await stand.clear();
      const verdict = verdictOf(lenient(law), run);
      shown.set(law.id, { verdict, broke: run.broken?.law, voids: run.void });
    }
  };
  await Promise.all([worker(), worker()]);
  return shown;
}

/** The laws that have a verdict, in the order of their ids. */
function having(shown: ReadonlyMap<string, Shown>, verdict: Verdict): string[] {
  return [...shown]
    .filter(([, of]) => of.verdict === verdict)
    .map(([id]) => id)
    .sort();
}

describe("no law holds that is not kept by a host that", () => {
  for (const bad of HOSTS)
    test(bad.host.replaceAll("-", " "), { timeout: 240_000 }, async () => {
      const { broken, alone = false, keeps = [], everywhere } = bad;
      const driver = await driverFor(bad);
      const shown = await verdicts(driver, (law) => (keeps.length > 0 && broken.includes(law) ? 4 : 1));
      await driver.close();
      expect(shown.size).toBeGreaterThan(40);
      const found = having(shown, "broken");
      expect(found).toEqual(alone ? [...broken].sort() : expect.arrayContaining([...broken]));
      expect(having(shown, "holds").filter((law) => !keeps.includes(law))).toEqual([]);
      if (everywhere !== undefined)
        expect([...shown].filter(([, { broke }]) => broke !== everywhere).map(([id]) => id)).toEqual([]);
      // Nothing was seen, and each case says so.
      else if (alone) expect([...shown.values()].every(({ voids }) => voids === 1)).toBe(true);
    });

  test("is in order, of which as few cases say what it keeps", { timeout: 120_000 }, async () => {
    const shown = await verdicts(await embeddedDriver(), () => 2);
    expect(having(shown, "broken")).toEqual([]);
    expect(having(shown, "holds").length).toBeGreaterThan(30);
  });
});
