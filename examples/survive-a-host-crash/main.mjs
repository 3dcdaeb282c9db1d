// The host is killed with SIGKILL, and another one is started on what it has stored. A command is sent again under its
// id: what was carried out is answered as before, what was queued runs once, what was cut off is not begun anew.
import assert from "node:assert/strict";
import { MspClient } from "mspkit/client";
import { spawnHost } from "mspkit/wire/node";
import * as recipe from "../recipe.mjs";

const { clientInfo, errorOf, holds, until } = recipe;

const folder = recipe.scratchFolder();
const sent = [];
let host;
/** What the host says while nothing of it arrives; undefined while all does. */
let unheard;
const client = new MspClient({
  clientInfo,
  connect: () => {
    host = spawnHost(recipe.embeddedHost(folder));
    const transport = recipe.losing(host, (text) => {
      if (unheard === undefined) return false;
      unheard.text += text;
      if (unheard.text.includes('"turn/completed"')) unheard.over();
      return true;
    });
    return recipe.watched(transport, sent);
  },
});
await client.connect();
const session = await client.startSession();

/** The frames that carried a command. */
const carrying = (commandId) => sent.filter(({ params }) => params?.commandId === commandId);
/** The items of a turn: who speaks, and what. */
const said = ({ turnId }) =>
  [...session.view.items.values()]
    .filter(({ item }) => item.turnId === turnId)
    .map(({ item }) => [item.kind, item.text]);

console.log("# The answer is lost with the host");
{
  const words = "Six hundred kilos.";
  const commandId = client.mintCommandId();
  const carriedOut = new Promise((resolve) => {
    unheard = { text: "", over: resolve };
  });
  const lost = errorOf(session.send(words, { commandId }));
  await carriedOut;
  host.kill("SIGKILL");
  const error = await lost;
  await holds("the turn has run, and nobody was told: the outcome is unknown", () => {
    assert.equal(error.outcome, "outcomeUnknown");
    assert.equal(session.view.turns.size, 0);
    assert.equal(session.pending.get(commandId).input.input[0].text, words);
  });

  unheard = undefined;
  await client.connect();
  await until(session, () => session.pending.size === 0);
  await holds("what ran is on the view of the session that goes on, and nothing is in flight any more", () =>
    assert.equal(session.view.turns.size, 1),
  );
  const turn = await session.send(words, { commandId });
  const { params } = await turn.completed;
  await holds("the command, sent again under its id, names the turn that ran before the crash", () => {
    const [first, ...again] = carrying(commandId);
    assert.ok(again.length > 0);
    for (const frame of again) assert.deepEqual(frame.params, first.params);
    assert.equal(turn.disposition, "started");
    assert.equal(params.terminal, "completed");
  });
  await holds("it is one turn, however often it was sent", () => {
    assert.equal(session.view.turns.size, 1);
    assert.deepEqual(said(turn), [
      ["userMessage", words],
      ["agentMessage", words],
    ]);
  });
}

console.log("# A turn runs, and another one waits");
{
  // The first is never done: what the prompts of the test agent mean is in docs/test-agent.md.
  const running = await session.send("/say Counting the crates.\n/hang");
  const isSaid = ({ item }) => item.turnId === running.turnId && item.status === "completed";
  await until(session, () => [...session.view.items.values()].filter(isSaid).length === 2);
  const waiting = await session.send("Then weigh them.", { ifBusy: "queue" });
  const cut = errorOf(running.completed);
  host.kill("SIGKILL");
  const { kind } = await cut;
  await holds("who waits for a turn hears that the host is gone, and not that the turn is over", () =>
    assert.equal(kind, "hostDied"),
  );

  await client.connect();
  const end = await session.turn(running.turnId).completed;
  await holds("the turn that was cut off has failed, and what it said is kept", () => {
    assert.equal(end.params.terminal, "failed");
    assert.deepEqual(said(running)[1], ["agentMessage", "Counting the crates."]);
  });
  const refused = await errorOf(
    session.send("/say Counting the crates.\n/hang", { commandId: running.commandId }),
  );
  await holds("sent again, it is told to be abandoned: it does not begin anew", () => {
    assert.equal(refused.reason, "abandoned");
    assert.equal(refused.outcome, "rejected");
  });
  const next = await session.turn(waiting.turnId).completed;
  await holds("the one that waited has kept its place, and runs once", () => {
    assert.equal(next.params.terminal, "completed");
    assert.deepEqual(said(waiting), [
      ["userMessage", "Then weigh them."],
      ["agentMessage", "Then weigh them."],
    ]);
    assert.equal(session.view.turns.size, 3);
    assert.equal(session.pending.size, 0);
  });
}
await recipe.hostIsContent(client, "the host ended in order");
