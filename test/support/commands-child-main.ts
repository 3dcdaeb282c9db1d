/**
 * A process with workspaces over results of an address, whose commands make an effect: a line in a file, or a row in
 * the store of results by the fence. See commands-child.ts.
 */
import { appendFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Database } from "better-sqlite3";
import type { CommandResult, WorkspaceHandle } from "../../src/commands/index.js";
import { Workspaces } from "../../src/commands/index.js";
import { openResults, type PgClient } from "../../src/commands/node.js";
import { answerCalls } from "./answer-calls.js";

const [url, effects, deadlineMs] = process.argv.slice(2);
const workspaces = new Workspaces({
  results: openResults(url!),
  deadlineMs: Number(deadlineMs),
  onError: (error, doing) => process.stderr.write(`${doing}: ${String(error)}\n`),
});

const loop = monitorEventLoopDelay({ resolution: 1 });

const handle: WorkspaceHandle = {
  tenant: "t",
  workspace: "w",
  participant: "p",
  async carryOut({ method, params }, { commandId, fence }): Promise<CommandResult> {
    const pause = () => new Promise((resolve) => setTimeout(resolve, Number(params["ms"] ?? 0)));
    const result: CommandResult = { status: "accepted", result: { by: process.pid, commandId } };
    if (method === "line") {
      appendFileSync(effects!, `${commandId} begins\n`);
      await pause();
      appendFileSync(effects!, `${commandId} ends\n`);
      return result;
    }
    process.stdout.write(`${JSON.stringify({ n: -1, value: "running" })}\n`);
    await pause();
    await fence!.run(
      async (client) => {
        await insert(client, commandId);
        process.stdout.write(`${JSON.stringify({ n: -1, value: "made" })}\n`);
        await new Promise((resolve) => setTimeout(resolve, Number(params["inside"] ?? 0)));
      },
      method === "settling" ? () => result : undefined,
    );
    return result;
  },
  query: async () => ({ status: "accepted", result: null }),
  subscribe: () => () => undefined,
};

async function insert(client: unknown, id: string): Promise<void> {
  if (url!.startsWith("sqlite:")) (client as Database).prepare("insert into effects (id) values (?)").run(id);
  else await (client as PgClient).query("insert into effects (id) values ($1)", [id]);
}

answerCalls({
  url: () => url,
  execute: (commandId: string, method: string, params: object) =>
    workspaces.execute(handle, { method, params: params as never }, { commandId }),
  stalls: () => loop.enable(),
  longestStallMs: () => Math.ceil(loop.max / 1e6),
  close: () => workspaces.close(),
});
