/** A process that has a store, and does with it what its standard input says. See store-child.ts. */
import { createInterface } from "node:readline";
import { openStore } from "../../src/ledger/node.js";
import { isStoreError, type Log, type OpenOptions, type Space } from "../../src/ledger/store.js";

const store = openStore(process.argv[2]!);
const logs: Log[] = [];

const calls: Record<string, (...args: never[]) => unknown> = {
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
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { n, call, args } = JSON.parse(line) as { n: number; call: string; args: never[] };
  let answer: object;
  try {
    answer = { n, value: await calls[call]!(...args) };
  } catch (error) {
    const kind = isStoreError(error) ? error.kind : error instanceof TypeError ? "TypeError" : "other";
    answer = { n, kind, message: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
});
