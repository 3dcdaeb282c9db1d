/** A thousand ids, each sent to four processes on one store at the same moment: each is carried out once. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { migratePostgres } from "../../src/commands/node.js";
import { idAt, reasonOf } from "../support/commands.js";
import { type CommandsChild, commandsChild } from "../support/commands-child.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../support/postgres.js";
import { scratchFolder } from "../support/repo.js";
import { sqliteEffects } from "../support/results-subjects.js";

const IDS = 1_000;
const PROCESSES = 4;

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

describe.each(hasPostgres ? ["sqlite", "postgres"] : ["sqlite"])("over %s", (scheme) => {
  it.each(["line", "settling"] as const)(
    "each is carried out once, and nobody is told that the store is busy (%s)",
    async (method) => {
      const url = await place(scheme);
      const effects = join(scratchFolder(), "effects");
      const all = await Promise.all(Array.from({ length: PROCESSES }, () => commandsChild(url, { effects })));
      children.push(...all);
      const ids = Array.from({ length: IDS }, (_, i) => idAt(Date.now(), i));
      const answers = await Promise.all(
        ids.map((id) => Promise.all(all.map((child) => child.execute(id, method)))),
      );
      for (const four of answers) {
        expect(four.map(reasonOf)).toEqual(four.map(() => "accepted"));
        expect(new Set(four.map((result) => JSON.stringify(result))).size).toBe(1);
      }
      const made =
        method === "line"
          ? readFileSync(effects, "utf8")
              .split("\n")
              .filter((line) => line.endsWith(" ends"))
              .map((line) => line.slice(0, -" ends".length))
          : scheme === "sqlite"
            ? sqliteEffects(url.slice("sqlite:".length))
            : (await server!.query(url, "select id from effects")).map(({ id }) => id as string);
      expect(made.sort()).toEqual([...ids].sort());
    },
  );
});
