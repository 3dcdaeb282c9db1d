// One conversation with the embedded host in simulation: by the law kit, which keeps and judges all that passes, or by a
// client that keeps nothing.
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const SESSIONS = 10;
const ROUNDS = 20;

export default async function prepare({ internals, what }) {
  const parts = await import(pathToFileURL(internals).href);
  const driver = await parts.embeddedDriver();
  const run = what === "kit" ? kit : bare;
  return async () => {
    const begin = performance.now();
    await run(parts, driver);
    return performance.now() - begin;
  };
}

async function kit({ Stand, Trial, judge }, driver) {
  const stand = new Stand(driver);
  for (let i = 0; i < SESSIONS; i++) {
    const trial = new Trial(stand, i);
    await converse({
      mint: () => trial.mint(),
      ask: async (method, params) => (await trial.ask(method, params)).result,
      ended: (turnId) =>
        trial.until(({ method, params }) => method === "turn/completed" && params.turnId === turnId),
    });
    const found = judge(trial.history);
    if (found.length > 0) throw new Error(JSON.stringify(found));
    await trial.end();
  }
  await stand.clear();
}

async function bare({ Peer }, driver) {
  const place = await driver.place();
  const host = await place.start();
  const peer = new Peer(await host.connect(), { answerMalformed: false });
  const over = new Set();
  peer.onNotification((method, params) => {
    if (method === "turn/completed") over.add(params.turnId);
  });
  await peer.request("initialize", { clientInfo: { name: "bare", version: "1" }, capabilities: {} });
  void peer.notify("initialized", undefined);
  let ids = 0;
  for (let i = 0; i < SESSIONS; i++)
    await converse({
      mint: () => `01890a5d-ac96-7000-8000-${(++ids).toString(16).padStart(12, "0")}`,
      ask: (method, params) => peer.request(method, params),
      ended: async (turnId) => {
        while (!over.has(turnId)) await nextTurn();
      },
    });
  await host.crash();
  await place.remove();
}

/** A session: settings, turns, and everything sent again. */
async function converse({ mint, ask, ended }) {
  const { session } = await ask("session/start", { commandId: mint() });
  const { sessionId } = session;
  for (let i = 0; i < ROUNDS; i++) {
    const rename = { sessionId, commandId: mint(), name: `name ${i}` };
    await ask("session/rename", rename);
    const effort = { sessionId, commandId: mint(), reasoningEffort: i % 2 === 0 ? "low" : "high" };
    await ask("session/setReasoningEffort", effort);
    const turn = { sessionId, commandId: mint(), input: [{ type: "text", text: "hello" }] };
    await ask("turn/start", turn);
    await ended(turn.commandId);
    await ask("session/rename", rename);
    await ask("session/setReasoningEffort", effort);
    await ask("turn/start", turn);
  }
}
