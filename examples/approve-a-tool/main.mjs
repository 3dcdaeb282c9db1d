// Decide what the agent may do: allow, refuse with a word about why, and decide each stage of a command for itself.
import assert from "node:assert/strict";
import { MspClient } from "mspkit/client";
import { spawning } from "mspkit/client/node";
import { clientInfo, holds, hostIsContent, hostOf, workspaceRoot } from "../recipe.mjs";

/** Plays one session: sends the words, decides with the handler, and waits for the end of the turn. */
async function play(scenario, words, handler) {
  const errors = [];
  const client = new MspClient({
    clientInfo,
    connect: spawning(hostOf(scenario)),
    session: { onError: (error) => errors.push(error) },
  });
  await client.connect();
  const session = await client.startSession({ workspaceRoot });
  const asked = [];
  session.onApproval((approval) => {
    asked.push(approval);
    return handler(approval);
  });
  const turn = await session.send(words);
  const { params } = await turn.completed;
  assert.deepEqual(errors, []);
  return { client, asked, params, view: session.view };
}

const allowed = await play("approval-round-trip", "Note the new grafts in the log.", (approval) => {
  // The choices are the host's: pick one of those that are offered, by what it decides.
  const choice = approval.availableChoices.find(({ decision }) => decision === "approvedForSession");
  return { choiceId: choice.choiceId };
});
await holds("an approval is asked once, although the host tells it twice", () => {
  assert.deepEqual(
    allowed.asked.map(({ toolName }) => toolName),
    ["write_file"],
  );
});
await holds("what was allowed ran, and the turn went on", () => {
  const [approval] = allowed.view.approvals.values();
  assert.equal(approval.resolved.decision, "approvedForSession");
  assert.equal(allowed.view.items.get(approval.itemId).item.status, "completed");
  assert.equal(allowed.params.terminal, "completed");
});
await hostIsContent(allowed.client);

const refused = await play("approval-deny", "Clear the old rows.", (approval) => {
  const choice = approval.availableChoices.find(({ acceptsFeedback }) => acceptsFeedback);
  return { choiceId: choice.choiceId, feedback: "Row 4 still bears, leave it." };
});
await holds("what was refused did not run, and the agent was told why", () => {
  const [approval] = refused.view.approvals.values();
  const { item } = refused.view.items.get(approval.itemId);
  assert.equal(item.status, "rejected");
  assert.equal(item.failureReason, "Row 4 still bears, leave it.");
});
await holds("the turn goes on after a refusal", () => assert.equal(refused.params.terminal, "completed"));
await hostIsContent(refused.client);

const staged = await play("approval-two-stages", "Fetch the map and open it.", () => ({
  choiceId: "allow_once",
}));
await holds("a command of two stages is asked twice, each time for the stage in force", () => {
  assert.deepEqual(
    staged.asked.map(({ currentRequirementId }) => currentRequirementId.sourceIndex),
    [0, 1],
  );
});
await hostIsContent(staged.client);
