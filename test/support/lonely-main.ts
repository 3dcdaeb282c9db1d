/** A process that waits for one command and for nothing else: by what is named, and then it tells the result. */
import { InMemoryCommandResults, Workspaces } from "../../src/commands/index.js";
import { postgresResults } from "../../src/commands/node.js";

const inner = new InMemoryCommandResults();
let failures = 0;

/** Settles at the third try, as a store does whose server starts again. */
const failsTwice = {
  shared: false,
  durability: "ephemeral",
  url: "memory",
  claim: (request: Parameters<typeof inner.claim>[0]) => inner.claim(request),
  settle: async (...[claim, result]: Parameters<typeof inner.settle>) => {
    if (++failures <= 2) throw new Error("not now");
    return inner.settle(claim, result);
  },
  release: (claim: Parameters<typeof inner.release>[0]) => inner.release(claim),
  read: (key: Parameters<typeof inner.read>[0]) => inner.read(key),
  wait: (...words: Parameters<typeof inner.wait>) => inner.wait(...words),
  forget: () => inner.forget(),
  close: () => inner.close(),
} as const;

const [what] = process.argv.slice(2);
const results =
  what === "settles late"
    ? failsTwice
    : postgresResults("postgres://nobody@127.0.0.1:1/none", { patienceMs: 600 });
const workspaces = new Workspaces({ results });
const handle = {
  tenant: "t",
  workspace: "w",
  participant: "p",
  carryOut: async () => ({ status: "accepted", result: 1 }) as const,
  query: async () => ({ status: "accepted", result: null }) as const,
  subscribe: () => () => undefined,
};
const result = await workspaces.execute(handle, { method: "m", params: {} }, { commandId: "a" });
process.stdout.write(JSON.stringify([result, failures]));
