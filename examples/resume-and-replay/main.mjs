// The host dies with a command unanswered. A durable host is started again, the session goes on where it stopped, and
// the command is sent again under its id. What an ephemeral host took with it is never sent again.
import assert from "node:assert/strict";
import { MspClient } from "mspkit/client";
import { spawning } from "mspkit/client/node";
import { spawnHost } from "mspkit/wire/node";
import * as recipe from "../recipe.mjs";

const { clientInfo, errorOf, holds, workspaceRoot } = recipe;
const WORDS = "Then weigh them.";

/** A client whose first host dies before it answers a turn, and whose later ones play `next`. */
async function untilTheHostDies(scenario, next) {
  const sent = [];
  const host = spawnHost(recipe.hostOf(scenario));
  const connects = [() => host, spawning(recipe.hostOf(next))];
  const client = new MspClient({
    clientInfo,
    connect: () => recipe.watched(connects.shift()(), sent),
  });
  await client.connect();
  const session = await client.startSession({ workspaceRoot });
  const retired = [];
  const gone = new Promise((resolve) => {
    session.on((event) => {
      if (event.kind === "retired") retired.push(event.retirement);
      if (event.kind === "disconnected") resolve();
    });
  });
  const turn = await session.send("Count the crates.");
  await turn.completed;
  const lost = errorOf(session.send(WORDS));
  const commandId = session.pending.list()[0].commandId;
  host.kill("SIGKILL");
  const error = await lost;
  await gone;
  return { client, session, sent, retired, commandId, error };
}

/** The frames that carried a command. */
const carrying = (sent, commandId) => sent.filter(({ params }) => params?.commandId === commandId);

/** The turn that a command brought about, once its message is on the view. */
const turnOf = (session, commandId) =>
  new Promise((resolve) => {
    const look = () => {
      const shown = [...session.view.items.values()].find(({ item }) => item.commandId === commandId);
      if (shown !== undefined) resolve(session.turn(shown.item.turnId));
    };
    session.on(look);
    look();
  });

console.log("# A durable host dies, and is started again");
{
  const { client, session, sent, retired, commandId, error } = await untilTheHostDies(
    "host-lost",
    "host-back",
  );
  await holds("a command without an answer is not failed: its outcome is unknown", () =>
    assert.equal(error.outcome, "outcomeUnknown"),
  );
  await holds("its words stay in flight", () => {
    assert.equal(session.pending.get(commandId).input.input[0].text, WORDS);
    assert.deepEqual(
      retired.map(({ kind }) => kind),
      ["materialized"],
    );
  });

  await client.connect();
  await holds("the session is resumed where it stopped", () => {
    const { params } = sent.find(({ method }) => method === "session/resume");
    assert.equal(params.sessionId, session.sessionId);
    assert.match(params.cursor, /:5$/);
    assert.ok(session.view.items.size >= 2);
  });
  await holds("the command is sent again, the same under the same id", () => {
    const [first, second] = carrying(sent, commandId);
    assert.deepEqual(second.params, first.params);
  });
  const turn = await turnOf(session, commandId);
  const { params } = await turn.completed;
  await holds("it runs once", () => {
    assert.equal(retired.at(-1).kind, "materialized");
    assert.equal(params.terminal, "completed");
    assert.equal(session.view.turns.size, 2);
    assert.equal(session.pending.size, 0);
  });
  await recipe.hostIsContent(client);
}

console.log("# The host had taken it in, and will not carry it out");
{
  const { client, session, sent, retired, commandId } = await untilTheHostDies(
    "host-lost",
    "host-back-abandoned",
  );
  await client.connect();
  await holds("sent again, the command is told to be abandoned, and the words are given back", () => {
    assert.equal(carrying(sent, commandId).length, 2);
    const last = retired.at(-1);
    assert.equal(last.kind, "abandoned");
    assert.equal(last.restoreToComposer, true);
    assert.equal(last.input.input[0].text, WORDS);
    assert.equal(session.pending.size, 0);
  });
  await recipe.hostIsContent(client);
}

console.log("# The program is started again too");
{
  const before = await untilTheHostDies("host-lost", "host-back");
  // Written to a file whenever something changes; what is in flight is in it, under its ids.
  const file = JSON.stringify(before.session.save());

  const saved = JSON.parse(file);
  const sent = [];
  const connect = spawning(recipe.hostOf("host-back"));
  const client = new MspClient({ clientInfo, connect: () => recipe.watched(connect(), sent) });
  await client.connect();
  const session = await client.resumeSession(saved.sessionId, { saved });
  await holds("the command has kept its id over the restart", () => {
    const [first] = carrying(before.sent, before.commandId);
    const [again] = carrying(sent, before.commandId);
    assert.deepEqual(again.params, first.params);
  });
  const turn = await turnOf(session, before.commandId);
  const { params } = await turn.completed;
  await holds("it runs once, and is no longer in flight", () => {
    assert.equal(carrying(sent, before.commandId).length, 1);
    assert.equal(params.terminal, "completed");
    assert.equal(session.pending.size, 0);
  });
  await recipe.hostIsContent(client);
}

console.log("# An ephemeral host dies");
{
  const { client, session, sent, retired, commandId } = await untilTheHostDies(
    "host-ephemeral",
    "handshake-bare",
  );
  await holds("what was in flight ends as unknown", () => {
    const last = retired.at(-1);
    assert.equal(last.commandId, commandId);
    assert.equal(last.kind, "terminalUnknown");
    assert.equal(last.input.input[0].text, WORDS);
  });
  await client.connect();
  await holds("nothing of it is sent to the next host", () => {
    assert.equal(carrying(sent, commandId).length, 1);
    assert.deepEqual(
      sent.filter(({ method }) => method === "session/resume"),
      [],
    );
  });
  const refused = await errorOf(session.send("Are you there?"));
  await holds("and the session takes no more", () => assert.equal(refused.kind, "sessionDiscarded"));
  await recipe.hostIsContent(client);
}
