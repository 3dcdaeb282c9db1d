/** PostgreSQL restarted, its connections killed, the way to it cut: never a lost result, never a second effect. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CommandResult, Workspaces } from "../../../src/commands/index.js";
import { migratePostgres, type PgClient, postgresResults } from "../../../src/commands/node.js";
import { accepted, command, type Handler, handleOf, idAt, reasonOf } from "../../support/commands.js";
import { type Cut, cuttingProxy } from "../../support/cutting-proxy.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../../support/postgres.js";

let server: TestPostgres;

async function place(): Promise<string> {
  const url = await server.database();
  await migratePostgres(url);
  await server.query(url, "create table effects (id text not null)");
  return url;
}

async function count(url: string, table = "effects"): Promise<number> {
  return Number((await server.query(url, `select count(*) as n from ${table}`))[0]!["n"]);
}

/** Asks until the answer is not one that may be asked again. */
async function insist(ask: () => Promise<CommandResult>): Promise<CommandResult> {
  for (;;) {
    const result = await ask();
    if (result.status === "accepted" || !result.rejection.retryable) return result;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const inserting =
  (settles: boolean): Handler =>
  async (_, { commandId, fence }) => {
    await fence!.run(
      (client) => (client as PgClient).query("insert into effects values ($1)", [commandId]),
      settles ? () => accepted("settled") : undefined,
    );
    return accepted("done");
  };

describe.skipIf(!hasPostgres)("results in PostgreSQL", () => {
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await server?.remove();
  });

  it.each<[string, string, Cut]>([
    ["a claim, before the server had it", "claim_command", "before"],
    ["a claim, after the server had it", "claim_command", "after"],
    ["a settlement, before the server had it", '"status":"accepted"', "before"],
    ["a settlement, after the server had it", '"status":"accepted"', "after"],
  ])("outlive that the way is cut at %s", async (_what, bytes, cut) => {
    const url = await place();
    const proxy = await cuttingProxy(server.port);
    const workspaces = new Workspaces({ results: postgresResults(proxy.url(url)) });
    const handle = handleOf(() => accepted("done"));
    await workspaces.execute(handle, command(), { commandId: "warm" });
    proxy.cutAt(bytes, cut);
    const id = idAt(Date.now());
    const ask = () => workspaces.execute(handle, command(), { commandId: id });
    // The first one itself gets through: the same statement is sent again, and finds its own row.
    expect(await ask()).toEqual(accepted("done"));
    expect(await ask()).toEqual(accepted("done"));
    expect([proxy.cuts, handle.effects.get(id)]).toEqual([1, 1]);
    expect(await count(url, "mspkit.command_results")).toBe(2);
    await workspaces.close();
    await proxy.close();
  });

  it.each<[string, Cut, boolean, CommandResult | string, number]>([
    ["before the server had it", "before", false, "handler_failed", 0],
    ["after the server had it", "after", false, accepted("done"), 1],
    ["before the server had it, with the settlement", "before", true, "handler_failed", 0],
    ["after the server had it, with the settlement", "after", true, accepted("settled"), 1],
  ])("outlive that the way is cut at COMMIT of an effect, %s", async (_what, cut, settles, came, effects) => {
    const url = await place();
    const proxy = await cuttingProxy(server.port);
    const workspaces = new Workspaces({ results: postgresResults(proxy.url(url)) });
    const handle = handleOf(inserting(settles));
    // The whole message: others have the word in them.
    proxy.cutAt("\u000bcommit\u0000", cut);
    const ask = () => workspaces.execute(handle, command(), { commandId: "a" });
    const result = await ask();
    if (typeof came === "string") expect(reasonOf(result)).toBe(came);
    else expect(result).toEqual(came);
    expect(await ask()).toEqual(result);
    // Told to have failed is: nothing is kept. Told to be done is: it is kept, once.
    expect([proxy.cuts, await count(url), handle.effects.get("a")]).toEqual([1, effects, 1]);
    await workspaces.close();
    await proxy.close();
  });

  it("ask what became of a COMMIT where the effect had the only connection", async () => {
    const url = await place();
    const proxy = await cuttingProxy(server.port);
    const results = postgresResults(proxy.url(url), { connections: 1, patienceMs: 500 });
    const workspaces = new Workspaces({ results });
    const handle = handleOf(inserting(false));
    proxy.cutAt("\u000bcommit\u0000", "after");
    expect(await workspaces.execute(handle, command(), { commandId: "a" })).toEqual(accepted("done"));
    expect([proxy.cuts, await count(url), handle.effects.get("a")]).toEqual([1, 1, 1]);
    // The connection was given back once: the pool has one for the next.
    expect(await workspaces.execute(handle, command(), { commandId: "b" })).toEqual(accepted("done"));
    await workspaces.close();
    await proxy.close();
  });

  it("say that nothing is kept of an effect in which a statement failed, though COMMIT was answered", async () => {
    const url = await place();
    const workspaces = new Workspaces({ results: postgresResults(url) });
    const handle = handleOf(async (_, { fence }) => {
      await fence!.run(async (client) => {
        await (client as PgClient).query("insert into effects values ('x')");
        await (client as PgClient).query("select 1 / 0").catch(() => undefined);
      });
      return accepted("done");
    });
    const result = await workspaces.execute(handle, command(), { commandId: "a" });
    expect([reasonOf(result), await count(url)]).toEqual(["handler_failed", 0]);
    await workspaces.close();
  });

  it("outlive that their connections are killed, again and again", async () => {
    const url = await place();
    const workspaces = new Workspaces({ results: postgresResults(url, { connections: 4 }) });
    const handle = handleOf(async (_, { commandId }) => accepted(commandId));
    let over = false;
    let killed = 0;
    const killing = (async () => {
      while (!over) {
        const rows = await server.query(
          url,
          "select pg_terminate_backend(pid) as gone from pg_stat_activity where application_name = 'mspkit' and datname = current_database()",
        );
        killed += rows.length;
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
    })();
    let n = 0;
    const ids: string[] = [];
    while (killed < 40 || n < 60) {
      const id = idAt(Date.now(), n++);
      ids.push(id);
      const ask = () => insist(() => workspaces.execute(handle, command(), { commandId: id }));
      expect(await Promise.all([ask(), ask()])).toEqual([accepted(id), accepted(id)]);
    }
    over = true;
    await killing;
    for (const id of ids) expect(handle.effects.get(id)).toBe(1);
    expect(await count(url, "mspkit.command_results where result is not null")).toBe(ids.length);
    await workspaces.close();
  });

  it.each(["stop", "kill"] as const)(
    "outlive that the server is restarted (%s) while commands run",
    async (how) => {
      const url = await place();
      const workspaces = new Workspaces({ results: postgresResults(url, { patienceMs: 500 }) });
      const handle = handleOf(async (_, { commandId }) => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        return accepted(commandId);
      });
      const ids = Array.from({ length: 20 }, (_, i) => idAt(Date.now(), i));
      const first = ids.map((id) => insist(() => workspaces.execute(handle, command(), { commandId: id })));
      await new Promise((resolve) => setTimeout(resolve, 60));
      await server[how]();
      const second = ids.map((id) => insist(() => workspaces.execute(handle, command(), { commandId: id })));
      await server.start();
      expect(await Promise.all([...first, ...second])).toEqual([...ids, ...ids].map((id) => accepted(id)));
      expect([...handle.effects.values()]).toEqual(ids.map(() => 1));
      const others = new Workspaces({ results: postgresResults(url) });
      for (const id of ids)
        expect(await others.execute(handle, command(), { commandId: id })).toEqual(accepted(id));
      expect([...handle.effects.values()]).toEqual(ids.map(() => 1));
      await workspaces.close();
      await others.close();
    },
  );

  it("are unavailable, and nothing is carried out, while there is no server", async () => {
    const url = await place();
    await server.stop();
    const workspaces = new Workspaces({ results: postgresResults(url, { patienceMs: 50 }) });
    const handle = handleOf(() => accepted(1));
    const result = await workspaces.execute(handle, command(), { commandId: "a" });
    expect(result).toMatchObject({ rejection: { reason: "results_unavailable", retryable: true } });
    expect([handle.effects.size, JSON.stringify(result).includes("127.0.0.1")]).toEqual([0, false]);
    await server.start();
    expect(await workspaces.execute(handle, command(), { commandId: "a" })).toEqual(accepted(1));
    await workspaces.close();
  });

  it("work where each statement and each transaction gets another backend", async () => {
    const url = await place();
    const pooled = (): ReturnType<typeof pooler> => pooler(url);
    const pools = [pooled(), pooled()];
    const two = pools.map((pool) => new Workspaces({ results: postgresResults(pool) }));
    const handle = handleOf(inserting(false));
    const ids = Array.from({ length: 20 }, (_, i) => idAt(Date.now(), i));
    const results = await Promise.all(
      ids.flatMap((id) => two.map((workspaces) => workspaces.execute(handle, command(), { commandId: id }))),
    );
    expect(results).toEqual(results.map(() => accepted("done")));
    expect(await count(url)).toBe(20);
    expect(new Set(pools.flatMap(({ backends }) => backends)).size).toBeGreaterThan(40);
    for (const workspaces of two) await workspaces.close();
    const locks = await server.query(url, "select 1 from pg_locks where locktype = 'advisory'");
    expect(locks).toEqual([]);
  });

  it("ask a bounded number of times a second, however many duplicates wait", async () => {
    const url = await place();
    const owner = new Workspaces({ results: postgresResults(url) });
    let end: (() => void) | undefined;
    const handle = handleOf(async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return accepted("done");
    });
    const first = owner.execute(handle, command(), { commandId: "a" });
    while (end === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    const asked: number[] = [];
    for (const duplicates of [1, 500]) {
      const pool = pooler(url);
      const others = new Workspaces({ results: postgresResults(pool), waitMs: 1_500 });
      const began = performance.now();
      const results = await Promise.all(
        Array.from({ length: duplicates }, () => others.execute(handle, command(), { commandId: "a" })),
      );
      expect(results.map(reasonOf)).toEqual(results.map(() => "still_running"));
      asked.push(pool.backends.length / ((performance.now() - began) / 1_000));
      await others.close();
    }
    // One of the questions is the version of the tables, one the claim. Slower machines ask less often.
    expect(asked[0]).toBeLessThan(12);
    expect(asked[1]).toBeLessThan(12);
    end();
    expect(await first).toEqual(accepted("done"));
    await owner.close();
  });
});

/** Stands in for a pooler by transaction: what comes is given to a new backend each time. */
function pooler(url: string) {
  const backends: number[] = [];
  async function client(): Promise<PgClient> {
    const made = new pg.Client({ connectionString: url });
    made.on("error", () => undefined);
    await made.connect();
    backends.push((made as unknown as { processID: number }).processID);
    return Object.assign(made, {
      release: () => void made.end().catch(() => undefined),
    }) as unknown as PgClient;
  }
  return {
    backends,
    connect: client,
    async query(text: string, values?: unknown[]) {
      const made = await client();
      try {
        return await made.query(text, values);
      } finally {
        made.release();
      }
    },
    end: async () => undefined,
    on: () => undefined,
  };
}
