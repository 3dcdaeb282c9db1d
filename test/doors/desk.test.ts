/** What an application answers a desk, and what doors make of it. */
import { describe, expect, it } from "vitest";
import type { App, CommandResult, Rejection, WorkspaceHandle } from "../../src/commands/app.js";
import { Workspaces } from "../../src/commands/index.js";
import { Desk, type DoorMethod } from "../../src/doors/index.js";
import { frontDoors, openDoors } from "../support/doors.js";
import { appOf } from "../support/workspace-app.js";

type Given = Partial<Pick<WorkspaceHandle, "query" | "carryOut">> & { readonly open?: App["open"] };

/** The example, of which something answers otherwise. */
function appThat({ open, ...own }: Given): App {
  const app = appOf();
  return {
    ...app,
    bundle: app.bundle,
    close: () => app.close(),
    open:
      open ??
      (async (actor, workspace) => {
        const handle = (await app.open(actor, workspace)) as WorkspaceHandle;
        return {
          ...actor,
          workspace,
          carryOut: (command, context) => handle.carryOut(command, context),
          query: (method, params) => handle.query(method, params),
          subscribe: (listener) => handle.subscribe(listener),
          ...own,
        };
      }),
  };
}

const circle: { round?: unknown } = {};
circle.round = circle;
const half = { reason: "half\ud800", message: "m", retryable: false };
const circular = { reason: "r", message: "m", retryable: false, data: circle };

class Unsayable {
  toJSON(): unknown {
    return 7n;
  }
}

/** Answers that are none. */
const NO_RESULTS: readonly (readonly [string, unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["a text", "a secret of the house"],
  ["another status", { status: "a secret of the house" }],
  ["a circle", { status: "accepted", result: circle }],
  [
    "a thousand levels",
    { status: "accepted", result: JSON.parse(`${"[".repeat(1_000)}${"]".repeat(1_000)}`) },
  ],
  ["what cannot say what it is", { status: "accepted", result: new Unsayable() }],
  ["a bigint", { status: "accepted", result: { much: 7n } }],
  ["a number that is none", { status: "accepted", result: { none: Number.NaN } }],
  ["no rejection", { status: "rejected" }],
  ["a rejection without a reason", { status: "rejected", rejection: { message: "a secret of the house" } }],
  ["a rejection with a circle", { status: "rejected", rejection: circular }],
  ["a rejection with a bigint", { status: "rejected", rejection: { ...circular, data: { much: 7n } } }],
  ["a rejection with a list for data", { status: "rejected", rejection: { ...circular, data: [7] } }],
  ["a reason with half of a surrogate pair", { status: "rejected", rejection: half }],
];

describe("what an application answers", () => {
  it("to a query that is no result is an error of the server at every door", async () => {
    let answer: unknown;
    const errors: unknown[] = [];
    const app = appThat({ query: async () => answer as CommandResult });
    const doors = await frontDoors(
      app,
      await openDoors(app, { onError: (error) => void errors.push(error) }),
    );
    let asked = 0;
    for (const [what, given] of NO_RESULTS) {
      answer = given;
      for (const door of doors) {
        const outcome = await door.call("event/list", { workspaceId: "w1" });
        expect([what, door.name, outcome]).toMatchObject([
          what,
          door.name,
          { rejected: { reason: "internal_error", retryable: false } },
        ]);
        expect(JSON.stringify(outcome)).not.toMatch(/secret|circular|BigInt/i);
        asked++;
      }
    }
    expect(asked).toBe(NO_RESULTS.length * 5);
    // The door of standard streams in these tests has no ear of its own.
    expect(errors).toHaveLength(NO_RESULTS.length * 4);
  });

  it("to a command that is no result is a rejection at every door", async () => {
    let answer: unknown;
    const app = appThat({ carryOut: async () => answer as CommandResult });
    const doors = await frontDoors(app, await openDoors(app));
    let ids = 0;
    for (const [what, given] of NO_RESULTS) {
      answer = given;
      const id = `id-${++ids}`;
      for (const door of doors) {
        const outcome = await door.call("event/publish", { workspaceId: "w1", type: "t" }, id);
        const { reason } = (outcome as { rejected: { reason: string } }).rejected;
        expect([what, door.name, ["handler_failed", "result_not_serialisable"].includes(reason)]).toEqual([
          what,
          door.name,
          true,
        ]);
      }
    }
    expect(ids).toBe(NO_RESULTS.length);
  });

  it.each([
    ["a circle", circular],
    ["half of a surrogate pair", half],
    ["a reason that is none", { reason: 7 }],
  ])("where it opens nothing, with %s, is an error of the server at every door", async (_what, rejection) => {
    const errors: unknown[] = [];
    const app = appThat({ open: async () => rejection as unknown as Rejection });
    const doors = await frontDoors(
      app,
      await openDoors(app, { onError: (error) => void errors.push(error) }),
    );
    for (const door of doors)
      for (const [method, id] of [["event/list"], ["event/publish", "one"]] as const) {
        const params = { workspaceId: "w1", ...(id === undefined ? {} : { type: "t" }) };
        expect([door.name, await door.call(method, params, id)]).toMatchObject([
          door.name,
          { rejected: { reason: "internal_error" } },
        ]);
      }
    expect(errors).toHaveLength(4 * 2);
  });

  it("with `data: null` says no more than its reason", async () => {
    const rejection = { reason: "not_today", message: "m", retryable: false, data: null };
    const answer = { status: "rejected", rejection } as unknown as CommandResult;
    const app = appThat({ query: async () => answer, carryOut: async () => answer });
    for (const door of await frontDoors(app, await openDoors(app)))
      for (const [method, id] of [["event/list"], ["event/publish", "one"]] as const) {
        const params = { workspaceId: "w1", ...(id === undefined ? {} : { type: "t" }) };
        const outcome = await door.call(method, params, id);
        expect([door.name, outcome]).toMatchObject([door.name, { rejected: { reason: "not_today" } }]);
        expect(outcome).not.toHaveProperty("rejected.details");
      }
  });

  it.each([1e300, -1, "soon"])(
    "with %s for when to ask again is answered without it",
    async (retryAfterMs) => {
      const rejection = { reason: "busy", message: "m", retryable: true, data: { retryAfterMs } };
      const app = appThat({ query: async () => ({ status: "rejected", rejection }) });
      for (const door of await frontDoors(app, await openDoors(app))) {
        const outcome = await door.call("event/list", { workspaceId: "w1" });
        expect([door.name, outcome]).toMatchObject([door.name, { rejected: { reason: "busy" } }]);
        expect(outcome).not.toHaveProperty("rejected.retryAfterMs");
      }
    },
  );
});

describe("what an application answers to a query", () => {
  const deep = (levels: number): unknown => (levels === 0 ? [] : { in: deep(levels - 1) });

  it.each([
    ["a time", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["what says what it is", { toJSON: () => ({ at: 7 }) }, { at: 7 }],
    ["a member that is undefined", { one: 1, none: undefined }, { one: 1 }],
    ["a hole in a list", { list: [1, undefined, 3] }, { list: [1, null, 3] }],
    [
      "members that are inherited",
      Object.create({ old: () => 1 }, { own: { value: 1, enumerable: true } }),
      { own: 1 },
    ],
    ["nothing", undefined, null],
    ["499 levels", deep(498), deep(498)],
  ])("with %s is what JSON makes of it", async (_what, result, told) => {
    const workspaces = new Workspaces();
    const app = appThat({ query: async () => ({ status: "accepted", result }) as CommandResult });
    const desk = new Desk({ app, workspaces });
    const asked = await desk.ask({
      actor: { tenant: "orchard", participant: "ann" },
      method: desk.surface.methods.get("event/list") as DoorMethod,
      params: { workspaceId: "w1" },
    });
    expect(asked.result).toMatchObject({ status: "accepted" });
    expect(JSON.parse(JSON.stringify(asked.result))).toEqual({ status: "accepted", result: told });
    await workspaces.close();
  });
});

describe("an application that does not answer", () => {
  const never = () => new Promise<never>(() => undefined);

  it.each([
    ["a query", { query: never }, "event/list", undefined],
    ["an opening for a query", { open: never }, "event/list", undefined],
    ["an opening for a command", { open: never }, "event/publish", "one"],
  ] as const)("to %s is not waited for for ever", async (_what, own, name, commandId) => {
    const app = appThat(own);
    const workspaces = new Workspaces();
    const errors: unknown[] = [];
    const desk = new Desk({ app, workspaces, answerMs: 30, onError: (error) => void errors.push(error) });
    const params = {
      workspaceId: "w1",
      ...(commandId === undefined ? {} : { type: "apple.fell", commandId }),
    };
    const asked = await desk.ask({
      actor: { tenant: "orchard", participant: "ann" },
      method: desk.surface.methods.get(name) as DoorMethod,
      params,
    });
    expect(asked).toMatchObject({
      result: { status: "rejected", rejection: { reason: "answer_timeout", retryable: true } },
    });
    expect(asked.commandId).toBe(commandId);
    expect(errors).toMatchObject([{ message: expect.stringContaining("30 ms") }]);
    await workspaces.close();
  });
});
