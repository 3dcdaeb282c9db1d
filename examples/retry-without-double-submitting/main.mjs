// A command is sent, its answer is lost, it is sent again: it runs once. docs/retry-without-double-submitting.md
// goes through it.
import assert from "node:assert/strict";
import { MspClient } from "mspkit/client";
import { spawning } from "mspkit/client/node";
import * as recipe from "../recipe.mjs";

const { clientInfo, errorOf, holds, until, workspaceRoot } = recipe;

/** A session of a client whose frames are kept in `sent`. */
async function begin(connect) {
  const sent = [];
  const client = new MspClient({
    clientInfo,
    connect: () => recipe.watched(connect(), sent),
  });
  await client.connect();
  const session = await client.startSession({ workspaceRoot });
  const retired = [];
  const frames = [];
  session.on((event) => {
    if (event.kind === "retired") retired.push(event.retirement);
    if (event.kind === "frame") frames.push(event);
  });
  return { client, session, sent, retired, frames };
}

console.log("# The answer is lost");
{
  const { transport, report } = recipe.hostInProcess(recipe.recorded("replayed-command"));
  const { client, session, sent, retired } = await begin(() => transport);
  const words = "Order two bags of bone meal.";
  // Made once for each thing that the user wants, and kept until it is known what came of it.
  const commandId = client.mintCommandId();
  const patience = new AbortController();
  const lost = errorOf(session.send(words, { commandId, signal: patience.signal }));
  const kept = session.pending.get(commandId);
  patience.abort();
  const { outcome } = await lost;
  await holds("the words are kept from before they are sent", () =>
    assert.equal(kept.input.input[0].text, words),
  );
  await holds("without an answer the outcome is unknown, which is not failed", () =>
    assert.equal(outcome, "outcomeUnknown"),
  );

  await until(session, () =>
    [...session.view.items.values()].some(({ item }) => item.kind === "agentMessage"),
  );
  const turn = await session.send(words, { commandId });
  await holds("sent again under the same id, it is the same turn", () => {
    const [first, second] = sent.filter(({ method }) => method === "turn/start");
    assert.deepEqual(second.params, first.params);
    assert.notEqual(second.id, first.id);
    assert.equal(turn.turnId, commandId);
  });
  await turn.completed;
  await session.send(words, { commandId });
  await holds("it ran once, however often it was sent", () => {
    const messages = [...session.view.items.values()].filter(({ item }) => item.kind === "userMessage");
    assert.equal(messages.length, 1);
    assert.equal(session.view.turns.size, 1);
    assert.deepEqual(
      retired.map(({ kind }) => kind),
      ["materialized"],
    );
    assert.equal(session.pending.size, 0);
  });
  await recipe.reportIsContent(client, report);
}

console.log("# A goal is set twice, and once with other words");
{
  const { transport, report } = recipe.hostInProcess(recipe.recorded("goal-replayed"));
  const { client, session, sent, frames } = await begin(() => transport);
  const objective = "Every tree is pruned before the frost.";
  const commandId = client.mintCommandId();
  const first = await session.goal.set(objective, { commandId });
  await until(session, () => session.view.turns.has(first.turnId));
  const again = await session.goal.set(objective, { commandId });
  await holds("the replayed ack has the same values", () => assert.deepEqual(again, first));

  const before = sent.length;
  const refused = await errorOf(session.goal.set("Every tree is felled.", { commandId }));
  await holds("other words under the same id are refused here", () => {
    assert.equal(refused.kind, "protocolError");
    assert.equal(refused.breach, "commandIdReused");
    assert.equal(refused.outcome, "nothingAdmitted");
  });
  await holds("and no frame leaves", () => assert.equal(sent.length, before));

  await session.turn(first.turnId).completed;
  await holds("exactly one goal change folds", () => {
    const changes = frames.filter(({ method }) => method === "session/goalChanged");
    assert.deepEqual(
      changes.map(({ outcome }) => outcome.kind),
      ["applied"],
    );
    assert.equal(session.view.states.goal.value.objective, objective);
    assert.equal(session.view.turns.size, 1);
  });
  await recipe.reportIsContent(client, report);
}

/** A turn that waits for an approval, and words that are queued behind it. `go` lets the first turn go on. */
async function queued(scenario, [first, second]) {
  const begun = await begin(spawning(recipe.hostOf(scenario)));
  const { session } = begun;
  let go;
  const going = new Promise((resolve) => {
    go = resolve;
  });
  const asked = new Promise((resolve) => {
    session.onApproval(async () => {
      resolve();
      await going;
      return { choiceId: "allow_once" };
    });
  });
  await session.send(first);
  await asked;
  const turn = await session.send(second, { ifBusy: "queue" });
  assert.equal(turn.disposition, "queued");
  return { ...begun, turn, go };
}

console.log("# The queued turn launches");
{
  const words = ["Wash the crates.", "Then stack them by the press."];
  const { client, session, sent, retired, turn, go } = await queued("queued-launch", words);
  await holds("while it waits, it is in flight", () =>
    assert.deepEqual(
      session.pending.list().map(({ commandId }) => commandId),
      [turn.commandId],
    ),
  );
  go();
  const { kind, started } = await turn.completed;
  await holds("it launches when the turn before it ends", () => {
    assert.equal(kind, "completed");
    assert.ok(started);
  });
  await holds("its entry retires as materialized", () => {
    const last = retired.at(-1);
    assert.equal(last.commandId, turn.commandId);
    assert.equal(last.kind, "materialized");
    assert.equal(session.view.items.get(last.itemId).item.text, words[1]);
  });
  await holds("the client asked by itself what came of it, under its id", () => {
    const tries = sent.filter(({ params }) => params?.commandId === turn.commandId);
    assert.equal(tries.length, 2);
    assert.deepEqual(tries[0].params, tries[1].params);
  });
  await recipe.hostIsContent(client);
}

console.log("# Its launch fails");
{
  const words = ["Sharpen the saws.", "Then cut back the hedge."];
  const { client, session, retired, turn, go } = await queued("queued-reject", words);
  go();
  const outcome = await turn.completed;
  await holds("the turn ends without having begun", () => {
    // Which of the two is heard of first, the end of the turn or that its command is rejected, is the host's affair.
    if (outcome.kind === "rejected") assert.equal(outcome.reason, "deferred_start_failed");
    else {
      assert.equal(outcome.kind, "completed");
      assert.ok(!outcome.started);
      assert.equal(outcome.params.error.kind, "launchError");
    }
  });
  await until(session, () => session.pending.size === 0);
  await holds("its entry retires as rejected, and the words are given back", () => {
    const last = retired.at(-1);
    assert.equal(last.kind, "rejected");
    assert.equal(last.reason, "deferred_start_failed");
    assert.equal(last.restoreToComposer, true);
    assert.equal(last.input.input[0].text, words[1]);
  });
  await recipe.hostIsContent(client);
}

console.log("# It is taken back");
{
  const { client, session, retired } = await begin(spawning(recipe.hostOf("reclaim")));
  const running = await session.send("Press the windfalls.");
  await until(session, () => [...session.view.items.values()].some(({ streams }) => streams?.size > 0));
  const input = [{ type: "text", text: "Then bottle the juice." }];
  const turn = await session.send(input, { ifBusy: "queue" });
  await turn.unqueue();
  const { kind } = await turn.completed;
  await holds("it never runs", () => assert.equal(kind, "unqueued"));
  await holds("its entry retires as reclaimed, and the words are given back", () => {
    const last = retired.at(-1);
    assert.equal(last.kind, "reclaimed");
    assert.equal(last.restoreToComposer, true);
    assert.deepEqual(last.input.input, input);
  });
  const { params } = await running.completed;
  await holds("the turn that ran is untouched", () => assert.equal(params.terminal, "completed"));
  const { sessionId } = session;
  const replayed = await client.connection.command(
    "turn/start",
    { sessionId, input, ifBusy: "queue" },
    { commandId: turn.commandId },
  );
  await holds("sent once more, its command gets the first ack, and nothing begins", () => {
    assert.equal(replayed.disposition, "queued");
    assert.equal(session.view.turns.get(turn.turnId).state, "unqueued");
    assert.equal(session.pending.size, 0);
  });
  await recipe.hostIsContent(client);
}
