/** The command results of the project as subjects of the laws. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandResults, InMemoryCommandResults } from "../../src/commands/index.js";
import { migratePostgres, postgresResults, sqliteResults } from "../../src/commands/node.js";
import type { MortalResults, ResultsReport, ResultsSubject } from "../../src/laws/store/index.js";
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
      async remove() {
        for (const { kill } of children) await kill();
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      },
    };
  },
};

/** Results in a PostgreSQL, shared. */
export function postgresSubject(server: () => TestPostgres): ResultsSubject {
  // A database that was emptied is as new, and there at once.
  const emptied: string[] = [];
  return {
    name: "postgres",
    async makePlace() {
      const url = emptied.pop() ?? (await server().database());
      await migratePostgres(url);
      const children: ChildProgram[] = [];
      return {
        results: async (retention) =>
          postgresResults(url, { connections: 4, ...(retention === undefined ? {} : { retention }) }),
        mortal: () => mortal(url, children),
        async remove() {
          for (const { kill } of children) await kill();
          await server().query(url, "truncate mspkit.command_results, mspkit.command_watermarks");
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
export function notKept(report: ResultsReport): Record<string, unknown> {
  return Object.fromEntries(
    report.laws
      .filter(({ verdict }) => verdict !== "holds")
      .map(({ law, verdict, broken, counts }) => [law, broken ?? `${verdict} ${JSON.stringify(counts)}`]),
  );
}
