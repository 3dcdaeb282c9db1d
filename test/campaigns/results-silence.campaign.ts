/** Connections to PostgreSQL that answer nothing, with nothing said of how long is waited: it ends all the same. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migratePostgres, type PgPool, postgresResults } from "../../src/commands/node.js";
import { accepted } from "../support/commands.js";
import { cuttingProxy } from "../support/cutting-proxy.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../support/postgres.js";

const key = { tenant: "t", workspace: "w", participant: "p", commandId: "a" };
const request = { key, idTime: undefined, signature: undefined, deadlineMs: 600_000 };

describe.skipIf(!hasPostgres)("results in PostgreSQL, as they are opened by default", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await server?.remove();
  });

  it("ask again on another connection when an answer does not come", { timeout: 120_000 }, async () => {
    const url = await server.database();
    await migratePostgres(url);
    const proxy = await cuttingProxy(server.port);
    const results = postgresResults(proxy.url(url), { patienceMs: 60_000 });
    await results.read(key);
    proxy.cutAt("claim_command", "silentAfter");
    const claimed = await results.claim(request);
    if (claimed.kind !== "claimed") throw new Error(`its own claim is ${claimed.kind}`);
    expect(proxy.cuts).toBe(1);
    expect((await results.settle(claimed.claim, accepted(1))).kind).toBe("settled");
    await results.close();
    await proxy.close();
  });

  it("ask again also where they are given a pool that waits for ever", { timeout: 120_000 }, async () => {
    const url = await server.database();
    await migratePostgres(url);
    const proxy = await cuttingProxy(server.port);
    const pool = new pg.Pool({ connectionString: proxy.url(url) });
    pool.on("error", () => undefined);
    const results = postgresResults(pool as PgPool, { patienceMs: 60_000 });
    await results.read(key);
    proxy.cutAt("claim_command", "silentAfter");
    const claimed = await results.claim(request);
    if (claimed.kind !== "claimed") throw new Error(`its own claim is ${claimed.kind}`);
    expect(proxy.cuts).toBe(1);
    expect((await results.settle(claimed.claim, accepted(1))).kind).toBe("settled");
    await results.close();
    await proxy.close();
    await pool.end();
  });

  it("fail when no connection comes, and work when one does", { timeout: 120_000 }, async () => {
    const url = await server.database();
    await migratePostgres(url);
    const proxy = await cuttingProxy(server.port);
    const results = postgresResults(proxy.url(url));
    proxy.freeze(true);
    await expect(results.claim(request)).rejects.toMatchObject({ kind: "failed" });
    expect(proxy.held).toBeGreaterThan(0);
    proxy.freeze(false);
    expect((await results.claim(request)).kind).toBe("claimed");
    await results.close();
    await proxy.close();
  });
});
