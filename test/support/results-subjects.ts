/** The command results of the project as subjects of the laws. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import {
  type Claim,
  type CommandResults,
  type Fence,
  InMemoryCommandResults,
  keyText,
} from "../../src/commands/index.js";
import { migratePostgres, type PgClient, postgresResults, sqliteResults } from "../../src/commands/node.js";
import type { MortalResults, PlaceEffects, PlaceReport, ResultsSubject } from "../../src/laws/store/index.js";
import { StoreError } from "../../src/ledger/store.js";
import { type ChildProgram, childProgram } from "./child-program.js";
import type { TestPostgres } from "./postgres.js";

/** Results in memory: one for a place, since they are of one process. */
export const memoryResults: ResultsSubject = memoryLike("memory", (results) => results);

/** Results in memory that are bent. */
export function memoryLike(name: string, bend: (results: CommandResults) => CommandResults): ResultsSubject {
  return {
    name,
    async makePlace() {
      let made: CommandResults | undefined;
      return {
        results: async (retention) =>
          (made ??= bend(new InMemoryCommandResults(retention === undefined ? {} : { retention }))),
        remove: async () => undefined,
      };
    },
  };
}

/** What an effect in memory does with the store: a step each, to be able to leave some out. */
export interface MemoryEffects {
  /** Whether a claim is the last of its key, and pending. */
  stands(claim: Claim): boolean;
  /** Keeps effects. */
  keep(names: readonly string[]): void;
  readonly results: CommandResults;
}

/** The fence of results in memory, as it has to be. Effects go one after the other. */
export function memoryFence({ stands, keep, results }: MemoryEffects): (claim: Claim) => Fence {
  return (claim) => ({
    epoch: claim.epoch,
    async run(effect, result) {
      const fenced = new StoreError("fenced", "the claim is over");
      if (!stands(claim)) throw fenced;
      const names: string[] = [];
      const value = await effect(names);
      if (!stands(claim)) throw fenced;
      if (result !== undefined) await results.settle(claim, result(value));
      keep(names);
      return value;
    },
  });
}

/** Results in memory with effects, and a fence of the test's making. */
export function fencedMemory(
  name: string,
  fence: (effects: MemoryEffects) => (claim: Claim) => Fence,
  bend: (results: CommandResults, touched: (claim: Claim) => boolean) => Partial<CommandResults> = () => ({}),
): ResultsSubject {
  return {
    name,
    async makePlace() {
      const kept: string[] = [];
      const last = new Map<string, Claim>();
      const effects: PlaceEffects = {
        make: async (handle, id) => void (handle as string[]).push(id),
        kept: async () => kept,
      };
      let made: CommandResults | undefined;
      return {
        effects,
        async results(retention) {
          const results = new InMemoryCommandResults(retention === undefined ? {} : { retention });
          const touched = (claim: Claim): boolean => kept.includes(claim.key.commandId);
          return (made ??= {
            shared: results.shared,
            durability: results.durability,
            url: results.url,
            claim(request) {
              const claimed = results.claim(request);
              if (claimed.kind === "claimed") last.set(keyText(request.key), claimed.claim);
              return claimed;
            },
            settle: (claim, result) => results.settle(claim, result),
            release: (claim) => !touched(claim) && results.release(claim),
            read: (key) => results.read(key),
            wait: (key, waitMs) => results.wait(key, waitMs),
            forget: () => results.forget(),
            close: () => results.close(),
            fence: fence({
              stands: (claim) =>
                results.read(claim.key).kind === "pending" &&
                last.get(keyText(claim.key))?.epoch === claim.epoch,
              keep: (names) => void kept.push(...names),
              results,
            }),
            ...bend(results, touched),
          });
        },
        remove: async () => undefined,
      };
    },
  };
}

/** Results in an SQLite file, shared. */
export const sqliteSubject: ResultsSubject = {
  name: "sqlite",
  async makePlace() {
    const folder = mkdtempSync(join(tmpdir(), "mspkit-test-"));
    const path = join(folder, "results/db");
    const children: ChildProgram[] = [];
    return {
      results: async (retention) => sqliteResults(path, retention === undefined ? {} : { retention }),
      mortal: () => mortal(`sqlite:${path}`, children),
      effects: {
        async make(handle, id) {
          (handle as Database).exec("create table if not exists effects (id text not null)");
          (handle as Database).prepare("insert into effects values (?)").run(id);
        },
        kept: async () => sqliteEffects(path),
      },
      async remove() {
        for (const { kill } of children) await kill();
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  },
};

/** What is kept in the table of effects of a file. */
export function sqliteEffects(path: string): string[] {
  if (!existsSync(path)) return [];
  const db = new Sqlite(path, { readonly: true, timeout: 10_000 });
  try {
    const made = db.prepare("select 1 from sqlite_master where name = 'effects'").get();
    return made === undefined ? [] : db.prepare<[], string>("select id from effects").pluck().all();
  } finally {
    db.close();
  }
}

/** Results in a PostgreSQL, shared. */
export function postgresSubject(server: () => TestPostgres): ResultsSubject {
  // A database that was emptied is as new, and there at once.
  const emptied: string[] = [];
  return {
    name: "postgres",
    async makePlace() {
      const url = emptied.pop() ?? (await server().database());
      await migratePostgres(url);
      await server().query(url, "create table if not exists effects (id text not null)");
      const children: ChildProgram[] = [];
      return {
        results: async (retention) =>
          postgresResults(url, { connections: 4, ...(retention === undefined ? {} : { retention }) }),
        mortal: () => mortal(url, children),
        effects: {
          async make(handle, id) {
            await (handle as PgClient).query("insert into effects values ($1)", [id]);
          },
          kept: async () =>
            (await server().query(url, "select id from effects")).map(({ id }) => id as string),
        },
        async remove() {
          for (const { kill } of children) await kill();
          await server().query(url, "truncate mspkit.command_results, mspkit.command_watermarks, effects");
          emptied.push(url);
        },
      };
    },
  };
}

async function mortal(url: string, children: ChildProgram[]): Promise<MortalResults> {
  const child = await resultsChild(url);
  children.push(child.program);
  return { results: child.results, kill: child.program.kill };
}

/** Results that live in a child process. */
export async function resultsChild(
  url: string,
): Promise<{ readonly results: CommandResults; readonly program: ChildProgram }> {
  const program = await childProgram("test/support/results-child-main.ts", [url]);
  const { call } = program;
  return {
    program,
    results: {
      shared: true,
      durability: "durable",
      url,
      claim: (request) => call("claim", request),
      settle: async (claim, result) => {
        const settlement = await call<{ kind: "settled" | "fenced"; result?: never }>(
          "settle",
          claim,
          result,
        );
        return { kind: settlement.kind, result: settlement.result };
      },
      release: (claim) => call("release", claim),
      read: (key) => call("read", key),
      wait: (key, waitMs) => call("wait", key, waitMs),
      forget: () => call("forget"),
      close: () => call("close"),
    },
  };
}

/** The laws that are not kept, by id. */
export function notKept(report: PlaceReport): Record<string, unknown> {
  return Object.fromEntries(
    report.laws
      .filter(({ verdict }) => verdict !== "holds")
      .map(({ law, verdict, broken, counts }) => [law, broken ?? `${verdict} ${JSON.stringify(counts)}`]),
  );
}
