/**
 * What is claimed and forgotten between two looks of a claim is never carried out again: the watermark is asked where
 * the claim is written.
 */
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandResults } from "../../../src/commands/index.js";
import { postgresResults, sqliteResults } from "../../../src/commands/node.js";
import { migrateTo } from "../../../src/commands/results/postgres/migrate.js";
import { MIGRATIONS } from "../../../src/commands/results/postgres/migrations.js";
import { accepted } from "../../support/commands.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../../support/postgres.js";
import { scratchFolder } from "../../support/repo.js";

const TIME = 1_700_000_000_000;
const keyOf = (commandId: string) => ({ tenant: "t", workspace: "w", participant: "p", commandId });
const requestOf = (commandId: string, idTime: number) => ({
  key: keyOf(commandId),
  idTime,
  signature: undefined,
  deadlineMs: 60_000,
});

/** Carries a command out, and forgets it. */
async function carryAndForget(results: CommandResults): Promise<void> {
  for (const [id, time] of [
    ["a", TIME],
    ["later", TIME + 1],
  ] as const) {
    const claimed = await results.claim(requestOf(id, time));
    if (claimed.kind !== "claimed") throw new Error(`${id} is ${claimed.kind}`);
    await results.settle(claimed.claim, accepted(id));
  }
  // They may have forgotten by themselves.
  expect(await results.forget()).toMatchObject({ settled: 1, pending: 0 });
}

describe("in SQLite", () => {
  it("a claim that has looked, and finds all of it over when it writes, is told that it is expired", async () => {
    const path = join(scratchFolder(), "results.db");
    const [one, two] = [
      sqliteResults(path, { retention: { newest: 1 } }),
      sqliteResults(path, { retention: { newest: 1 } }),
    ];
    expect(await two.read(keyOf("a"))).toEqual({ kind: "absent" });
    // Between its look and its transaction a claim waits for the end of the turn: here that takes as long as it must.
    const end = globalThis.setImmediate;
    let write: (() => void) | undefined;
    const claiming = await new Promise<{ readonly answer: ReturnType<CommandResults["claim"]> }>(
      (resolve) => {
        globalThis.setImmediate = ((ended: () => void) => {
          globalThis.setImmediate = end;
          write = ended;
          resolve({ answer });
        }) as typeof setImmediate;
        const answer = two.claim(requestOf("a", TIME));
      },
    );
    await carryAndForget(one);
    expect(await two.read(keyOf("a"))).toEqual({ kind: "absent" });
    write?.();
    expect(await claiming.answer).toEqual({ kind: "expired" });
    expect(await two.read(keyOf("a"))).toEqual({ kind: "absent" });
    await one.close();
    await two.close();
  });
});

describe.skipIf(!hasPostgres)("in PostgreSQL", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres({ fsync: "off" });
  });
  afterAll(async () => {
    await server?.remove();
  });

  const [{ sql, ...rest }] = MIGRATIONS as [(typeof MIGRATIONS)[number]];
  const SECOND_LOOK = "elsif exists (select";

  it.each([
    ["is told that it is expired", sql, { kind: "expired" }, "absent"],
    [
      "would carry it out again, without the second look",
      sql.replace(SECOND_LOOK, "elsif false and exists (select"),
      { kind: "claimed" },
      "pending",
    ],
  ])(
    "a claim that has looked, and finds all of it over when it writes, %s",
    async (_what, text, answer, standing) => {
      const url = await server.database();
      await migrateTo(url, [{ ...rest, sql: text }]);
      const results = postgresResults(url);
      for (const id of ["a", "b"]) {
        const claimed = await results.claim(requestOf(id, TIME));
        if (claimed.kind !== "claimed") throw new Error(`${id} is ${claimed.kind}`);
        await results.settle(claimed.claim, accepted(id));
      }
      const other = new pg.Client({ connectionString: url });
      await other.connect();
      await other.query("begin");
      const { rows } = await other.query("select * from mspkit.forget_commands(1, null, 1)");
      expect(rows).toEqual([{ forgotten: "1", settled: "1", pending: "0" }]);
      // It sees no watermark yet, and waits for the row that is about to go.
      const claiming = results.claim(requestOf("a", TIME));
      await untilWaiting(url);
      await other.query("commit");
      expect(await claiming).toMatchObject(answer);
      expect((await results.read(keyOf("a"))).kind).toBe(standing);
      await other.end();
      await results.close();
    },
  );

  it("the statement that the claim without the second look leaves out is there once", () => {
    expect(sql.split(SECOND_LOOK)).toHaveLength(2);
  });

  /** Until a claim waits for a lock. */
  async function untilWaiting(url: string): Promise<void> {
    for (;;) {
      const rows = await server.query(
        url,
        `select 1 from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%claim_command%'`,
      );
      if (rows.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
});
