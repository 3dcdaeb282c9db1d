/** All laws on `mspkit serve` as a process, over each of its stores, as a user would run them. */
import { describe, expect, test } from "vitest";
import type { LawsReport } from "../../src/laws/report/report.js";
import { mspkit } from "../support/cli.js";
import { MSPKIT } from "../support/conversation.js";
import { scratchFolder } from "../support/repo.js";

/** Laws that are tried on a store in the process of the kit alone. */
const OF_A_STORE = ["epochs-rise", "store-laws"];
const OF_MEMORY = ["ephemeral-claims-nothing", "ephemeral-within-life"];

describe("mspkit laws on mspkit serve", () => {
  test.each(["file:{dir}", "sqlite:{dir}/sessions.db", "memory"])(
    "%s",
    { timeout: 1_200_000 },
    async (store) => {
      const cwd = scratchFolder();
      const host = [process.execPath, MSPKIT, "serve", "--store", store, "--workspace", cwd];
      const words = ["laws", "--workers", "6", "--report", "json", "--", ...host];
      const { stdout, stderr, code } = await mspkit(words, { cwd, timeout: 1_200_000 });
      const report = JSON.parse(stdout) as LawsReport;
      const named = (verdict: string) =>
        report.laws.flatMap((row) => (row.verdict === verdict ? [row.id] : [])).sort();
      expect([...named("broken"), ...named("inconclusive")], stderr).toEqual([]);
      const out = report.laws.filter(({ level }) => level === "durable").map(({ id }) => id);
      const durable = out.filter((id) => !OF_A_STORE.includes(id));
      expect(durable.length).toBeGreaterThanOrEqual(8);
      // A law may need something durable at another level too.
      if (store === "memory") expect(named("notApplicable")).toEqual(expect.arrayContaining(out));
      else expect(named("notApplicable")).toEqual([...OF_A_STORE, ...OF_MEMORY].sort());
      console.info(
        `${store}: ${named("holds").length} laws hold, in ${Math.round(report.durationMs / 1000)} s`,
      );
      expect(code).toBe(0);
    },
  );
});
