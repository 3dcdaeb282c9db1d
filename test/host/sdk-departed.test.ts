/** A client that reads nothing any more from the moment that it leaves: its host ends in order all the same. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { MspClient, mintCommandId } from "../../src/client/index.js";
import { spawning } from "../../src/client/node.js";
import { CLIENT_INFO } from "../support/canned.js";
import { Conversation, MSPKIT } from "../support/conversation.js";
import { scratchFolder } from "../support/repo.js";

interface Frame {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly session: { readonly sessionId: string } };
}

it("a turn that runs gets its end in the log, the host exits with 0, and the ack is as it was", async () => {
  const words = ["serve", "--store", `file:${join(scratchFolder(), "store")}`];
  const host = new Conversation([MSPKIT, ...words]);
  const say = (id: number, method: string, params: object): void =>
    host.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  const heard = async (fits: (frame: Frame) => boolean): Promise<Frame> => {
    for (let count = 1; await host.hears(count); count++) {
      const frame = JSON.parse(host.lines[count - 1]!) as Frame;
      if (fits(frame)) return frame;
    }
    throw new Error("the host ended before");
  };
  say(1, "initialize", { clientInfo: CLIENT_INFO });
  await heard(({ id }) => id === 1);
  host.send('{"jsonrpc":"2.0","method":"initialized"}');
  say(2, "session/start", { commandId: mintCommandId() });
  const { sessionId } = (await heard(({ id }) => id === 2)).result!.session;
  const commandId = mintCommandId();
  const params = { sessionId, input: [{ type: "text" as const, text: "/hang" }] };
  say(3, "turn/start", { ...params, commandId });
  const { result: ack } = await heard(({ id }) => id === 3);
  await heard(({ method }) => method === "turn/started");

  host.child.stdout.destroy();
  const { code, stderr } = await host.hangUp();
  expect(code).toBe(0);
  // The last line: it was not cut off on the way.
  expect(JSON.parse(stderr.trim().split("\n").at(-1)!)).toMatchObject({ message: "ended" });

  const client = new MspClient({
    clientInfo: CLIENT_INFO,
    connect: spawning({ command: process.execPath, args: [MSPKIT, ...words] }),
  });
  const connection = await client.connect();
  const resumed = await connection.command("session/resume", { sessionId });
  expect(resumed.lastTurn).toMatchObject({ turnId: commandId, terminal: "cancelled" });
  expect(await connection.command("turn/start", params, { commandId })).toEqual(ack);
  await client.close();
});
