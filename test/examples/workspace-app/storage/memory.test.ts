/** What the memory of a process keeps of workspaces that are only looked at. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { MemoryStorage } from "../../../../examples/workspace-app/storage/memory.js";

it("a workspace that was only read is not kept", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const storage = new MemoryStorage();
  const read = async (workspace: string): Promise<WeakRef<object>> => {
    const scope = { tenant: "orchard", workspace };
    expect(await storage.read(scope, (reader) => reader.list("event", { limit: 10 }))).toEqual([]);
    expect(await storage.revision(scope)).toBe(0);
    expect(await storage.changes(scope, 0, 10)).toEqual([]);
    return new WeakRef(scope);
  };
  const seen = await Promise.all(Array.from({ length: 100 }, (_, i) => read(`w${i}`)));
  // What a WeakRef was made of, or gave, is kept until the turn of the loop is over.
  await new Promise((resolve) => setTimeout(resolve, 0));
  collect();
  expect(seen.filter((scope) => scope.deref() !== undefined)).toEqual([]);
  await storage.close();
});
