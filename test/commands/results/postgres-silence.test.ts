/**
 * Connections to PostgreSQL that answer nothing, and answers that are lost: what is asked ends in bounded time, and a
 * claim that may stand is found to be its own.
 */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CommandResults, Workspaces } from "../../../src/commands/index.js";
import { migratePostgres, type PgPool, postgresResults } from "../../../src/commands/node.js";
import { PostgresResults } from "../../../src/commands/results/postgres/results.js";
import { accepted, command, handleOf, reasonOf } from "../../support/commands.js";
import { type CuttingProxy, cuttingProxy } from "../../support/cutting-proxy.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../../support/postgres.js";

/** How long an answer is waited for here, in milliseconds. */
const ANSWER_MS = 400;

const keyOf = (commandId: string) => ({ tenant: "t", workspace: "w", participant: "p", commandId });
const requestOf = (commandId: string) => ({
  key: keyOf(commandId),
  idTime: undefined,
  signature: undefined,
  deadlineMs: 60_000,
});

describe.skipIf(!hasPostgres)("results in PostgreSQL", () => {
  let server: TestPostgres;
  let url: string;
  let proxy: CuttingProxy;
  const opened: CommandResults[] = [];

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    for (const results of opened) await results.close();
    await proxy?.close();
    await server?.remove();
  });

  /** Results by way of a new proxy, with a connection that is there. */
  async function place(patienceMs: number): Promise<CommandResults> {
    url = await server.database();
    await migratePostgres(url);
    await proxy?.close();
    proxy = await cuttingProxy(server.port);
    const results = postgresResults(`${proxy.url(url)}?query_timeout=${ANSWER_MS}`, { patienceMs });
    opened.push(results);
    expect(await results.read(keyOf("warm"))).toEqual({ kind: "absent" });
    return results;
  }

  const rows = () =>
    server.query(url, "select epoch, claim, result from mspkit.command_results order by epoch");

  it.each(["after", "silentAfter"] as const)(
    "know a claim for their own whose answer was lost (%s), when it is asked for again",
    async (cut) => {
      // No patience: the claim fails, though the server has it.
      const results = await place(0);
      proxy.cutAt("claim_command", cut);
      await expect(results.claim(requestOf("a"))).rejects.toMatchObject({ kind: "failed" });
      expect(proxy.cuts).toBe(1);
      await untilThere();
      const others = postgresResults(url);
      opened.push(others);
      expect((await others.claim(requestOf("a"))).kind).toBe("pending");
      const again = await results.claim(requestOf("a"));
      if (again.kind !== "claimed") throw new Error(`its own claim is ${again.kind}`);
      expect(await rows()).toEqual([
        { epoch: String(again.claim.epoch), claim: again.claim.token, result: null },
      ]);
      expect(await results.settle(again.claim, accepted(1))).toEqual({
        kind: "settled",
        result: accepted(1),
      });
      expect(await others.claim(requestOf("a"))).toMatchObject({ kind: "settled", result: accepted(1) });
      // Another claim of the same results is another.
      const next = await results.claim(requestOf("b"));
      expect(next.kind === "claimed" && next.claim.token !== again.claim.token).toBe(true);
    },
  );

  async function untilThere(): Promise<void> {
    while ((await rows()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  it.each(["silentBefore", "silentAfter"] as const)(
    "ask on another connection where one answers nothing (%s)",
    async (cut) => {
      const results = await place(60_000);
      proxy.cutAt("claim_command", cut);
      const claimed = await results.claim(requestOf("a"));
      if (claimed.kind !== "claimed") throw new Error(`its own claim is ${claimed.kind}`);
      proxy.cutAt("read_commands", cut);
      const waiting = results.wait(keyOf("a"), 60_000);
      while (proxy.cuts < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      proxy.cutAt('"status":"accepted"', cut);
      expect(await results.settle(claimed.claim, accepted(1))).toEqual({
        kind: "settled",
        result: accepted(1),
      });
      expect(await waiting).toMatchObject({ kind: "settled", result: accepted(1) });
      expect(proxy.cuts).toBe(3);
      expect(await rows()).toMatchObject([{ claim: claimed.claim.token }]);
    },
  );

  it("give a claim whose answer was lost to one of two that ask at once", async () => {
    const results = await place(0);
    proxy.cutAt("claim_command", "after");
    await expect(results.claim(requestOf("a"))).rejects.toMatchObject({ kind: "failed" });
    await untilThere();
    const both = await Promise.all([results.claim(requestOf("a")), results.claim(requestOf("a"))]);
    expect(both.map(({ kind }) => kind).sort()).toEqual(["claimed", "pending"]);
  });

  it("keep the claim whose answer was lost for the next one, where the next answer is lost as well", async () => {
    const results = await place(0);
    for (let lost = 0; lost < 3; lost++) {
      proxy.cutAt("claim_command", "after");
      await expect(results.claim(requestOf("a"))).rejects.toMatchObject({ kind: "failed" });
      await untilThere();
    }
    expect(proxy.cuts).toBe(3);
    expect((await results.claim(requestOf("a"))).kind).toBe("claimed");
  });

  it("know a claim whose answer was lost by the command that it was asked for last", async () => {
    const results = await place(0);
    const workspaces = new Workspaces({ results, identity: "checked" });
    const handle = handleOf(({ params }) => accepted(params as never));
    const ask = (n: number) => workspaces.execute(handle, command("m", { n }), { commandId: "a" });
    proxy.cutAt("claim_command", "after");
    expect(reasonOf(await ask(1))).toBe("results_unavailable");
    await untilThere();
    expect(await ask(2)).toEqual(accepted({ n: 2 }));
    expect(await ask(2)).toEqual(accepted({ n: 2 }));
    expect(reasonOf(await ask(1))).toBe("command_id_conflict");
    expect(handle.effects.get("a")).toBe(1);
  });

  it.each(["claim_command", "begin", "commit"])(
    "end what a pool that waits for ever does not end (%s)",
    async (bytes) => {
      url = await server.database();
      await migratePostgres(url);
      await proxy?.close();
      proxy = await cuttingProxy(server.port);
      const pool = new pg.Pool({ connectionString: proxy.url(url), max: 4 });
      pool.on("error", () => undefined);
      const results = new PostgresResults(pool as PgPool, { patienceMs: 60_000 }, ANSWER_MS);
      opened.push(results);
      const first = await results.claim(requestOf("a"));
      if (first.kind !== "claimed") throw new Error(first.kind);
      proxy.cutAt(bytes === "claim_command" ? bytes : `${bytes}\u0000`, "silentAfter");
      if (bytes === "claim_command") expect((await results.claim(requestOf("b"))).kind).toBe("claimed");
      else {
        const effect = results.fence(first.claim).run(async () => "made");
        // What had no answer to its beginning is not begun; what had none to its end is asked for.
        if (bytes === "begin") await expect(effect).rejects.toThrow("no answer");
        else expect(await effect).toBe("made");
      }
      expect(proxy.cuts).toBe(1);
    },
  );

  it("end what asks for a connection of a pool that has none for it", async () => {
    url = await server.database();
    await migratePostgres(url);
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const results = new PostgresResults(pool as PgPool, { patienceMs: 0 }, ANSWER_MS);
    opened.push(results);
    const first = await results.claim(requestOf("a"));
    if (first.kind !== "claimed") throw new Error(first.kind);
    const other = await pool.connect();
    await expect(Promise.resolve(results.read(keyOf("a")))).rejects.toMatchObject({ kind: "failed" });
    await expect(results.fence(first.claim).run(async () => 1)).rejects.toMatchObject({ kind: "failed" });
    other.release();
    // The one that came too late for the effect was given back.
    expect(await results.fence(first.claim).run(async () => 2)).toBe(2);
    await pool.end();
  });

  it("end a claim, a settlement and a wait while nothing comes through, and lose none of them", async () => {
    const results = await place(0);
    const first = await results.claim(requestOf("a"));
    if (first.kind !== "claimed") throw new Error(first.kind);
    const warm = await Promise.all([
      results.read(keyOf("a")),
      results.read(keyOf("b")),
      results.read(keyOf("c")),
    ]);
    expect(warm.map(({ kind }) => kind)).toEqual(["pending", "absent", "absent"]);
    proxy.freeze(true);
    const ended = await Promise.all([
      kindOf(() => results.claim(requestOf("b"))),
      kindOf(() => results.settle(first.claim, accepted(1))),
      kindOf(() => results.wait(keyOf("a"), 100)),
    ]);
    // The one that waits is told what was known; nobody is told of anything that is not known.
    expect(ended).toEqual(["failed", "failed", "pending"]);
    expect(proxy.held).toBeGreaterThan(0);
    proxy.freeze(false);
    // What was on its way comes through late, from connections that nobody has any more.
    const again = await insist(() => results.claim(requestOf("b")));
    if (again.kind !== "claimed") throw new Error(`its own claim is ${again.kind}`);
    expect(await insist(() => results.settle(first.claim, accepted(1)))).toEqual({
      kind: "settled",
      result: accepted(1),
    });
    expect(await results.settle(again.claim, accepted(2))).toEqual({ kind: "settled", result: accepted(2) });
    expect((await rows()).map(({ result }) => JSON.parse(result as string))).toEqual([
      accepted(1),
      accepted(2),
    ]);
  });

  it("carry a command out once whose settlement met a way that was frozen for a while", async () => {
    const results = await place(0);
    const workspaces = new Workspaces({ results, waitMs: 50 });
    const handle = handleOf(() => {
      proxy.freeze(true);
      return accepted("done");
    });
    const ask = () => workspaces.execute(handle, command(), { commandId: "a" });
    const first = await ask();
    expect(reasonOf(first)).toBe("still_running");
    proxy.freeze(false);
    let last = first;
    while (reasonOf(last) === "still_running") last = await ask();
    expect([last, handle.effects.get("a")]).toEqual([accepted("done"), 1]);
    expect((await rows()).map(({ result }) => JSON.parse(result as string))).toEqual([accepted("done")]);
  });
});

/** The kind of what is answered, or of the error. */
async function kindOf(ask: () => object): Promise<unknown> {
  try {
    return ((await ask()) as { kind?: unknown }).kind;
  } catch (error) {
    return (error as { kind?: unknown }).kind;
  }
}

async function insist<T>(ask: () => Promise<T> | T): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if ((error as { kind?: unknown }).kind !== "failed") throw error;
    }
  }
}
