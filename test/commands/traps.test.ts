/** What went wrong for others who carry commands out once, each with the smallest scenario that shows it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { platformClock } from "../../src/commands/clock.js";
import { type CommandResult, InMemoryCommandResults, Workspaces } from "../../src/commands/index.js";
import { migratePostgres, openResults, postgresResults } from "../../src/commands/node.js";
import type { Retention } from "../../src/commands/results.js";
import { accepted, command, handleOf, idAt, reasonOf } from "../support/commands.js";
import { type CommandsChild, commandsChild } from "../support/commands-child.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../support/postgres.js";
import { scratchFolder } from "../support/repo.js";

let server: TestPostgres | undefined;
const children: CommandsChild[] = [];

beforeAll(async () => {
  if (hasPostgres) server = await startPostgres();
});
afterEach(async () => {
  for (const { kill } of children.splice(0)) await kill();
});
afterAll(() => server?.remove());

async function newDatabase(): Promise<string> {
  const url = await server!.database();
  await migratePostgres(url);
  return url;
}

/** Results of each kind. */
const openers: readonly (readonly [
  string,
  (retention: Retention) => Promise<ReturnType<typeof openResults>>,
])[] = [
  ["memory", async (retention) => openResults("memory", { retention })],
  [
    "SQLite",
    async (retention) => openResults(`sqlite:${join(scratchFolder(), "results.db")}`, { retention }),
  ],
  ...(hasPostgres
    ? [
        [
          "PostgreSQL",
          async (retention: Retention) => openResults(await newDatabase(), { retention }),
        ] as const,
      ]
    : []),
];

describe.skipIf(!hasPostgres)("who loses a race to insert", () => {
  it("is told the result of who won it: no statement fails, nothing is tried again, nothing is wrong", async () => {
    const url = await newDatabase();
    const errors: unknown[] = [];
    const two = [0, 1].map(
      () => new Workspaces({ results: postgresResults(url), onError: (error) => void errors.push(error) }),
    );
    const handle = handleOf(async (_, { commandId }) => accepted(commandId));
    await Promise.all(
      two.map((workspaces, n) => workspaces.execute(handle, command(), { commandId: `warm${n}` })),
    );
    const ids = Array.from({ length: 100 }, (_, n) => idAt(Date.now(), n));
    const results = await Promise.all(
      ids.flatMap((id) => two.map((workspaces) => workspaces.execute(handle, command(), { commandId: id }))),
    );
    expect(results).toEqual(ids.flatMap((id) => [accepted(id), accepted(id)]));
    for (const id of ids) expect(handle.effects.get(id)).toBe(1);
    expect(errors).toEqual([]);
    for (const workspaces of two) await workspaces.close();
    // A backend tells of what it did when it ends; a unique violation would have rolled back.
    const rolledBack = async (): Promise<number> => {
      for (;;) {
        const [row] = await server!.query(
          url,
          `select (select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()) as others,
                  xact_rollback as rollbacks, xact_commit as commits from pg_stat_database where datname = current_database()`,
        );
        if (Number(row!["others"]) === 0 && Number(row!["commits"]) > 200) return Number(row!["rollbacks"]);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const before = await rolledBack();
    expect(before).toBe(0);
    // That it would be seen.
    const row = "insert into effects values (1)";
    await server!.query(url, "create table effects (id integer primary key)");
    await server!.query(url, row);
    await expect(server!.query(url, row)).rejects.toMatchObject({ code: "23505" });
    while ((await rolledBack()) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  });
});

describe.each(openers)("with room for two, results in %s", (_name, open) => {
  it("never forget a command that runs, nor let it settle over another", async () => {
    const results = await open({ newest: 2 });
    const workspaces = new Workspaces({ results });
    let end!: () => void;
    const gate = new Promise<void>((resolve) => (end = resolve));
    const handle = handleOf(async ({ method }, { commandId }) => {
      if (method === "hangs") await gate;
      return accepted(commandId);
    });
    const start = Date.now() - 60_000;
    const idOf = (n: number): string => idAt(start + n, n);
    const ask = (n: number, method = "m"): Promise<CommandResult> =>
      workspaces.execute(handle, command(method), { commandId: idOf(n) });
    const first = ask(1, "hangs");
    while (!handle.effects.has(idOf(1))) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const n of [2, 3, 4, 5]) expect(await ask(n)).toEqual(accepted(idOf(n)));
    await results.forget();
    const again = ask(1);
    end();
    const expected = accepted(idOf(1));
    expect([await first, await again]).toEqual([expected, expected]);
    // What was forgotten is not carried out again either.
    expect(reasonOf(await ask(2))).toBe("command_id_expired");
    expect([...handle.effects]).toEqual([1, 2, 3, 4, 5].map((n) => [idOf(n), 1]));
    await workspaces.close();
  });
});

describe("a retry that sat in a queue for longer than results are remembered", () => {
  it("is told that its id has expired, while a new id of a clock that is somewhat off is taken", async () => {
    const hour = 3_600_000;
    let passed = 0;
    const start = Date.now();
    const clock = {
      ...platformClock,
      now: () => start + passed,
      elapsed: () => platformClock.elapsed() + passed,
    };
    const results = new InMemoryCommandResults({ retention: { ageMs: hour }, clock });
    const workspaces = new Workspaces({ results, clock, deadlineMs: 10 * hour });
    let end!: () => void;
    const gate = new Promise<void>((resolve) => (end = resolve));
    const handle = handleOf(async ({ method }, { commandId }) => {
      if (method === "hangs") await gate;
      return accepted(commandId);
    });
    const ask = (commandId: string, method = "m") =>
      workspaces.execute(handle, command(method), { commandId });
    const [old, pending] = [idAt(start, 1), idAt(start, 2)];
    const running = ask(pending, "hangs");
    expect(await ask(old)).toEqual(accepted(old));
    passed = hour / 2;
    expect(await ask(old)).toEqual(accepted(old));
    passed = 2 * hour;
    // Whatever comes meanwhile makes it be forgotten.
    for (const off of [-300_000, 300_000]) {
      const id = idAt(clock.now() + off, 3);
      expect(await ask(id)).toEqual(accepted(id));
    }
    expect(await ask(old)).toMatchObject({ rejection: { reason: "command_id_expired", retryable: false } });
    // Asking leaves nothing behind: it is as expired the next time.
    expect(await ask(old)).toMatchObject({ rejection: { reason: "command_id_expired" } });
    expect(await results.read({ tenant: "t", workspace: "w", participant: "p", commandId: old })).toEqual({
      kind: "absent",
    });
    // What still runs is older than all of that.
    const again = ask(pending);
    end();
    expect([await running, await again]).toEqual([accepted(pending), accepted(pending)]);
    expect([handle.effects.get(old), handle.effects.get(pending)]).toEqual([1, 1]);
    await workspaces.close();
  });
});

describe("two processes on one SQLite file", () => {
  it("that are sent a thousand commands each at the same moment carry out each once, and nobody is told of a lock", async ({
    annotate,
  }) => {
    const url = `sqlite:${join(scratchFolder(), "results.db")}`;
    const effects = join(scratchFolder(), "effects");
    const two = await Promise.all([0, 1].map(() => commandsChild(url, { effects })));
    children.push(...two);
    await Promise.all(two.map((child) => child.call("stalls")));
    const ids = Array.from({ length: 1_000 }, (_, n) => idAt(Date.now(), n));
    const pairs = await Promise.all(
      ids.map((id) => Promise.all(two.map((child) => child.execute(id, "line")))),
    );
    for (const [one, other] of pairs) expect([reasonOf(one!), other]).toEqual(["accepted", one]);
    const begun = readFileSync(effects, "utf8")
      .split("\n")
      .filter((line) => line.endsWith("begins"));
    expect([begun.length, new Set(begun).size]).toEqual([1_000, 1_000]);
    // What a transaction takes is bounded by the changes in it; how long that is is the machine's, and reported.
    for (const child of two) {
      const longest = await child.call<number>("longestStallMs");
      expect(longest).toBeGreaterThan(0);
      await annotate(`the loop of a process stood still for ${longest} ms at the most`);
    }
  });
});
