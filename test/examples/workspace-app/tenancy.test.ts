/** Tenants, workspaces and participants, drawn so that they are easily mistaken: nothing of one is seen in another. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createWorkspaceApp } from "../../../examples/workspace-app/index.js";
import { MemoryStorage } from "../../../examples/workspace-app/storage/memory.js";
import type { Storage } from "../../../examples/workspace-app/storage/storage.js";
import type { Notice } from "../../../src/commands/app.js";
import { appOf, deskOf } from "../../support/workspace-app.js";

const tenant = fc.constantFrom("a", "b", "a b", 'a","b', "", "A", "a\u0000", "__proto__");
const workspace = fc.constantFrom("a", "b", "A", "a-b", "constructor");
const participant = fc.constantFrom("ann", "bob", "");
const scene = fc.array(fc.record({ tenant, workspace, participant, event: fc.nat({ max: 3 }) }), {
  minLength: 5,
  maxLength: 25,
});

/** What is seen where it does not belong. */
async function crosstalk(
  scenes: readonly { tenant: string; workspace: string; participant: string; event: number }[],
  storage: Storage,
): Promise<string[]> {
  const app = createWorkspaceApp({ storage, pollMs: 5 });
  const wrong: string[] = [];
  const expected = new Map<string, Map<string, string>>();
  const heard = new Map<string, Notice[]>();
  for (const { event, ...who } of scenes) {
    const key = JSON.stringify([who.tenant, who.workspace]);
    const desk = await deskOf(app, who);
    if (!heard.has(key)) {
      const notices: Notice[] = [];
      heard.set(key, notices);
      desk.handle.subscribe((notice) => notices.push(notice));
      await desk.call("rule/install", {
        ruleId: "r",
        definition: { on: "t", steps: [{ do: "wait", ms: 0 }] },
      });
    }
    const own = expected.get(key) ?? new Map<string, string>();
    expected.set(key, own);
    const eventId = `e${event}`;
    const by = `${key} ${who.participant}`;
    const { status } = await desk.call("event/publish", { eventId, type: "t", data: { by } });
    if ((status === "duplicate") !== own.has(eventId)) wrong.push(`${by}: ${eventId} is ${status}`);
    if (!own.has(eventId)) own.set(eventId, by);
  }
  for (const { event: _, ...who } of scenes) {
    const key = JSON.stringify([who.tenant, who.workspace]);
    const desk = await deskOf(app, who);
    const { events } = await desk.call("event/list", { limit: 200 });
    const found = events.map(({ eventId, data }) => [eventId, data["by"]]);
    if (JSON.stringify(found) !== JSON.stringify([...(expected.get(key) ?? [])])) wrong.push(`${key}: log`);
    const { runs } = await desk.call("run/list", { limit: 200 });
    if (runs.length !== events.length) wrong.push(`${key}: ${runs.length} runs`);
    for (const { runId } of runs) await desk.settled(runId, "done");
  }
  await app.close();
  for (const [key, notices] of heard) {
    for (const { method, params } of notices) {
      const by = JSON.stringify(params);
      if (method === "event/published" && !by.includes(JSON.stringify(`${key} `).slice(1, -1)))
        wrong.push(`${key} heard of ${by}`);
    }
  }
  return wrong;
}

describe("two tenants", () => {
  it("share nothing, nor do two workspaces", async () => {
    let scenes = 0;
    await fc.assert(
      fc.asyncProperty(scene, async (drawn) => {
        expect(await crosstalk(drawn, new MemoryStorage())).toEqual([]);
        scenes += drawn.length;
      }),
      { numRuns: 40 },
    );
    expect(scenes).toBeGreaterThan(200);
  });

  it.each<[string, (scope: { tenant: string; workspace: string }) => { tenant: string; workspace: string }]>([
    ["tenants", ({ workspace: name }) => ({ tenant: "", workspace: name })],
    ["workspaces", ({ tenant: name }) => ({ tenant: name, workspace: "w" })],
  ])("are seen to be mixed up by a store that takes all %s for one", async (_, mix) => {
    const storage = new MemoryStorage();
    const { read, write, revision, changes } = storage;
    Object.assign(storage, {
      read: (scope: never, ...more: never[]) => read.call(storage, mix(scope), ...(more as [never])),
      write: (scope: never, ...more: never[]) => write.call(storage, mix(scope), ...(more as [never])),
      revision: (scope: never) => revision.call(storage, mix(scope)),
      changes: (scope: never, ...more: never[]) =>
        changes.call(storage, mix(scope), ...(more as never as [0, 0])),
    });
    const who = { participant: "ann", event: 1 };
    const drawn = ["a", "b"].flatMap((one) =>
      ["x", "y"].map((two) => ({ ...who, tenant: one, workspace: two })),
    );
    expect((await crosstalk(drawn, storage)).length).toBeGreaterThan(0);
  });
});

describe("a workspace", () => {
  it("has a name of the bundle, and is opened for whom it may be", async () => {
    const app = appOf({ may: async ({ participant: who }, name) => who === "ann" || name === "open" });
    const open = async (who: string, name: string): Promise<string> => {
      const opened = await app.open({ tenant: "t", participant: who }, name);
      return "reason" in opened ? opened.reason : "opened";
    };
    expect(await open("ann", "closed")).toBe("opened");
    expect(await open("bob", "open")).toBe("opened");
    expect(await open("bob", "closed")).toBe("workspace_not_found");
    for (const name of ["", "-a", "a/b", "a\u0000", "a\n", "x".repeat(65)])
      expect(await open("ann", name), JSON.stringify(name)).toBe("workspace_not_found");
  });
});
