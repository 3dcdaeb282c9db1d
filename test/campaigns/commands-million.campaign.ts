/** A million commands: what is kept stays bounded. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { InMemoryCommandResults, Workspaces } from "../../src/commands/index.js";
import { accepted, command, idAt, reasonOf } from "../support/commands.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

it("a million commands of a hundred thousand tenants keep no more than a hundred thousand did", async () => {
  const results = new InMemoryCommandResults();
  const workspaces = new Workspaces({ results });
  let effects = 0;
  const began = Date.now() - 1_000_000;
  const run = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n++) {
      const handle = {
        tenant: `t${n % 100_000}`,
        workspace: "w",
        participant: "p",
        carryOut: async () => accepted({ n: ++effects }),
        query: async () => accepted(null),
        subscribe: () => () => undefined,
      };
      const result = await workspaces.execute(handle, command(), { commandId: idAt(began + n) });
      if (result.status !== "accepted") throw new Error(reasonOf(result));
    }
  };
  await run(0, 200_000);
  const early = heap();
  await run(200_000, 1_000_000);
  const late = heap();
  expect([effects, results.forget().settled]).toEqual([1_000_000, 10_000]);
  expect(late).toBeLessThan(1.2 * early);
});
