/** The power of the machine fails: what was answered of commands in SQLite, and of effects beside them, is there. */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { type CommandResult, Workspaces } from "../../../src/commands/index.js";
import { sqliteResults } from "../../../src/commands/node.js";
import type { Mutation } from "../../support/child-program.js";
import { accepted, command, handleOf, idAt } from "../../support/commands.js";
import { commandsChild } from "../../support/commands-child.js";
import { scratchFolder } from "../../support/repo.js";
import { sqliteEffects } from "../../support/results-subjects.js";
import { syncShim } from "../../support/sync-shim.js";

const shim = syncShim();

/** What is not there after a power cut, of what was answered before; the last of that was of a method. */
async function lostBy(
  last: "line" | "settling",
  mutation?: Mutation,
): Promise<{ answered: number; lost: string[] }> {
  const folder = scratchFolder();
  const path = join(folder, "store/results.db");
  const synced = join(folder, "synced");
  for (const made of [dirname(path), synced]) mkdirSync(made);
  const db = new Sqlite(path);
  db.exec("create table effects (id text not null)");
  db.close();
  cpSync(path, join(synced, "results.db"));
  const child = await commandsChild(`sqlite:${path}`, {
    effects: join(folder, "lines"),
    env: { LD_PRELOAD: shim!, SYNC_SHIM_FROM: path, SYNC_SHIM_TO: synced },
    mutation,
  });
  const answered = new Map<string, CommandResult>();
  const settled: string[] = [];
  for (let i = 0; i < 24; i++) {
    const id = idAt(Date.now(), i);
    // What is not synced is synced with the next one that is.
    const method = i % 2 === 1 ? last : last === "line" ? "settling" : "line";
    answered.set(id, await child.execute(id, method));
    if (method === "settling") settled.push(id);
  }
  await child.kill();
  rmSync(dirname(path), { recursive: true });
  cpSync(synced, dirname(path), { recursive: true });
  const lost: string[] = [];
  const workspaces = new Workspaces({ results: sqliteResults(path), waitMs: 50 });
  const handle = handleOf(() => accepted("carried out again"));
  for (const [id, result] of answered) {
    const found = await workspaces.execute(handle, command(), { commandId: id });
    if (JSON.stringify(found) !== JSON.stringify(result)) lost.push(id);
  }
  await workspaces.close();
  const kept = sqliteEffects(path);
  lost.push(...settled.filter((id) => !kept.includes(id)).map((id) => `the effect of ${id}`));
  for (const result of answered.values()) expect(result.status).toBe("accepted");
  return { answered: answered.size, lost };
}

describe.skipIf(shim === undefined)("a power cut", () => {
  it.each(["line", "settling"] as const)("loses nothing that was answered, the last a %s", async (last) => {
    expect(await lostBy(last)).toEqual({ answered: 24, lost: [] });
  });

  it.each<[string, "line" | "settling", string, string]>([
    ["results are", "line", `made.pragma("synchronous = full")`, `made.pragma("synchronous = normal")`],
    ["effects are", "settling", `db.pragma("synchronous = full")`, `db.pragma("synchronous = normal")`],
  ])("is seen to lose something where %s not synced", async (_what, last, from, to) => {
    const { answered, lost } = await lostBy(last, {
      file: "src/commands/results/sqlite/tables.ts",
      from,
      to,
    });
    expect(answered).toBe(24);
    expect(lost.length).toBeGreaterThan(0);
  });
});
