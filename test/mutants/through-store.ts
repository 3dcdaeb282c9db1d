/** A store that hands everything on to another: the place for faults of a store in simulation. */
import type { Log, Store } from "../../src/ledger/store.js";

/** Hands on to a store. */
export function throughStore(store: Store): Store {
  return {
    durability: store.durability,
    url: store.url,
    state: (space, id) => store.state(space, id),
    list: (space) => store.list(space),
    read: (space, id) => store.read(space, id),
    fence: (space, id) => store.fence(space, id),
    close: () => store.close(),
    open: async (space, id, options) => throughLog(await store.open(space, id, options)),
  };
}

function throughLog(log: Log): Log {
  return {
    id: log.id,
    epoch: log.epoch,
    location: log.location,
    entries: log.entries,
    torn: log.torn,
    write: (entries) => log.write(entries),
    close: () => log.close(),
  };
}
