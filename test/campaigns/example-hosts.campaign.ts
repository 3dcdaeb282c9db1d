/** The hosts in Python and Go: every law with its whole budget, and every fault. Some minutes. */
import { describe, expect, it } from "vitest";
import { catalog } from "../../src/laws/catalog.js";
import { runLaws } from "../../src/laws/run/run-laws.js";
import { DURABLE, exampleHosts, lawNamed, openExample, tryLaws } from "../support/example-hosts.js";

/** Only a hang reaches it; milliseconds. */
const LONGEST = 1_800_000;
/** Laws at once. They wait for hosts for the most part. */
const WORKERS = 6;

for (const host of exampleHosts)
  describe.skipIf(host.missing !== undefined)(`the host in ${host.name}`, { timeout: LONGEST }, () => {
    it.each([
      ["with a log", DURABLE],
      ["in memory", []],
    ])("holds every law that it declares, %s", async (_how, words) => {
      const driver = await openExample(host, words);
      try {
        const { report } = await runLaws(driver, { laws: catalog, workers: WORKERS });
        const unsure = new Set(
          report.laws.filter(({ verdict }) => verdict === "inconclusive").map(({ id }) => id),
        );
        // A host that answers fast is killed before its answer by chance: of four times as many cases some are.
        const again =
          unsure.size === 0
            ? []
            : (
                await runLaws(driver, {
                  laws: catalog.filter(({ id }) => unsure.has(id)),
                  workers: WORKERS,
                  runs: { percent: 400 },
                })
              ).report.laws;
        const laws = [...report.laws.filter(({ id }) => !unsure.has(id)), ...again];
        expect(laws.filter(({ verdict }) => verdict !== "holds" && verdict !== "notApplicable")).toEqual([]);
        expect(laws.filter(({ verdict }) => verdict === "holds").length).toBeGreaterThanOrEqual(30);
      } finally {
        await driver.close();
      }
    });

    it.each(host.faults)("breaks $law by the fault $name", async ({ name, law }) => {
      const driver = await openExample(host, [...DURABLE, "--fault", name]);
      const run = (await tryLaws(driver, [lawNamed(law)], ({ runs }) => runs)).get(law);
      expect(run?.broken).toMatchObject({ law, of: law });
      const sent = run?.broken?.history.lines.filter(({ dir, handshake }) => dir === "client" && !handshake);
      expect(sent?.length).toBeLessThanOrEqual(12);
    });
  });
