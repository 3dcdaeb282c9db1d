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

  it("that is one long statement is ended by the server soon after the deadline", async () => {
    const url = await server.database();
    await migratePostgres(url);
    const results = postgresResults(url);
    const others = postgresResults(url);
    const claim = await claimOf(results, 500);
    const effect = results.fence!(claim).run((client) => (client as PgClient).query("select pg_sleep(3600)"));
    await expect(effect).rejects.toMatchObject({ kind: "fenced" });
    while ((await others.read(key)).kind === "pending")
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await others.read(key)).toMatchObject({ kind: "settled", result: ABANDONED });
    await results.close();
    await others.close();
  });

  it.each([
    ["0", /^(6\d{4}ms|5\d{4}ms|60s|1min)$/],
    ["2s", /^2s$/],
    ["1d", /^(6\d{4}ms|5\d{4}ms|60s|1min)$/],
  ])("has a statement_timeout of what is left, or that of the database (%s)", async (set, found) => {
    const url = await server.database();
    await migratePostgres(url);
    await server.query(
      url,
      `do $$ begin
         execute format('alter database %I set statement_timeout = %L', current_database(), '${set}');
       end $$`,
    );
    const results = postgresResults(url);
    const settings: unknown[] = [];
    await results.fence!(await claimOf(results, 60_000)).run(async (client) => {
      const { rows } = await (client as PgClient).query("show statement_timeout");
      settings.push(rows[0]?.["statement_timeout"]);
    });
    expect(settings).toEqual([expect.stringMatching(found)]);
    await results.close();
  });

  it.each<[string, string, boolean]>([
    ["commits", "commit", false],
    ["commits, with a settlement", "commit", true],
    ["commits and begins again", "commit; begin", false],
    ["commits and begins again, with a settlement", "commit; begin", true],
    ["rolls back", "rollback", false],
    ["rolls back, with a settlement", "rollback", true],
  ])("that %s by itself fails, and settles nothing", async (_what, statement, settles) => {
    const url = await server.database();
    await migratePostgres(url);
    const results = postgresResults(url);
    const claim = await claimOf(results, 60_000);
    const effect = results.fence!(claim).run(
      (client) => (client as PgClient).query(statement),
      settles ? () => accepted("settled") : undefined,
    );
    await expect(effect).rejects.toMatchObject({
      kind: "failed",
      message: expect.stringContaining("ended its transaction"),
    });
    expect(await results.read(key)).toMatchObject({ kind: "pending" });
    await results.close();
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

  it("that leaves nothing is waited for over the deadline: its owner settles no more", async () => {
    const url = await server.database();
    await migratePostgres(url);
    const results = postgresResults(url);
    const claim = await claimOf(results, 2_000);
    const effect = new pg.Client({ connectionString: url });
    await effect.connect();
    await effect.query("begin");
    await effect.query("update mspkit.command_results set effects = effects + 1");
    const settling = Promise.resolve(results.settle(claim, accepted("late")));
    await until(() => waits(url));
    await until(
      async () =>
        (await server.query(url, "select 1 from mspkit.command_results where deadline < clock_timestamp()"))
          .length > 0,
    );
    await effect.query("rollback");
    expect(await settling).toEqual({ kind: "fenced", result: ABANDONED });
    expect(await results.read(key)).toMatchObject({ kind: "settled", result: ABANDONED });
    await effect.end();
    await results.close();
  });

  it("that does not end after its deadline is not waited for without end", async () => {
    const url = await server.database();
    await migratePostgres(url);
    const results = postgresResults(url, { patienceMs: 100 });
    const claim = await claimOf(results, 50);
    const effect = new pg.Client({ connectionString: url });
    await effect.connect();
    await effect.query("begin");
    await effect.query("select 1 from mspkit.command_results for update");
    await new Promise((resolve) => setTimeout(resolve, 100));
    await expect(results.settle(claim, accepted("late"))).rejects.toMatchObject({
      kind: "failed",
      cause: { code: "55P03" },
    });
    await effect.query("rollback");
    expect(await results.settle(claim, accepted("late"))).toEqual({ kind: "fenced", result: ABANDONED });
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
