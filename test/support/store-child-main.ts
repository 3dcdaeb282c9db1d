/** A process that has a store, and does with it what its standard input says. See store-child.ts. */
import { openStore } from "../../src/ledger/node.js";
import type { Log, OpenOptions, Space } from "../../src/ledger/store.js";
import { answerCalls } from "./answer-calls.js";

const store = openStore(process.argv[2]!);
const logs: Log[] = [];

answerCalls({
  url: () => store.url,
  state: (space: Space, id: string) => store.state(space, id),
  list: (space: Space) => store.list(space),
  read: (space: Space, id: string) => store.read(space, id),
  fence: (space: Space, id: string) => store.fence(space, id),
  close: () => store.close(),
  open: async (space: Space, id: string, options: OpenOptions) => {
    const log = await store.open(space, id, options);
    const { epoch, location, entries, torn } = log;
    return { handle: logs.push(log) - 1, id, epoch, location, entries, torn };
  },
  write: (handle: number, entries: string[]) => logs[handle]!.write(entries),
  closeLog: (handle: number) => logs[handle]!.close(),
});
