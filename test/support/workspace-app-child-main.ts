/** A process with the application on a store. It does what its standard input says; see workspace-app-child.ts. */
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createWorkspaceApp, openStorage } from "../../examples/workspace-app/index.js";
import type { JsonObject } from "../../src/commands/app.js";

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

interface Asked {
  readonly n: number;
  readonly commandId?: string;
  readonly method: string;
  readonly params: JsonObject;
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { n, commandId, method, params } = JSON.parse(line) as Asked;
  try {
    const handle = await app.open({ tenant: "orchard", participant: "ann" }, "w1");
    if ("reason" in handle) throw new Error(handle.reason);
    const context = { commandId: commandId ?? "", signal: new AbortController().signal };
    const result =
      commandId === undefined
        ? await handle.query(method, params)
        : await handle.carryOut({ method, params }, context);
    process.stdout.write(`${JSON.stringify({ n, result })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ n, failed: String(error) })}\n`);
  }
});
