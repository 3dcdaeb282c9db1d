/** Commands in several processes over shared results: one effect, whoever dies, stops or wakes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ABANDONED, Workspaces } from "../../src/commands/index.js";
import { migratePostgres, openResults } from "../../src/commands/node.js";
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
afterAll(async () => {
  await server?.remove();
});

async function place(scheme: string): Promise<string> {
  if (scheme === "sqlite") {
    return `sqlite:${join(scratchFolder(), "results.db")}`;
  }
  const url = await server!.database();
  await migratePostgres(url);
  return url;
}

async function child(...words: Parameters<typeof commandsChild>): Promise<CommandsChild> {
  const made = await commandsChild(...words);
  children.push(made);
  return made;
}

const schemes = hasPostgres ? ["sqlite", "postgres"] : ["sqlite"];

describe.skipIf(process.platform === "win32").each(schemes)("processes over %s", (scheme) => {
  it("carry 64 duplicates in 4 of them out once, and all get the first result", async () => {
    const url = await place(scheme);
    const effects = join(scratchFolder(), "effects");
    const four = await Promise.all(Array.from({ length: 4 }, () => child(url, { effects })));
    const id = idAt(Date.now());
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, i) => four[i % 4]!.execute(id, "line", { ms: 300 })),
    );
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    expect(reasonOf(results[0]!)).toBe("accepted");
    expect(readFileSync(effects, "utf8")).toBe(`${id} begins\n${id} ends\n`);
  });

  it("each claim a hundred ids at the same moment: one effect each, and nobody is told that it is busy", async () => {
    const url = await place(scheme);
    const effects = join(scratchFolder(), "effects");
    const [one, two] = await Promise.all([child(url, { effects }), child(url, { effects })]);
    const ids = Array.from({ length: 100 }, (_, i) => idAt(Date.now(), i));
    const pairs = await Promise.all(
      ids.map((id) => Promise.all([one.execute(id, "line"), two.execute(id, "line")])),
    );
    for (const [a, b] of pairs) expect([reasonOf(a), a]).toEqual(["accepted", b]);
    const begun = readFileSync(effects, "utf8")
      .split("\n")
      .filter((line) => line.endsWith("begins"));
    expect([begun.length, new Set(begun).size]).toEqual([100, 100]);
  });

  it("abandon at its deadline what one was killed over, for those that wait and for those that come", async () => {
    const url = await place(scheme);
    const effects = join(scratchFolder(), "effects");
    const dies = await child(url, { effects, deadlineMs: 1_500 });
    const lives = await child(url, { effects });
    const id = idAt(Date.now());
    void dies.execute(id, "line", { ms: 60_000 });
    await until(() => readFileSync(effects, { encoding: "utf8", flag: "a+" }).includes("begins"));
    const waiting = lives.execute(id, "line");
    await dies.kill();
    expect(await waiting).toEqual(ABANDONED);
    expect(await lives.execute(id, "line")).toEqual(ABANDONED);
    expect(readFileSync(effects, "utf8")).toBe(`${id} begins\n`);
  });

  it("fence one that was stopped over its deadline: when it wakes, it settles nothing, and is told what stands", async () => {
    const url = await place(scheme);
    const effects = join(scratchFolder(), "effects");
    const stops = await child(url, { effects, deadlineMs: 1_500 });
    const id = idAt(Date.now());
    const late = stops.execute(id, "line", { ms: 1_000 });
    await until(() => readFileSync(effects, { encoding: "utf8", flag: "a+" }).includes("begins"));
    stops.process.kill("SIGSTOP");
    const workspaces = new Workspaces({ results: openResults(url) });
    const handle = handleOf(() => accepted("again"));
    expect(await workspaces.execute(handle, command(), { commandId: id })).toEqual(ABANDONED);
    stops.process.kill("SIGCONT");
    expect(await late).toEqual(ABANDONED);
    expect(await workspaces.execute(handle, command(), { commandId: id })).toEqual(ABANDONED);
    expect(handle.effects.size).toBe(0);
    await workspaces.close();
  });
});

async function until(so: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await so())) await new Promise((resolve) => setTimeout(resolve, 5));
}
