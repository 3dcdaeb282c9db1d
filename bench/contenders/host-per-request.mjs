// Our host on a store in files that gathers nothing: each entry is a write of its own, and a sync of its own.
import { Host, identityOf, scriptedAgent, serveStdio } from "../../dist/src/host/index.js";
import { openStore } from "../../dist/src/ledger/node.js";

const store = openStore(process.argv[2]);

const host = new Host({
  store: onePerCommit(store),
  agent: scriptedAgent(),
  identity: identityOf({ name: "bench", version: "0" }),
});
await serveStdio(host).ended;

/** The store, with logs that write one entry after the other. */
function onePerCommit(inner) {
  const members = Object.fromEntries(
    ["state", "list", "read", "fence", "close"].map((name) => [name, (...words) => inner[name](...words)]),
  );
  return {
    ...members,
    durability: inner.durability,
    url: inner.url,
    open: async (...words) => {
      const log = await inner.open(...words);
      return {
        id: log.id,
        epoch: log.epoch,
        location: log.location,
        entries: log.entries,
        torn: log.torn,
        close: () => log.close(),
        write: async (entries) => {
          for (const entry of entries) await log.write([entry]);
        },
      };
    },
  };
}
