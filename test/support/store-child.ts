/** A store in a process of its own, which can be stopped, woken and killed. */
import type { Log, LogInfo, Store } from "../../src/ledger/store.js";
import { type ChildProgram, childProgram } from "./child-program.js";

/** A store that lives in a child. */
export interface StoreChild extends Omit<ChildProgram, "call"> {
  /** Calls go to the child. Those that it cannot answer any more, since it is dead, never end. */
  readonly store: Store;
}

/**
 * Starts a process that opens the store of an address. `env` is added to that of this process; `limits` are words of a
 * shell that come before.
 */
export async function storeChild(
  url: string,
  env: Record<string, string> = {},
  limits?: string,
): Promise<StoreChild> {
  const { call, ...child } = await childProgram("test/support/store-child-main.ts", [url], { env, limits });
  const store: Store = {
    durability: "durable",
    url,
    state: (space, id) => call("state", space, id),
    list: (space) => call<LogInfo[]>("list", space),
    read: async (space, id) => (await call<string[] | undefined>("read", space, id)) ?? undefined,
    fence: (space, id) => call("fence", space, id),
    close: () => call("close"),
    async open(space, id, options) {
      const { handle, ...log } = await call<Log & { handle: number }>("open", space, id, options);
      return {
        ...log,
        torn: log.torn ?? undefined,
        write: (entries) => call<void>("write", handle, entries),
        close: () => call("closeLog", handle),
      };
    },
  };
  return { store, ...child };
}
