/** How the door of standard streams closes: whom it still answers, and for whom it does not wait. */
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import type { App, CommandResult, JsonObject, WorkspaceHandle } from "../../src/commands/app.js";
import { Workspaces } from "../../src/commands/index.js";
import { Desk, loadMcpSdk, mcpServers, serveMcpStdio } from "../../src/doors/index.js";
import { appOf } from "../support/workspace-app.js";

/** Longer than any test: a door that waits until then has hung. */
const FOR_EVER_MS = 2 ** 31 - 1;

/** A door with a call of `event/publish` that is carried out until it is told what comes of it. */
async function calling(drainMs: number) {
  const example = appOf();
  let began: () => void = () => undefined;
  let end: (result: CommandResult) => void = () => undefined;
  const running = new Promise<void>((resolve) => (began = resolve));
  const app: App = {
    bundle: example.bundle,
    close: async () => undefined,
    open: async (actor, workspace) => {
      const handle = (await example.open(actor, workspace)) as WorkspaceHandle;
      return {
        ...actor,
        workspace,
        carryOut: () =>
          new Promise((resolve) => {
            end = resolve;
            began();
          }),
        query: (method, params) => handle.query(method, params),
        subscribe: (listener) => handle.subscribe(listener),
      };
    },
  };
  const workspaces = new Workspaces();
  const sdk = await loadMcpSdk();
  const [input, output] = [new PassThrough(), new PassThrough()];
  let said = "";
  output.setEncoding("utf8").on("data", (text: string) => (said += text));
  const door = await serveMcpStdio({
    sdk,
    servers: mcpServers({ sdk, desk: new Desk({ app, workspaces }) }),
    identity: { tenant: "orchard", participant: "ann" },
    input,
    output,
    limitBytes: 1 << 20,
    drainMs,
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(async () => {
    end({ status: "accepted", result: null });
    await workspaces.close();
  });
  const send = (message: JsonObject) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "test", version: "1" };
  send({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  send({ method: "notifications/initialized" });
  const args = { workspaceId: "w1", type: "apple.fell", command_id: "one" };
  send({ id: 2, method: "tools/call", params: { name: "publish_event", arguments: args } });
  await running;
  const answered = () =>
    said
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { readonly id: number }).id);
  return { door, send, input, output, answered, end };
}

it("a call that runs when the client sends no more is answered before the door closes", async () => {
  const { door, input, answered, end } = await calling(FOR_EVER_MS);
  input.end();
  await door.ended;
  const closing = door.close();
  expect(door.close()).toBe(closing);
  expect(answered()).toEqual([1]);
  end({ status: "rejected", rejection: { reason: "not_today", message: "m", retryable: false } });
  await closing;
  expect(answered()).toEqual([1, 2]);
});

it("a call that the client has called off is not waited for", async () => {
  const { door, send, answered } = await calling(FOR_EVER_MS);
  send({ method: "notifications/cancelled", params: { requestId: 2 } });
  // It is read in its turn.
  await new Promise((resolve) => setImmediate(resolve));
  await door.close();
  expect(answered()).toEqual([1]);
});

it("a client that cannot be answered any more is not waited for", async () => {
  const { door, output } = await calling(FOR_EVER_MS);
  const closing = door.close();
  output.destroy();
  await closing;
});

it("a call that does not end is waited for no longer than is allowed", async () => {
  const { door, answered } = await calling(30);
  await door.close();
  expect(answered()).toEqual([1]);
});
