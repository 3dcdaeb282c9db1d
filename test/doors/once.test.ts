/** One id is one command, whatever door it comes in by: for every method of the bundle that changes something. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createWorkspaceApp } from "../../examples/workspace-app/index.js";
import { methods } from "../../generated/workspace/stable/tables.js";
import type { App, JsonObject } from "../../src/commands/app.js";
import {
  counted,
  type FrontDoor,
  frontDoors,
  type Outcome,
  openDoors,
  restDoor,
  tokenOf,
} from "../support/doors.js";
import { appOf } from "../support/workspace-app.js";
import { type Ask, contents, scenes, sizes } from "../support/workspace-commands.js";
import { samplesOf } from "../support/workspace-samples.js";

const COMMANDS = Object.entries(methods)
  .filter(([, { commandId }]) => commandId === "required")
  .map(([name]) => name);
const WORKSPACE = "w1";

/** Asks by a door in the workspace of the tests, each command under an id of its own. */
function asking(door: FrontDoor): Ask {
  let ids = 0;
  return async (method, params) => {
    const given = { ...params, workspaceId: WORKSPACE };
    const outcome = await door.call(
      method,
      given,
      COMMANDS.includes(method) ? `setting-${++ids}` : undefined,
    );
    if ("rejected" in outcome) throw new Error(`${method}: ${JSON.stringify(outcome.rejected)}`);
    return outcome.accepted;
  };
}

async function scene(): Promise<{
  readonly doors: readonly FrontDoor[];
  readonly carriedOut: ReturnType<typeof counted>["carriedOut"];
  readonly ask: Ask;
}> {
  const { app, carriedOut } = counted(appOf());
  const doors = await frontDoors(app, await openDoors(app));
  return { doors, carriedOut, ask: asking(doors[0] as FrontDoor) };
}

describe("every command of the bundle", () => {
  it("has a scene, and there are some", () => {
    expect(COMMANDS.length).toBeGreaterThanOrEqual(9);
    expect(Object.keys(scenes).sort()).toEqual([...COMMANDS].sort());
  });

  it.each(COMMANDS)(
    "%s: sent once by each door in turn, it has one effect and one result",
    async (method) => {
      const { doors, carriedOut, ask } = await scene();
      const params = { ...(await scenes[method]!(ask)), workspaceId: WORKSPACE };
      const [first, ...others] = doors as readonly [FrontDoor, ...FrontDoor[]];
      const before = carriedOut.length;
      const outcome = await first.call(method, params, "one");
      expect(outcome).toMatchObject({ accepted: { commandId: "one", status: "accepted" } });
      const after = await contents(ask);
      expect(others).toHaveLength(4);
      for (const door of others)
        expect([door.name, await door.call(method, params, "one")]).toEqual([door.name, outcome]);
      expect(carriedOut.slice(before)).toMatchObject([{ method, commandId: "one" }]);
      expect(await contents(ask)).toEqual(after);
    },
  );

  it.each(COMMANDS)("%s: sent by all doors at once, it has one effect and one result", async (method) => {
    const { doors, carriedOut, ask } = await scene();
    const params = { ...(await scenes[method]!(ask)), workspaceId: WORKSPACE };
    const before = carriedOut.length;
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (doors[i % doors.length] as FrontDoor).call(method, params, "one"),
      ),
    );
    expect(outcomes[0]).toMatchObject({ accepted: { commandId: "one", status: "accepted" } });
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
    expect(carriedOut.slice(before)).toMatchObject([{ method, commandId: "one" }]);
  });

  it.each(COMMANDS)("%s: its rejection is a result like any other", async (method) => {
    const { doors, carriedOut } = await scene();
    // Whatever the bundle allows: of what is not there, or is refused by its meaning.
    const given = samplesOf(method, "params", 10, 10);
    let rejections = 0;
    for (const [n, sample] of given.entries()) {
      const { commandId: _, ...params }: JsonObject = { ...sample, workspaceId: WORKSPACE };
      const before = carriedOut.length;
      const outcomes: Outcome[] = [];
      for (const door of doors) outcomes.push(await door.call(method, params, `sample-${n}`));
      for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
      expect(carriedOut.length - before).toBe(1);
      if ("rejected" in (outcomes[0] as Outcome)) rejections++;
    }
    // A new event, and some rules, are always taken.
    if (!["event/publish"].includes(method)) expect(rejections).toBeGreaterThan(0);
  });

  it("without an id is refused by REST and WebSocket, and carried out every time by MCP", async () => {
    const { doors, carriedOut } = await scene();
    const params = { workspaceId: WORKSPACE, type: "apple.fell" };
    const [rest, , socket, mcp, stdio] = doors as readonly [
      FrontDoor,
      FrontDoor,
      FrontDoor,
      FrontDoor,
      FrontDoor,
    ];
    const missing = { rejected: { reason: "command_id_missing", kind: "invalidParams", retryable: false } };
    expect(await rest.call("event/publish", params)).toEqual(missing);
    expect(await socket.call("event/publish", params)).toEqual(missing);
    expect(carriedOut).toEqual([]);
    const results = [];
    for (const door of [mcp, mcp, stdio, stdio]) results.push(await door.call("event/publish", params));
    expect(results).toMatchObject([1, 2, 3, 4].map((position) => ({ accepted: { position } })));
    const ids = carriedOut.map(({ commandId }) => commandId);
    expect(new Set(ids).size).toBe(4);
    expect(results.map((outcome) => (outcome as { accepted: JsonObject }).accepted["commandId"])).toEqual(
      ids,
    );
    // Whoever has the result can repeat the command all the same.
    expect(await rest.call("event/publish", params, ids[0])).toEqual(results[0]);
  });
});

describe("a door that drops the id", () => {
  it("is found by its second effect", async () => {
    const { doors, carriedOut } = await scene();
    const mcp = doors.at(-1) as FrontDoor;
    const dropping: FrontDoor = { name: "dropping", call: (method, params) => mcp.call(method, params) };
    const params = { workspaceId: WORKSPACE, type: "apple.fell" };
    const outcomes = [];
    for (const door of [mcp, dropping]) outcomes.push(await door.call("event/publish", params, "one"));
    expect(outcomes[0]).not.toEqual(outcomes[1]);
    expect(carriedOut).toHaveLength(2);
  });
});

describe("a command that is carried out twice", () => {
  it("is found by what there is of its effect, wherever the application takes it twice", async () => {
    const found: string[] = [];
    for (const method of COMMANDS) {
      const { doors, ask } = await scene();
      const params = { ...(await scenes[method]!(ask)), workspaceId: WORKSPACE };
      const door = doors[0] as FrontDoor;
      expect(await door.call(method, params, "one")).toMatchObject({ accepted: { status: "accepted" } });
      const once = sizes(await contents(ask));
      const again = await door.call(method, params, "two");
      const taken = "accepted" in again && again.accepted["status"] === "accepted";
      const twice = sizes(await contents(ask));
      if (taken) {
        expect([method, twice]).not.toEqual([method, once]);
        found.push(method);
      }
    }
    expect(found).toEqual(expect.arrayContaining(["event/publish", "rule/replay"]));
  });
});

describe("what a repeated id stands for", () => {
  const publish = { workspaceId: WORKSPACE, type: "apple.fell" };

  it("is the first result, whatever command it comes with", async () => {
    const { doors, carriedOut } = await scene();
    const [first, ...others] = doors as readonly [FrontDoor, ...FrontDoor[]];
    const outcome = await first.call("event/publish", publish, "one");
    for (const door of others)
      expect(await door.call("rule/archive", { workspaceId: WORKSPACE, ruleId: "r" }, "one")).toEqual(
        outcome,
      );
    expect(carriedOut).toHaveLength(1);
  });

  it("is one command where ids are checked, and another one is refused by every door alike", async () => {
    const { app, carriedOut } = counted(appOf());
    const at = await openDoors(app, {
      commands: { identity: "checked", tables: app.bundle.tables as never },
    });
    const doors = await frontDoors(app, at);
    const outcome = await (doors[0] as FrontDoor).call("event/publish", publish, "one");
    for (const door of doors) {
      expect(await door.call("event/publish", { ...publish, data: { row: 4 } }, "one")).toEqual({
        rejected: {
          kind: "commandRejected",
          reason: "command_id_conflict",
          retryable: false,
          commandId: "one",
        },
      });
      expect(await door.call("event/publish", publish, "one")).toEqual(outcome);
    }
    expect(carriedOut).toHaveLength(1);
  });

  it("is not another participant's command", async () => {
    const { app, carriedOut } = counted(appOf());
    const at = await openDoors(app, { people: [["orchard", "bob"]] });
    const [rest] = await frontDoors(app, at);
    const bob = restDoor(app, at, { token: tokenOf("orchard", "bob") });
    await rest?.call("event/publish", publish, "one");
    expect(await bob.call("event/publish", publish, "one")).toMatchObject({ accepted: { position: 2 } });
    expect(carriedOut).toHaveLength(2);
  });
});

describe("a command that is not over", () => {
  /** An application whose commands end when the test says so. */
  function slow(): { readonly app: App; end(): void; readonly begun: Promise<void> } {
    const inner = createWorkspaceApp();
    onTestFinished(() => inner.close());
    let end!: () => void;
    let begin!: () => void;
    const gate = new Promise<void>((resolve) => (end = resolve));
    const begun = new Promise<void>((resolve) => (begin = resolve));
    return {
      end: () => end(),
      begun,
      app: {
        bundle: inner.bundle,
        close: () => inner.close(),
        async open(actor, workspace) {
          const handle = await inner.open(actor, workspace);
          if ("reason" in handle) return handle;
          const { tenant, participant } = handle;
          return {
            tenant,
            participant,
            workspace: handle.workspace,
            async carryOut(command, context) {
              begin();
              await gate;
              return handle.carryOut(command, context);
            },
            query: (method, params) => handle.query(method, params),
            subscribe: (listener) => handle.subscribe(listener),
          };
        },
      },
    };
  }

  it("is waited for, then answered as still running, and its result is told later", async () => {
    const { app, end, begun } = slow();
    const at = await openDoors(app, { commands: { waitMs: 50 } });
    const doors = await frontDoors(app, at);
    const params = { workspaceId: WORKSPACE, type: "apple.fell" };
    const first = (doors[0] as FrontDoor).call("event/publish", params, "one");
    await begun;
    for (const door of doors) {
      expect(await door.call("event/publish", params, "one")).toEqual({
        rejected: {
          kind: "stillRunning",
          reason: "still_running",
          retryable: true,
          retryAfterMs: 1_000,
          commandId: "one",
        },
      });
    }
    end();
    const outcome = await first;
    expect(outcome).toMatchObject({ accepted: { position: 1 } });
    for (const door of doors) expect(await door.call("event/publish", params, "one")).toEqual(outcome);
  });
});
