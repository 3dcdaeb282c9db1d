/** Tenants do not see each other: neither ids, nor results, nor errors, nor what changes. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createWorkspaceApp } from "../../examples/workspace-app/index.js";
import type { Actor, App, JsonObject } from "../../src/commands/app.js";
import { readCommandId } from "../../src/commands/ids.js";
import {
  type FrontDoor,
  frontDoors,
  type Outcome,
  openDoors,
  restDoor,
  tokenOf,
  webSocketDoor,
} from "../support/doors.js";
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
        async carryOut({ params }, { commandId }) {
          const who = { tenant, participant, workspace, position: ++carriedOut };
          if (params["type"] === "refused")
            return {
              status: "rejected",
              rejection: { reason: "refused", message: "as asked", retryable: false, data: who },
            };
          const result = { commandId, status: "accepted", eventId: "e", runIds: [], ...who };
          return { status: "accepted", result };
        },
        query: async () => ({ status: "accepted", result: { events: [] } }),
        subscribe: () => () => undefined,
      };
    },
  };
}

/** Which command it was that had this outcome. */
function positionOf(outcome: Outcome): unknown {
  if ("accepted" in outcome) return outcome.accepted["position"];
  return (outcome.rejected["details"] as JsonObject)["position"];
}

function isWellFormed(text: string): boolean {
  return Buffer.from(text).toString() === text;
}

function isCommandId(text: string): boolean {
  return isWellFormed(text) && readCommandId(text, Number.POSITIVE_INFINITY).fault === undefined;
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
        fc.integer({ min: 0, max: 4 }),
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

  it("have them whatever they are called: names and ids at random, results and rejections", async () => {
    const app = telling();
    // Who it is stands in the token: any two texts are somebody.
    const at = await openDoors(app, {
      limits: { perSecond: 1e6 },
      authenticate: ({ token = "" }) => {
        const [tenant, participant] = JSON.parse(Buffer.from(token, "hex").toString()) as [string, string];
        return { tenant, participant };
      },
    });
    const name = fc.string({ minLength: 1, maxLength: 6, unit: "binary" }).filter(isWellFormed);
    const id = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }).filter(isCommandId);
    const pool = <T>(of: fc.Arbitrary<T>) => fc.uniqueArray(of, { minLength: 2, maxLength: 3 });
    const step = fc.record({ at: fc.nat(), by: fc.nat(), in: fc.nat(), id: fc.nat(), refused: fc.boolean() });
    const first = new Map<string, unknown>();
    let [repeats, rejections, run] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        pool(name),
        pool(name),
        pool(id),
        fc.array(step, { minLength: 20, maxLength: 30 }),
        async (tenants, people, ids, steps) => {
          const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
          run++;
          for (const { at: t, by, in: w, id: i, refused } of steps) {
            const [tenant, participant] = [pick(tenants, t), pick(people, by)];
            const commandId = pick(ids, i);
            const workspaceId = `w${run}.${w % 2}`;
            const door = restDoor(app, at, {
              token: Buffer.from(JSON.stringify([tenant, participant])).toString("hex"),
            });
            const type = refused ? "refused" : "t";
            const outcome = await door.call("event/publish", { workspaceId, type }, commandId);
            const told = "accepted" in outcome ? outcome.accepted : outcome.rejected["details"];
            expect(told).toMatchObject({ tenant, participant, workspace: workspaceId });
            const key = JSON.stringify([
              tenant,
              participant,
              workspaceId,
              readCommandId(commandId, Infinity).id,
            ]);
            if (!first.has(key)) first.set(key, outcome);
            else repeats++;
            if ("rejected" in outcome) rejections++;
            expect(outcome).toEqual(first.get(key));
          }
        },
      ),
      { numRuns: 25, seed: 11, endOnFailure: true },
    );
    expect(run).toBe(25);
    expect(repeats).toBeGreaterThan(50);
    expect(rejections).toBeGreaterThan(100);
    expect(first.size).toBeGreaterThan(200);
    // Each first result is of a command of its own.
    const positions = [...first.values()].map((outcome) => positionOf(outcome as Outcome));
    expect(new Set(positions).size).toBe(first.size);
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
    expect(compared).toBe(20);
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
