// A slow client: the host drops events and says so. The missing ones are paged in, or the view begins anew.
import assert from "node:assert/strict";
import { MspClient } from "mspkit/client";
import { clientInfo, holds, hostInProcess, recorded, reportIsContent, workspaceRoot } from "../recipe.mjs";

async function play(scenario, recovery, words) {
  const { transport, report } = hostInProcess(recorded(scenario));
  const client = new MspClient({ clientInfo, connect: () => transport, session: { recovery } });
  await client.connect();
  const session = await client.startSession({ workspaceRoot });
  const outcomes = [];
  session.on((event) => {
    if (event.kind === "frame") outcomes.push(event.outcome.kind);
    if (event.kind === "gapError") outcomes.push(event.error.kind);
  });
  const turn = await session.send(words);
  const { params } = await turn.completed;
  const texts = [...session.view.items.values()].map(({ item }) => item.text ?? item.visibleOutput);
  return { client, report, outcomes, params, texts, view: session.view };
}

const filled = await play("gap-splice-fill", "splice", "Survey the ponds.");
await holds("a gap is noticed, and what comes meanwhile waits", () => {
  assert.ok(filled.outcomes.includes("gapOpened"));
  assert.ok(!filled.outcomes.includes("pageFailed"));
});
await holds("the missing items are there, in their places", () =>
  assert.deepEqual(filled.texts, [
    "Survey the ponds.",
    "north: 2.1 m\n",
    "The north pond is deep enough.",
    "The south pond is silted up.",
    "One pond of two can feed the drip lines.",
  ]),
);
await holds("the end of the turn arrives behind them", () => {
  assert.equal(filled.view.gap, undefined);
  assert.equal(filled.params.terminal, "completed");
});
await reportIsContent(filled.client, filled.report);

const anew = await play("gap-reanchor", "reanchor", "Sort all survey notes of the last ten years.");
await holds("where much is missing, the view begins anew at the latest compaction", () => {
  assert.deepEqual(anew.texts, ["Sorted up to 2021.", "All notes are sorted by pond."]);
  assert.equal(anew.view.gap, undefined);
  assert.equal(anew.params.terminal, "completed");
});
await reportIsContent(anew.client, anew.report);
