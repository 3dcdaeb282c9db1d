// Stop a turn by its id, withdraw it, or take it back from the queue. Too late is an answer too: nothing else is
// stopped in its place.
import assert from "node:assert/strict";
import { MspClient } from "mspkit/client";
import { spawning } from "mspkit/client/node";
import { clientInfo, errorOf, holds, hostIsContent, hostOf, workspaceRoot } from "../recipe.mjs";

/** A turn that was begun, on a host of its own. */
async function begin(scenario, words) {
  const client = new MspClient({ clientInfo, connect: spawning(hostOf(scenario)) });
  await client.connect();
  const session = await client.startSession({ workspaceRoot });
  const turn = await session.send(words);
  return { client, session, turn };
}

/** Resolves when an item of a kind is on the view. */
const shown = (session, kind) =>
  new Promise((resolve) => {
    const look = () => {
      if ([...session.view.items.values()].some(({ item }) => item.kind === kind)) resolve();
    };
    session.on(look);
    look();
  });

console.log("# Stop");
{
  const { client, session, turn } = await begin(
    "cancel-mid-turn",
    "Count the fruit on every tree, row by row.",
  );
  await shown(session, "toolCall");
  const { turnId } = await session.cancel(turn.turnId);
  await holds("the ack names the turn that is being stopped", () => assert.equal(turnId, turn.turnId));
  const { kind, params } = await turn.completed;
  await holds("it is over when its end is told, and being stopped is no failure", () => {
    assert.equal(kind, "completed");
    assert.equal(params.terminal, "cancelled");
    assert.equal(params.error, undefined);
  });
  await holds("nothing of it is left running", () => {
    const states = [...session.view.items.values()].map(({ item }) => item.status);
    assert.ok(!states.includes("inProgress"));
  });
  await hostIsContent(client);
}

console.log("# Stop, and withdraw what was said");
{
  const { client, session, turn } = await begin("interrupt-retract", "Spray the whole orchard with copper.");
  await shown(session, "userMessage");
  const retracted = new Promise((resolve) => {
    session.on(() => {
      if ([...session.view.items.values()].some(({ item }) => item.retracted)) resolve();
    });
  });
  await turn.interrupt({ retract: true });
  await turn.completed;
  await retracted;
  await holds("a turn that had said nothing is withdrawn with its message", () =>
    assert.equal(session.outcomeOf(turn.turnId).kind, "retracted"),
  );
  await hostIsContent(client);
}

console.log("# Too late to stop");
{
  const { client, turn } = await begin("interrupt-nothing", "Is the gate shut?");
  const { params } = await turn.completed;
  const error = await errorOf(turn.interrupt());
  await holds("a turn that is over cannot be stopped, and the host says so", () => {
    assert.equal(params.terminal, "completed");
    assert.equal(error.kind, "commandRejected");
    assert.equal(error.reason, "already_terminal");
    assert.equal(error.outcome, "rejected");
  });
  await hostIsContent(client);
}

console.log("# Too late to take back");
{
  const { client, session, turn } = await begin("reclaim-too-late", "Weigh the harvest.");
  await shown(session, "userMessage");
  const error = await errorOf(turn.unqueue());
  const { params } = await turn.completed;
  await holds("a turn that runs is not taken back, and is not stopped by the attempt", () => {
    assert.equal(error.reason, "turn_already_started");
    assert.equal(params.terminal, "completed");
  });
  await hostIsContent(client);
}

console.log("# Too late to add");
{
  const { client, session, turn } = await begin("steer-expected-turn", "List the grafts that took.");
  await shown(session, "userMessage");
  await turn.steer("Only those of this spring.");
  await turn.completed;
  const error = await errorOf(turn.steer("Add the rootstock of each."));
  await holds("what comes too late is added to no other turn, and begins none", () => {
    assert.equal(error.reason, "turn_not_running");
    assert.equal(session.view.turns.size, 1);
  });
  await hostIsContent(client);
}
