/** What PostgreSQL forgets: the oldest settlements, no more of them than is too much, and by whoever is there. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandResults } from "../../../src/commands/index.js";
import { migratePostgres, postgresResults } from "../../../src/commands/node.js";
import { migrateTo } from "../../../src/commands/results/postgres/migrate.js";
import { MIGRATIONS } from "../../../src/commands/results/postgres/migrations.js";
import { accepted } from "../../support/commands.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../../support/postgres.js";

const keyOf = (commandId: string) => ({ tenant: "t", workspace: "w", participant: "p", commandId });

async function claim(results: CommandResults, id: string) {
  const claimed = await results.claim({
    key: keyOf(id),
    idTime: undefined,
    signature: undefined,
    deadlineMs: 60_000,
  });
  if (claimed.kind !== "claimed") throw new Error(`${id} is ${claimed.kind}`);
  return claimed.claim;
}

async function settle(results: CommandResults, id: string): Promise<void> {
  await results.settle(await claim(results, id), accepted(id));
}

describe.skipIf(!hasPostgres)("results in PostgreSQL", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres({ fsync: "off" });
  });
  afterAll(async () => {
    await server?.remove();
  });

  it("forget what was settled first, though it was claimed last", async () => {
    const url = await server.database();
    await migratePostgres(url);
    const results = postgresResults(url, { retention: { newest: 2 } });
    const long = await claim(results, "long");
    for (const id of ["b", "c"]) await settle(results, id);
    await results.settle(long, accepted("long"));
    // They may have forgotten by themselves.
    expect(await results.forget()).toMatchObject({ settled: 2, pending: 0 });
    const kept = await Promise.all(
      ["long", "b", "c"].map(async (id) => (await results.read(keyOf(id))).kind),
    );
    expect(kept).toEqual(["settled", "absent", "settled"]);
    await results.close();
  });

  const [{ sql, ...rest }] = MIGRATIONS as [(typeof MIGRATIONS)[number]];
  const ALONE = "alone := found;";

  it.each([
    ["forget what is too much once", sql, { forgotten: "0", settled: "30", pending: "0" }, 20],
    [
      "would forget twice as much, if each did not care for the other",
      sql.replace(ALONE, "alone := true;"),
      { forgotten: "10", settled: "20", pending: "0" },
      10,
    ],
  ])("where two forget at once, %s", async (_what, text, answer, kept) => {
    const url = await server.database();
    await migrateTo(url, [{ ...rest, sql: text }]);
    const results = postgresResults(url);
    for (let i = 0; i < 30; i++) await settle(results, `a${i}`);
    const [one, two] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([one.connect(), two.connect()]);
    const forget = async (client: pg.Client) =>
      (await client.query("select * from mspkit.forget_commands(20, null, 10000)")).rows;
    await one.query("begin");
    expect(await forget(one)).toEqual([{ forgotten: "10", settled: "20", pending: "0" }]);
    expect(await forget(two)).toEqual([answer]);
    await one.query("commit");
    const left = await server.query(url, "select count(*)::int as n from mspkit.command_results");
    expect(left).toEqual([{ n: kept }]);
    // The next one finds nobody in its way.
    const { rows } = await two.query("select * from mspkit.forget_commands(5, null, 10000)");
    expect(rows).toEqual([{ forgotten: String(kept - 5), settled: "5", pending: "0" }]);
    await Promise.all([one.end(), two.end(), results.close()]);
  });

  it("who forgets alone is told so by a statement that is there once", () => {
    expect(sql.split(ALONE)).toHaveLength(2);
  });

  it("forget also where each of those that settle settles only a few", async () => {
    const url = await server.database();
    await migratePostgres(url);
    // Each has 25 and forgets at one of 50: that none of 40 does is one chance in 10^12.
    let settled = 0;
    for (let start = 0; start < 40; start++) {
      const results = postgresResults(url, { retention: { newest: 20 }, connections: 5 });
      await Promise.all(
        Array.from({ length: 25 }, async (_, i) => {
          await settle(results, `${start}-${i}`);
          settled++;
        }),
      );
      await results.close();
    }
    const rows = await server.query(url, "select count(*)::int as n from mspkit.command_results");
    expect(settled).toBe(1_000);
    expect(rows[0]!["n"]).toBeLessThan(settled);
  });
});
