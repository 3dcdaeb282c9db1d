/** Effects beside results in PostgreSQL that come to the deadline of their claim: all are told the same. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ABANDONED, type CommandResults, Workspaces } from "../../../src/commands/index.js";
import { migratePostgres, type PgClient, postgresResults } from "../../../src/commands/node.js";
import { migrateTo } from "../../../src/commands/results/postgres/migrate.js";
import { MIGRATIONS } from "../../../src/commands/results/postgres/migrations.js";
import { accepted, command, handleOf } from "../../support/commands.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../../support/postgres.js";

const key = { tenant: "t", workspace: "w", participant: "p", commandId: "a" };

describe.skipIf(!hasPostgres)("an effect in PostgreSQL", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres({ fsync: "off" });
  });
  afterAll(async () => {
    await server?.remove();
  });

  async function claimOf(results: CommandResults, deadlineMs: number) {
    const claimed = await results.claim({ key, idTime: undefined, signature: undefined, deadlineMs });
    if (claimed.kind !== "claimed") throw new Error(claimed.kind);
    return claimed.claim;
  }

  it("that hangs is over at the deadline: its command is abandoned, and nothing of it is kept", async () => {
    const url = await server.database();
    await migratePostgres(url);
    await server.query(url, "create table effects (id text not null)");
    const workspaces = new Workspaces({ results: postgresResults(url), deadlineMs: 500 });
    let refused: unknown;
    let left: PgClient | undefined;
    const handle = handleOf(async (_, { fence }) => {
      const hanging = fence!.run(
        async (client) => {
          left = client as PgClient;
          await left.query("insert into effects values ('a')");
          return new Promise<never>(() => undefined);
        },
        () => accepted("settled"),
      );
      await hanging.catch((error: unknown) => (refused = error));
      return accepted("done");
    });
    const ask = () => workspaces.execute(handle, command(), { commandId: "a" });
    expect(await ask()).toEqual(ABANDONED);
    const others = postgresResults(url);
    expect(await others.wait(key, 30_000)).toMatchObject({ kind: "settled", result: ABANDONED });
    while (refused === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(refused).toMatchObject({ kind: "fenced" });
    // What is left of it has no connection on which it could go on.
    await expect(left!.query("insert into effects values ('late')")).rejects.toThrow();
    expect(await server.query(url, "select id from effects")).toEqual([]);
    expect([await ask(), handle.effects.get("a")]).toEqual([ABANDONED, 1]);
    await others.close();
    await workspaces.close();
  });

  it("of a process that stood still over its deadline is refused as fenced", async () => {
    const url = await server.database();
    await migratePostgres(url);
    await server.query(url, "create table effects (id text not null)");
    const results = postgresResults(url);
    const others = postgresResults(url);
    const claim = await claimOf(results, 300);
    const effect = results.fence!(claim).run(async (client) => {
      await (client as PgClient).query("insert into effects values ('a')");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
      await (client as PgClient).query("insert into effects values ('b')");
    });
    await expect(effect).rejects.toMatchObject({ kind: "fenced" });
    expect(await others.wait(key, 30_000)).toMatchObject({ kind: "settled", result: ABANDONED });
    expect(await server.query(url, "select id from effects")).toEqual([]);
    await results.close();
    await others.close();
  });

  it.each([
    ["off", "on"],
    ["local", "on"],
    ["remote_write", "remote_write"],
  ])("is as durable as its result, where the database has synchronous_commit %s", async (set, found) => {
    const url = await server.database();
    await migratePostgres(url);
    await server.query(
      url,
      `do $$ begin execute format('alter database %I set synchronous_commit = ${set}', current_database()); end $$`,
    );
    const results = postgresResults(url);
    const settings: unknown[] = [];
    await results.fence!(await claimOf(results, 60_000)).run(async (client) => {
      const { rows } = await (client as PgClient).query("show synchronous_commit");
      settings.push(rows[0]?.["synchronous_commit"]);
    });
    expect(settings).toEqual([found]);
    await results.close();
  });

  const [{ sql, ...rest }] = MIGRATIONS as [(typeof MIGRATIONS)[number]];
  const WAIT =
    /perform 1 from mspkit\.command_results c where [^;]* for update;(?=\s*perform mspkit\.abandon_command\(p_key)/;

  it.each([
    [
      "is waited for by its late owner, who is told what it left",
      sql,
      { kind: "settled", result: accepted(1) },
    ],
    ["is not, where that does not wait", sql.replace(WAIT, ""), { kind: "fenced", result: undefined }],
  ])("that is about to end at the deadline %s", async (_what, text, answer) => {
    const url = await server.database();
    await migrateTo(url, [{ ...rest, sql: text }]);
    const results = postgresResults(url);
    const claim = await claimOf(results, 100);
    // The transaction of an effect that has settled, and whose COMMIT is on its way.
    const effect = new pg.Client({ connectionString: url });
    await effect.connect();
    await effect.query("begin");
    await effect.query("update mspkit.command_results set result = $1, settled_at = now()", [
      JSON.stringify(accepted(1)),
    ]);
    await new Promise((resolve) => setTimeout(resolve, 150));
    const settling = Promise.resolve(results.settle(claim, ABANDONED));
    let told = false;
    void settling.then(() => (told = true));
    await until(async () => told || (await waits(url)));
    await effect.query("commit");
    expect(await settling).toEqual(answer);
    await effect.end();
    await results.close();
  });

  it("that is waited for is so by a statement that is there once", () => {
    expect(sql.match(new RegExp(WAIT, "g"))).toHaveLength(1);
  });

  async function waits(url: string): Promise<boolean> {
    const rows = await server.query(
      url,
      `select 1 from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%settle_command%'`,
    );
    return rows.length > 0;
  }
});

async function until(so: () => Promise<boolean>): Promise<void> {
  while (!(await so())) await new Promise((resolve) => setTimeout(resolve, 10));
}
