// Answer what the agent asks, or say that nobody will.
import assert from "node:assert/strict";
import { MspClient } from "mspkit/client";
import { clientInfo, holds, hostInProcess, recorded, reportIsContent, workspaceRoot } from "../recipe.mjs";

/** Plays one session: sends the words, answers with the handler, and waits for the end of the turn. */
async function play(scenario, handler) {
  const { transport, report } = hostInProcess(recorded(scenario));
  const client = new MspClient({ clientInfo, connect: () => transport });
  await client.connect();
  const session = await client.startSession({ workspaceRoot });
  let asked = 0;
  session.onQuestion((question) => {
    asked++;
    return handler(question);
  });
  const turn = await session.send("Plant a new row along the ditch.");
  const { params } = await turn.completed;
  const [question] = session.view.userInputs.values();
  return { client, report, asked, params, question, view: session.view };
}

const answered = await play("user-input-round-trip", ({ questions: [question] }) => {
  const option = question.options.find(({ description }) => description.includes("stand alone"));
  return { answers: [{ questionId: question.id, selectedLabel: option.label }] };
});
await holds("a question is asked once, although the host tells it twice", () =>
  assert.equal(answered.asked, 1),
);
await holds("the answer settles it, and the agent goes on with it", () => {
  assert.equal(answered.question.settled.outcome, "answered");
  assert.equal(answered.question.settled.answers[0].selectedLabel, "MM106");
  assert.equal(answered.params.terminal, "completed");
});
await reportIsContent(answered.client, answered.report);

const cancelled = await play("user-input-cancel", () => ({ cancel: true, reason: "not decided yet" }));
await holds("a question that nobody answers is cancelled, and the turn is not", () => {
  assert.equal(cancelled.question.settled.outcome, "cancelled");
  assert.equal(cancelled.view.items.get(cancelled.question.itemId).item.status, "cancelled");
  assert.equal(cancelled.params.terminal, "completed");
});
await reportIsContent(cancelled.client, cancelled.report);
