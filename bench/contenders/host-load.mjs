// A session of many records, loaded from files: its log is taken, checked, folded and recovered. Or only read, cut into
// lines and parsed.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { spentMs } from "../lib/clock.mjs";
import { commandId } from "../lib/command-ids.mjs";

const SAY =
  "Pond 3 has 2.1 m of water, and the south pond is silted up; it can feed the drip lines no more. ";

export default async function prepare({ what, internals, records, dir }) {
  const parts = await import(internals);
  const sessionId = await grow(parts, dir, records);
  const sample = { parse: () => parse(dir, sessionId, records), load: () => load(parts, dir, sessionId) }[
    what
  ];
  return async () => {
    const start = spentMs();
    await sample();
    return spentMs() - start;
  };
}

function parse(dir, sessionId, records) {
  const folder = join(dir, "sessions", sessionId);
  let count = 0;
  for (const name of readdirSync(folder)) {
    const lines = readFileSync(join(folder, name), "utf8").split("\n");
    lines.pop();
    for (const line of lines) count += JSON.parse(line).records?.length ?? 0;
  }
  if (count < records) throw new Error(`${count} of ${records} records are there`);
}

/** What `session/resume` does with a session that is not loaded. */
async function load({ fileStore, Sessions, scriptedAgent, platform }, dir, sessionId) {
  const store = fileStore(dir);
  const ignore = () => {};
  const surroundings = {
    ...platform(),
    readLog: (key) => store.read("sessions", key),
    log: ignore,
    maxQueuedTurns: 1,
    maxWaitingCommands: 64,
    maxWaitingEvents: 64,
    retainedEvents: 200_000,
    agentGraceMs: 1_000,
    approvalModes: ["promptUnmatched"],
  };
  const owner = { surroundings, agent: scriptedAgent(), lost: ignore, leaving: ignore, changed: ignore };
  const { session } = await new Sessions(store, owner).load(sessionId);
  if (session.view.items.length === 0) throw new Error("the session has no items");
  await session.release("hostShutdown");
  await store.close();
}

/** Makes a session of turns as a host writes them: what was asked, a tool call, two messages. Its id. */
async function grow({ fileStore, Host, identityOf, inProcess, Peer, scriptedAgent }, dir, records) {
  const store = fileStore(dir, { sync: "none" });
  const host = new Host({
    store,
    agent: scriptedAgent(),
    identity: identityOf({ name: "bench", version: "0" }),
  });
  const [theirs, ours] = inProcess();
  host.accept(theirs);
  const peer = new Peer(ours, { answerMalformed: false });
  let ended = () => {};
  peer.onNotification((method) => {
    if (method === "turn/completed") ended();
  });
  await peer.request("initialize", { clientInfo: { name: "bench", version: "1" }, capabilities: {} });
  void peer.notify("initialized", undefined);
  const { session } = await peer.request("session/start", { commandId: commandId(0) });
  const { sessionId } = session;
  const text = `/say ${SAY.repeat(2)}\n/tool survey\n/say ${SAY.repeat(6)}`;
  const [live] = host.sessions;
  for (let n = 1, made = 0; made < records; n++) {
    const end = new Promise((resolve) => {
      ended = resolve;
    });
    await peer.request("turn/start", { sessionId, commandId: commandId(n), input: [{ type: "text", text }] });
    await end;
    if (n % 500 !== 1) continue;
    await live.told();
    const entries = await store.read("sessions", sessionId);
    made = entries.reduce((sum, entry) => sum + JSON.parse(entry).length, 0);
  }
  await peer.close();
  await host.close();
  return sessionId;
}
