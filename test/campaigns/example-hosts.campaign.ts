/** The hosts in Python and Go: every law with its whole budget, and every fault. Some minutes. */
import { describe, expect, it } from "vitest";
import { catalog } from "../../src/laws/catalog.js";
import { verdictOf } from "../../src/laws/run/run-law.js";
import { DURABLE, exampleHosts, lawNamed, openExample, tryLaws } from "../support/example-hosts.js";

/** Only a hang reaches it; milliseconds. */
const LONGEST = 1_800_000;

for (const host of exampleHosts)
  describe.skipIf(host.missing !== undefined)(`the host in ${host.name}`, { timeout: LONGEST }, () => {
    it.each([
      ["with a log", DURABLE],
      ["in memory", []],
    ])("holds every law that it declares, %s", async (_how, words) => {
      const runs = await tryLaws(await openExample(host, words), catalog, ({ runs: budget }) => budget);
      const verdicts = [...runs].map(([id, run]) => ({
        id,
        verdict: verdictOf(lawNamed(id), run),
        what: run.broken?.what,
        of: run.broken?.law,
        voids: run.voidReasons,
      }));
      expect(verdicts.filter(({ verdict }) => verdict !== "holds")).toEqual([]);
      expect(verdicts.length).toBeGreaterThanOrEqual(30);
    });

    it.each(host.faults)("breaks $law by the fault $name", async ({ name, law }) => {
      const driver = await openExample(host, [...DURABLE, "--fault", name]);
      const run = (await tryLaws(driver, [lawNamed(law)], ({ runs }) => runs)).get(law);
      expect(run?.broken).toMatchObject({ law, of: law });
      const sent = run?.broken?.history.lines.filter(({ dir, handshake }) => dir === "client" && !handshake);
      expect(sent?.length).toBeLessThanOrEqual(12);
    });
  });
