/** Tenants do not see each other: neither ids, nor results, nor errors, nor what changes. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createWorkspaceApp } from "../../examples/workspace-app/index.js";
import type { Actor, App, JsonObject } from "../../src/commands/app.js";
import { type FrontDoor, frontDoors, openDoors, tokenOf, webSocketDoor } from "../support/doors.js";
import { appOf } from "../support/workspace-app.js";

/** Names that would be one in many ways to put them together. */
const TENANTS = ["a", "a:a", "1:a", "ä\0", "__proto__"];
const PEOPLE = ["a", ":a", "a/a", "constructor"];
const WORKSPACES = ["a", "a.a", "A"];
const IDS = ["a", "a:a", "a a", "0199c1a4-7d1e-7c3b-9a64-2f6f0d1e8b57", "__proto__"];

/** An application that answers who asked, and how many commands it had carried out by then. */
function telling(): App {
  const inner = createWorkspaceApp();
  let carriedOut = 0;
  return {
    bundle: inner.bundle,
    close: () => inner.close(),
    async open({ tenant, participant }: Actor, workspace: string) {
      return {
        tenant,
        participant,
        workspace,
        carryOut: async (_command, { commandId }) => ({
          status: "accepted",
          result: {
            commandId,
            status: "accepted",
            eventId: "e",
            position: ++carriedOut,
            runIds: [],
            tenant,
            participant,
            workspace,
          },
        }),
        query: async () => ({ status: "accepted", result: { events: [] } }),
        subscribe: () => () => undefined,
      };
    },
  };
}

describe("tenants and participants", () => {
  it("have ids and results of their own, whatever their names are and whichever door they use", async () => {
    const app = telling();
    const people = TENANTS.flatMap((tenant) => PEOPLE.map((participant) => [tenant, participant] as const));
    const at = await openDoors(app, { people });
    const doors = new Map<string, readonly FrontDoor[]>();
    for (const [tenant, participant] of people) {
      const token = tokenOf(tenant, participant);
      doors.set(token, await frontDoors(app, at, token));
    }
    const first = new Map<string, JsonObject>();
    let repeats = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...TENANTS),
        fc.constantFrom(...PEOPLE),
        fc.constantFrom(...WORKSPACES),
        fc.constantFrom(...IDS),
        fc.integer({ min: 0, max: 3 }),
        async (tenant, participant, workspaceId, id, n) => {
          const door = doors.get(tokenOf(tenant, participant))?.[n] as FrontDoor;
          const outcome = await door.call("event/publish", { workspaceId, type: "t" }, id);
          const result = (outcome as { accepted: JsonObject }).accepted;
          expect(result).toMatchObject({ tenant, participant, workspace: workspaceId, commandId: id });
          const key = JSON.stringify([tenant, participant, workspaceId, id]);
          const before = first.get(key);
          if (before === undefined) {
            expect(result["position"]).toBe(first.size + 1);
            first.set(key, result);
          } else {
            repeats++;
            expect(result).toEqual(before);
          }
        },
      ),
      { numRuns: 600, seed: 9, endOnFailure: true },
    );
    expect(first.size).toBeGreaterThan(150);
    expect(repeats).toBeGreaterThan(100);
  });

  it("are told of a workspace that is another's what they are told of one that is not there", async () => {
    const app = appOf({ may: ({ tenant }, workspace) => workspace === `of-${tenant}` });
    const at = await openDoors(app, {
      people: [
        ["north", "ann"],
        ["south", "bob"],
      ],
    });
    const mine = await frontDoors(app, at, tokenOf("north", "ann"));
    const theirs = await frontDoors(app, at, tokenOf("south", "bob"));
    let compared = 0;
    for (const [n, door] of mine.entries()) {
      const publish = { type: "t", eventId: "e" };
      const owned = await door.call("event/publish", { ...publish, workspaceId: "of-north" }, "one");
      expect(owned).toHaveProperty("accepted");
      const intruder = theirs[n] as FrontDoor;
      for (const [method, params, id] of [
        ["event/publish", publish, "one"],
        ["event/publish", publish, "two"],
        ["event/read", { eventId: "e" }, undefined],
        ["event/list", {}, undefined],
      ] as const) {
        const other = await intruder.call(method, { ...params, workspaceId: "of-north" }, id);
        const absent = await intruder.call(method, { ...params, workspaceId: "of-nobody" }, id);
        expect(other).toMatchObject({ rejected: { reason: "workspace_not_found" } });
        expect(other).toEqual(absent);
        compared++;
      }
    }
    expect(compared).toBe(16);
  });

  it("do not hear what changes at another's, though the workspaces have one name", async () => {
    const app = appOf();
    const at = await openDoors(app, {
      people: [
        ["north", "ann"],
        ["south", "bob"],
      ],
    });
    const [north, south] = [
      await webSocketDoor(at, { token: tokenOf("north", "ann") }),
      await webSocketDoor(at, { token: tokenOf("south", "bob") }),
    ];
    for (const door of [north, south]) await door.call("event/list", { workspaceId: "w1" });
    await north.call("event/publish", { workspaceId: "w1", type: "secret.of.the.north" }, "one");
    await south.call("event/publish", { workspaceId: "w1", type: "of.the.south" }, "one");
    await south.call("event/list", { workspaceId: "w1" });
    while (south.notices.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(JSON.stringify(south.notices)).toContain("of.the.south");
    expect(JSON.stringify(south.notices)).not.toContain("secret");
  });
});
