/** `mspkit store check`: the health of a store. */

import { isStoreError, type Space, type Store, type TornTail } from "../../ledger/store.js";
import { fileLogTorn } from "../../ledger/stores/file/inspect.js";
import { readStoreUrl } from "../../ledger/stores/url.js";
import { type Command, EXIT } from "../command.js";
import { withStore } from "./with-store.js";

/** What is known of one log. */
interface LogHealth {
  readonly space: Space;
  readonly id: string;
  readonly state: "free" | "held";
  readonly entries: number;
  readonly updatedAtMs: number;
  /** What the next holder will cut off: a write that was never finished. */
  readonly torn?: TornTail;
  readonly damaged?: { readonly place: string | undefined; readonly message: string };
}

export const checkCommand: Command = {
  summary: "Read every log of a store, and tell what is held, torn or damaged.",
  operands: "",
  maxOperands: 0,
  options: { json: { type: "boolean", help: "print the result as JSON" } },
  run: (given, io) =>
    withStore(given, io, async (store) => {
      const logs: LogHealth[] = [];
      for (const space of ["sessions", "commands"] as const) {
        for (const { id, updatedAtMs } of [...(await store.list(space))].sort((a, b) =>
          a.id < b.id ? -1 : 1,
        ))
          logs.push(await health(store, space, id, updatedAtMs));
      }
      const damaged = logs.filter((log) => log.damaged !== undefined);
      if (given.options["json"] === true)
        io.out(`${JSON.stringify({ store: store.url, holds: damaged.length === 0, logs }, null, 2)}\n`);
      else for (const log of logs) io.out(healthLine(log));
      const count = (has: (log: LogHealth) => boolean): number => logs.filter(has).length;
      io.err(
        `${store.url}: ${logs.length} logs, ${count(({ state }) => state === "held")} held, ` +
          `${count(({ torn }) => torn !== undefined)} torn, ${damaged.length} damaged\n`,
      );
      return damaged.length === 0 ? EXIT.fine : EXIT.finding;
    }),
};

async function health(store: Store, space: Space, id: string, updatedAtMs: number): Promise<LogHealth> {
  const row = { space, id, updatedAtMs };
  try {
    const entries = (await store.read(space, id))?.length ?? 0;
    const state = (await store.state(space, id)) === "held" ? "held" : "free";
    const { scheme, path } = readStoreUrl(store.url);
    // A holder that lives may be writing just now.
    const torn = scheme === "file" && state === "free" ? fileLogTorn(path, space, id) : undefined;
    return { ...row, state, entries, ...(torn === undefined ? {} : { torn }) };
  } catch (error) {
    if (!isStoreError(error) || error.kind !== "damaged") throw error;
    return { ...row, state: "free", entries: 0, damaged: { place: error.place, message: error.message } };
  }
}

function healthLine({ space, id, state, entries, torn, damaged }: LogHealth): string {
  const words = [`${space}/${id}`, state, `${entries} entries`];
  if (torn !== undefined) words.push(`torn: ${torn.bytes} bytes at ${torn.place}`);
  return damaged === undefined ? `${words.join(", ")}\n` : `${space}/${id}, ${damaged.message}\n`;
}
