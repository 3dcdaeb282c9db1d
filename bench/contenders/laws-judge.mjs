// Judges a history of so many operations: commands of some sessions, each sent twice, a part of them overlapping.
import { pathToFileURL } from "node:url";

const SESSIONS = 20;

export default async function prepare({ internals, operations }) {
  const { History, judge } = await import(pathToFileURL(internals).href);
  const history = make(History, operations);
  return () => {
    const before = process.cpuUsage();
    const found = judge(history);
    const { user, system } = process.cpuUsage(before);
    if (found.length > 0) throw new Error(JSON.stringify(found[0]));
    return (user + system) / 1_000;
  };
}

function make(History, operations) {
  const history = new History();
  const id = (kind, n) => `0189${kind}000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
  for (let s = 0; s < SESSIONS; s++) history.sessions.add(id("a", s));
  for (let i = 0; i < operations / 2; i++) {
    const sessionId = id("a", i % SESSIONS);
    const commandId = id("c", i);
    const params = { sessionId, commandId, name: `name ${i}` };
    const twice = [0, 1].map(() => ({
      index: history.operations.length,
      connection: 0,
      life: 0,
      method: "session/rename",
      params,
      meaning: JSON.stringify(params),
      sent: history.next(),
    }));
    for (const operation of twice) {
      operation.index = history.operations.length;
      operation.answered = history.next();
      operation.outcome = { result: { commandId, status: "accepted", name: params.name } };
      history.operations.push(operation);
    }
  }
  return history;
}
