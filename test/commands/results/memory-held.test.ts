/** What results in memory hold on to: nothing that is forgotten, also while a handler hangs. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { InMemoryCommandResults, Workspaces } from "../../../src/commands/index.js";
import { accepted, command, handleOf, reasonOf } from "../../support/commands.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

it("a command that hangs does not hold the results of those that were settled after it", async () => {
  const results = new InMemoryCommandResults({ retention: { newest: 10 } });
  const workspaces = new Workspaces({ results, deadlineMs: 20 });
  const contexts: unknown[] = [];
  const hanging = handleOf((_, context) => {
    contexts.push(context);
    return new Promise(() => undefined);
  });
  const result = await workspaces.execute(hanging, command(), { commandId: "hangs" });
  expect(reasonOf(result)).toBe("abandoned");
  const handle = handleOf((_, { commandId }) => accepted({ commandId }));
  const told: WeakRef<object>[] = [];
  for (let i = 0; i < 200; i++)
    told.push(new WeakRef(await workspaces.execute(handle, command(), { commandId: `id ${i}` })));
  await new Promise((resolve) => setTimeout(resolve, 1));
  collect();
  const held = told.filter((one) => one.deref() !== undefined).length;
  expect(contexts).toHaveLength(1);
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThan(20);
});
