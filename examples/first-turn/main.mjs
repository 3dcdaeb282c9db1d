// Spawn a host, shake hands, send a turn, read the answer as it comes, see how it ends.
import assert from "node:assert/strict";
import { MspClient } from "mspkit/client";
import { spawning } from "mspkit/client/node";
import { clientInfo, holds, hostIsContent, hostName, hostOf, workspaceRoot } from "../recipe.mjs";

const client = new MspClient({ clientInfo, connect: spawning(hostOf("text-turn")) });
const connection = await client.connect();
await holds("the host says who it is and what it keeps", () => {
  assert.equal(connection.host.serverInfo.name, hostName);
  assert.equal(connection.durability, "durable");
});

const session = await client.startSession({ workspaceRoot });
const turn = await session.send("Which apple trees need pruning before the frost?");
await holds("the ack names the turn and says that it runs", () => assert.equal(turn.disposition, "started"));

let text = "";
let pieces = 0;
for await (const piece of turn.text()) {
  text += piece;
  pieces++;
}
await holds("the pieces of the answer are the whole message", () => {
  const items = [...session.view.items.values()].map(({ item }) => item);
  assert.equal(text, items.find(({ kind }) => kind === "agentMessage").text);
  assert.ok(pieces > 0);
});

const outcome = await turn.completed;
await holds("the turn ended well", () => {
  assert.equal(outcome.kind, "completed");
  assert.equal(outcome.params.terminal, "completed");
});
await holds("nothing is in flight any more", () => assert.equal(session.pending.size, 0));
await hostIsContent(client);
