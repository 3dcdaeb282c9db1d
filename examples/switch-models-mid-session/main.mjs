// Another model for the same session: see which there are, switch, and know which one a turn uses.
import assert from "node:assert/strict";
import { once } from "node:events";
import { MspClient } from "mspkit/client";
import { spawning } from "mspkit/client/node";
import { Host, identityOf } from "mspkit/host";
import { memoryStore } from "mspkit/ledger";
import { inProcess } from "mspkit/wire";
import * as recipe from "../recipe.mjs";

const { clientInfo, errorOf, holds, until } = recipe;

/** A session on a host, and how to switch its model. */
async function begin(connect) {
  const changes = [];
  const client = new MspClient({
    clientInfo,
    connect,
    onFrame: (method, params) => {
      if (method === "session/modelChanged") changes.push(params.modelId);
    },
  });
  await client.connect();
  const session = await client.startSession();
  const { sessionId } = session;
  const switchTo = (modelId, options) =>
    client.connection.command("session/setModel", { sessionId, model: { modelId } }, options);
  const model = () => session.view.states.effectiveModel?.value?.modelId;
  return { client, session, changes, switchTo, model };
}

console.log("# Which there are");
{
  const { client, session, changes, switchTo, model } = await begin(
    spawning(recipe.embeddedHost(recipe.scratchFolder())),
  );
  const { models } = await client.methods.model.list({});
  const { modelId } = models.at(-1);
  const commandId = client.mintCommandId();
  const ack = await switchTo(modelId, { commandId });
  await until(session, () => model() === modelId);
  await holds("a model that the host lists is taken, and the view says so", () => {
    assert.ok(models.length > 1);
    assert.equal(ack.status, "accepted");
  });
  const error = await errorOf(switchTo("none-such"));
  await holds("one that it does not list is refused, and the session keeps what it has", () => {
    assert.equal(error.reason, "unsupported_route");
    assert.equal(error.outcome, "rejected");
    assert.equal(model(), modelId);
  });

  const [other] = models;
  await switchTo(other.modelId);
  const again = await switchTo(modelId, { commandId });
  await until(session, () => model() === other.modelId);
  await holds("the first switch, sent again under its id, does not undo the second", () => {
    assert.deepEqual(again, ack);
    assert.deepEqual(changes, [modelId, other.modelId]);
  });
  await recipe.hostIsContent(client, "the host ended in order");
}

console.log("# Which one a turn uses");
{
  // An agent of one's own, in this process: it says which model it was given.
  const agent = {
    models: ["small", "large"].map((modelId) => ({ modelId, providerId: "own", displayName: modelId })),
    async run({ modelId, prompt }, { emit, mintId, signal }) {
      const item = { itemId: mintId(), kind: "agentMessage", text: modelId };
      await emit({ type: "itemCompleted", item });
      if (prompt === "Take your time.") await once(signal, "abort");
    },
  };
  const identity = identityOf({ name: "mspkit_recipe", version: "1.0.0" });
  const host = new Host({ store: memoryStore(), agent, identity });
  const [theirs, ours] = inProcess();
  host.accept(theirs);
  const { client, session, switchTo, model } = await begin(() => ours);
  const said = ({ turnId }) =>
    [...session.view.items.values()].find(
      ({ item }) => item.turnId === turnId && item.kind === "agentMessage",
    )?.item.text;

  const running = await session.send("Take your time.");
  await until(session, () => said(running) !== undefined);
  await switchTo("large");
  await until(session, () => model() === "large");
  const next = await session.send("And now?", { ifBusy: "queue" });
  await running.interrupt();
  const { params } = await next.completed;
  await holds("a switch in mid-turn leaves the turn that runs with its model", () =>
    assert.equal(said(running), "small"),
  );
  await holds("and the next turn has the new one", () => {
    assert.equal(params.terminal, "completed");
    assert.equal(said(next), "large");
  });
  await client.close();
  await host.close();
}
