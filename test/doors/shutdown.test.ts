/** Closing the doors on WebSockets whose clients do not read. */
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type { App } from "../../src/commands/app.js";
import { openDoors, post, tokenOf } from "../support/doors.js";
import { appOf } from "../support/workspace-app.js";

const PUBLISH = { workspaceId: "w1", type: "apple.fell" };

/** A socket that has asked for much more than it reads. */
async function flooded(at: Awaited<ReturnType<typeof scene>>): Promise<WebSocket> {
  for (let n = 0; n < 10; n++)
    await post(`${at.url}/v1/event/publish`, {
      ...PUBLISH,
      commandId: `c${n}`,
      data: { text: "x".repeat(60_000) },
    });
  const socket = new WebSocket(at.webSocketUrl, {
    headers: { authorization: `Bearer ${tokenOf("orchard", "ann")}` },
  });
  onTestFinished(() => socket.terminate());
  socket.on("error", () => undefined);
  await once(socket, "open");
  socket.pause();
  for (let id = 1; id <= 100; id++)
    socket.send(
      JSON.stringify({ jsonrpc: "2.0", id, method: "event/list", params: { workspaceId: "w1", limit: 10 } }),
    );
  while (at.asked() < 50) await new Promise((resolve) => setTimeout(resolve, 5));
  return socket;
}

/** Doors that count what is read. */
async function scene() {
  const inner = appOf();
  let asked = 0;
  const app: App = {
    bundle: inner.bundle,
    close: () => inner.close(),
    async open(actor, workspace) {
      const handle = await inner.open(actor, workspace);
      if ("reason" in handle) return handle;
      return {
        ...actor,
        workspace,
        carryOut: (command, context) => handle.carryOut(command, context),
        subscribe: (listener) => handle.subscribe(listener),
        query(method, params) {
          asked++;
          return handle.query(method, params);
        },
      };
    },
  };
  return { ...(await openDoors(app)), asked: () => asked };
}

describe("closing", () => {
  // Each of them would hold the doors for the 30 s of the drain.
  it("does not wait for what a client that is gone has not read", async () => {
    const at = await scene();
    (await flooded(at)).terminate();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await at.close();
  }, 20_000);

  it("cuts a client that takes nothing any more", async () => {
    const at = await scene();
    const socket = await flooded(at);
    await at.close();
    socket.resume();
    await once(socket, "close");
    expect(at.asked()).toBeGreaterThanOrEqual(50);
  }, 20_000);
});
