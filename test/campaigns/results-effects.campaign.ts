/** Effects beside results, in several processes: they are kept with the result of their command, or not at all. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ABANDONED } from "../../src/commands/index.js";
import { migratePostgres } from "../../src/commands/node.js";
import { idAt, reasonOf } from "../support/commands.js";
import { type CommandsChild, commandsChild } from "../support/commands-child.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../support/postgres.js";
import { scratchFolder } from "../support/repo.js";
import { sqliteEffects } from "../support/results-subjects.js";

let server: TestPostgres | undefined;

beforeAll(async () => {
  if (hasPostgres) server = await startPostgres();
});
afterAll(async () => {
  await server?.remove();
});

async function place(scheme: string): Promise<string> {
  if (scheme === "sqlite") {
    const path = join(scratchFolder(), "results.db");
    const db = new Sqlite(path);
    db.exec("create table effects (id text not null)");
    db.close();
    return `sqlite:${path}`;
  }
  const url = await server!.database();
  await migratePostgres(url);
  await server!.query(url, "create table effects (id text not null)");
  return url;
}

async function child(...words: Parameters<typeof commandsChild>): Promise<CommandsChild> {
  const made = await commandsChild(...words);
  onTestFinished(made.kill);
  return made;
}

const schemes = hasPostgres ? ["sqlite", "postgres"] : ["sqlite"];

describe.skipIf(process.platform === "win32").each(schemes)("effects in the same store, %s", (scheme) => {
  const kept = async (url: string): Promise<string[]> =>
    scheme === "sqlite"
      ? sqliteEffects(url.slice("sqlite:".length))
      : (await server!.query(url, "select id from effects")).map(({ id }) => id as string);

  it("of one that was stopped over its deadline are refused when it wakes", async () => {
    const url = await place(scheme);
    const stops = await child(url, { deadlineMs: 1_500 });
    const lives = await child(url);
    const id = idAt(Date.now());
    const running = stops.says("running");
    const late = stops.execute(id, "row", { ms: 1_000 });
    await running;
    stops.process.kill("SIGSTOP");
    expect(await lives.execute(id, "row")).toEqual(ABANDONED);
    stops.process.kill("SIGCONT");
    expect(await late).toEqual(ABANDONED);
    // It has tried by now, or never will: it answers in order.
    const next = idAt(Date.now(), 1);
    expect(reasonOf(await stops.execute(next, "row"))).toBe("accepted");
    expect(await kept(url)).toEqual([next]);
  });

  it("are settled with the command in one transaction: killed right after, its result is there and not abandoned", async () => {
    const url = await place(scheme);
    const dies = await child(url, { deadlineMs: 1_500 });
    const id = idAt(Date.now());
    void dies.execute(id, "settling", { ms: 50 });
    await until(async () => (await kept(url)).length === 1);
    await dies.kill();
    const lives = await child(url);
    const result = await lives.execute(id, "settling");
    expect(result).toMatchObject({ status: "accepted", result: { by: dies.process.pid, commandId: id } });
    expect(await kept(url)).toEqual([id]);
  });

  it("of one that is killed in the middle of it are not there, and its command is abandoned", async () => {
    const url = await place(scheme);
    const dies = await child(url, { deadlineMs: 1_500 });
    const lives = await child(url);
    const id = idAt(Date.now());
    const made = dies.says("made");
    void dies.execute(id, "settling", { inside: 60_000 });
    await made;
    const waiting = lives.execute(id, "settling");
    await dies.kill();
    expect(await waiting).toEqual(ABANDONED);
    expect(await kept(url)).toEqual([]);
    // Nobody is in the way of the next one.
    const next = idAt(Date.now(), 1);
    expect(reasonOf(await lives.execute(next, "settling"))).toBe("accepted");
    expect(await kept(url)).toEqual([next]);
  });

  it("of one that is stopped in the middle of it over its deadline are not there when it wakes, or before", async () => {
    const url = await place(scheme);
    const stops = await child(url, { deadlineMs: 1_500 });
    const lives = await child(url);
    const id = idAt(Date.now());
    const made = stops.says("made");
    const late = stops.execute(id, "settling", { inside: 500 });
    await made;
    stops.process.kill("SIGSTOP");
    const waiting = lives.execute(id, "settling");
    // A server ends what is left of it at the deadline. A file of SQLite is held for as long as its process is there.
    if (scheme === "postgres") expect(await waiting).toEqual(ABANDONED);
    else await new Promise((resolve) => setTimeout(resolve, 1_600));
    stops.process.kill("SIGCONT");
    expect([await late, await waiting]).toEqual([ABANDONED, ABANDONED]);
    expect(await kept(url)).toEqual([]);
  });

  it("and other commands of the same process, at the same time, all come through", async () => {
    const url = await place(scheme);
    const effects = join(scratchFolder(), "effects");
    const two = await Promise.all([child(url, { effects }), child(url, { effects })]);
    const ids = Array.from({ length: 60 }, (_, i) => idAt(Date.now(), i));
    const methods = ["row", "line", "settling"] as const;
    const results = await Promise.all(
      ids.flatMap((id, i) =>
        two.map((one) => one.execute(id, methods[i % 3]!, i % 3 === 1 ? {} : { inside: 5 })),
      ),
    );
    expect(results.map(reasonOf)).toEqual(results.map(() => "accepted"));
    for (let i = 0; i < ids.length; i++) expect(results[2 * i]).toEqual(results[2 * i + 1]);
    expect((await kept(url)).sort()).toEqual(ids.filter((_, i) => i % 3 !== 1));
    const lines = readFileSync(effects, "utf8").split("\n");
    expect(lines.filter((line) => line.endsWith("ends")).sort()).toEqual(
      ids.filter((_, i) => i % 3 === 1).map((id) => `${id} ends`),
    );
  });
});

async function until(so: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await so())) await new Promise((resolve) => setTimeout(resolve, 5));
}
