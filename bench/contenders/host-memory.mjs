// What a host keeps of each command in memory, in a process of its own: heap after so many commands minus heap before
// them. The commands ask for what is there already, so that what grows is what is remembered of them and no view.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { commandId } from "../lib/command-ids.mjs";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const IN_FLIGHT = 512;
const [internals, ...counts] = process.argv.slice(2);
const { fileStore, Host, identityOf, inProcess, Peer, scriptedAgent } = await import(internals);

const dir = mkdtempSync(join(tmpdir(), "mspkit-bench-memory-"));
try {
  const host = new Host({
    store: fileStore(dir, { sync: "none" }),
    agent: scriptedAgent(),
    identity: identityOf({ name: "bench", version: "0" }),
  });
  const [theirs, ours] = inProcess();
  host.accept(theirs);
  const peer = new Peer(ours, { answerMalformed: false });
  await peer.request("initialize", { clientInfo: { name: "bench", version: "1" }, capabilities: {} });
  void peer.notify("initialized", undefined);
  const { session } = await peer.request("session/start", { commandId: commandId(0) });
  const { sessionId } = session;

  let last = 0;
  const fill = async (count) => {
    while (last < count) {
      const calls = Array.from({ length: Math.min(IN_FLIGHT, count - last) }, () =>
        peer.request("session/setReasoningEffort", {
          sessionId,
          commandId: commandId(++last),
          reasoningEffort: "low",
        }),
      );
      await Promise.all(calls);
      // What the host does after its answers takes a turn of the loop, which nothing here would leave it.
      await setImmediate();
    }
  };

  // Code is compiled and caches are filled before anything is weighed.
  await fill(20_000);
  const warm = last;
  const before = heap();
  const bytes = {};
  for (const count of counts) {
    await fill(Number(count));
    bytes[count] = (heap() - before) / (last - warm);
  }
  const [live] = host.sessions;
  if (live.state.ledger.size !== last) throw new Error(`${live.state.ledger.size} of ${last} are remembered`);
  process.stdout.write(JSON.stringify(bytes));
  await peer.close();
  await host.close();
} finally {
  rmSync(dir, { recursive: true });
}

function heap() {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
