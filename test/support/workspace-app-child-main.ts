/** A process with the application on a store. It does what its standard input says; see workspace-app-child.ts. */
import { appendFileSync } from "node:fs";
import { createWorkspaceApp, openStorage } from "../../examples/workspace-app/index.js";
import type { CommandResult, JsonObject } from "../../src/commands/app.js";
import { answerCalls } from "./answer-calls.js";

const [url, effects, concurrency, leaseMs] = process.argv.slice(2) as [string, string, string, string];
const app = createWorkspaceApp({
  storage: await openStorage(url),
  leaseMs: Number(leaseMs),
  pollMs: 30,
  concurrency: Number(concurrency),
  functions: {
    // Writes down that it was called, as something in the world would have it.
    record: (_, { runId, attempt }) => {
      appendFileSync(effects, `${runId} ${attempt}\n`);
      return null;
    },
    // The first attempt does not end.
    hang: (_, { attempt }) => (attempt === 1 ? new Promise<null>(() => undefined) : attempt),
  },
  // A test that ends takes the store away.
  onError: (error) => void process.stderr.write(`${String(error)}\n`),
});

async function ask(method: string, params: JsonObject, commandId: string | null): Promise<CommandResult> {
  const handle = await app.open({ tenant: "orchard", participant: "ann" }, "w1");
  if ("reason" in handle) throw new Error(handle.reason);
  // What is undefined here is null when it has been through JSON.
  if (commandId === null) return handle.query(method, params);
  const context = { commandId, signal: new AbortController().signal };
  return handle.carryOut({ method, params }, context);
}

answerCalls({ url: () => url, ask });
