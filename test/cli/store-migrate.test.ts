/** `mspkit store migrate`: tables are made once, brought forward, and never taken back. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresResults } from "../../src/commands/node.js";
import { migrateTo } from "../../src/commands/results/postgres/migrate.js";
import { MIGRATIONS } from "../../src/commands/results/postgres/migrations.js";
import { mspkit } from "../support/cli.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../support/postgres.js";

const KEY = { tenant: "t", workspace: "w", participant: "p", commandId: "a" };

describe.skipIf(!hasPostgres)("store migrate", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres({ fsync: "off" });
  });
  afterAll(async () => {
    await server?.remove();
  });

  it("makes the tables, and then has nothing to do", async () => {
    const url = await server.database();
    const results = postgresResults(url);
    await expect(results.read(KEY)).rejects.toMatchObject({ kind: "notFound" });
    const first = await mspkit(["store", "migrate", "--store", url, "--json"]);
    expect([first.code, JSON.parse(first.stdout)]).toMatchObject([0, { from: 0, to: MIGRATIONS.length }]);
    const again = await mspkit(["store", "migrate", "--store", url, "--json"]);
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
      0,
      { from: MIGRATIONS.length, to: MIGRATIONS.length },
    ]);
    expect(await results.read(KEY)).toEqual({ kind: "absent" });
    await results.close();
  });

  it("by who may make nothing there learns that there is nothing to do, or that it may not", async () => {
    const url = await server.database();
    await server.query(url, "create role reader login");
    const as = url.replace("test@", "reader@");
    await expect(migrateTo(as, MIGRATIONS)).rejects.toMatchObject({ kind: "failed" });
    await migrateTo(url, MIGRATIONS);
    await server.query(url, "grant usage on schema mspkit to reader");
    await server.query(url, "grant select on mspkit.migrations to reader");
    expect(await migrateTo(as, MIGRATIONS)).toEqual({ from: MIGRATIONS.length, to: MIGRATIONS.length });
    const more = { version: MIGRATIONS.length + 1, what: "more", sql: "select 1" };
    await expect(migrateTo(as, [...MIGRATIONS, more])).rejects.toMatchObject({ kind: "failed" });
    await migrateTo(url, [...MIGRATIONS, more]);
    await expect(migrateTo(as, MIGRATIONS)).rejects.toMatchObject({ kind: "newerVersion" });
  });

  it("by several at once makes them once", async () => {
    const url = await server.database();
    const made = await Promise.all(Array.from({ length: 6 }, () => migrateTo(url, MIGRATIONS)));
    expect(made.map(({ from }) => from).sort()).toEqual([0, ...Array(5).fill(MIGRATIONS.length)]);
  });

  it("takes each step once, in one transaction: one that fails leaves nothing", async () => {
    const url = await server.database();
    const steps = [...MIGRATIONS, { version: 2, what: "more", sql: "create table mspkit.more (n integer)" }];
    expect(await migrateTo(url, MIGRATIONS)).toEqual({ from: 0, to: 1 });
    const bad = [
      ...steps,
      { version: 3, what: "bad", sql: "create table mspkit.bad (n integer); select 1 / 0" },
    ];
    await expect(migrateTo(url, bad)).rejects.toMatchObject({ kind: "failed" });
    expect(await server.query(url, "select to_regclass('mspkit.more') as more")).toEqual([{ more: null }]);
    expect(await migrateTo(url, steps)).toEqual({ from: 1, to: 2 });
    // Now the tables are those of a later version.
    const { code, stderr } = await mspkit(["store", "migrate", "--store", url]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("later version")]);
    const results = postgresResults(url);
    await expect(results.read(KEY)).rejects.toMatchObject({ kind: "newerVersion" });
    await results.close();
  });

  it("keeps the password to itself", async () => {
    const url = `postgres://somebody:secret@127.0.0.1:1/none`;
    const { code, stderr, stdout } = await mspkit(["store", "migrate", "--store", url]);
    expect([code, stdout, stderr.includes("secret")]).toEqual([3, "", false]);
    expect(postgresResults(url).url).toBe("postgres://somebody@127.0.0.1:1/none");
  });
});

it.each([[["store", "migrate"]], [["store", "migrate", "--store", "sqlite:x"]]])(
  "%j is a matter of words",
  async (words) => {
    expect((await mspkit(words)).code).toBe(2);
  },
);
