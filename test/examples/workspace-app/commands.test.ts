/** Every command and query of the application: what it does, what it answers, and what it refuses. */
import { describe, expect, it } from "vitest";
import { commands } from "../../../examples/workspace-app/commands/commands.js";
import { queries } from "../../../examples/workspace-app/queries.js";
import * as tables from "../../../generated/workspace/stable/tables.js";
import type { RuleDefinition } from "../../../generated/workspace/stable/types.js";
import { appOf, type Desk, deskOf, isCommand, noticesOf } from "../../support/workspace-app.js";

const total: RuleDefinition = {
  on: "order",
  when: { op: "ge", path: "/data/amount", value: 10 },
  steps: [
    {
      do: "compute",
      set: {
        total: {
          op: "multiply",
          left: { op: "get", path: "/data/amount" },
          right: { op: "value", value: 2 },
        },
      },
    },
  ],
};
const waits: RuleDefinition = { on: "slow", steps: [{ do: "wait", ms: 3_600_000 }] };
const fails: RuleDefinition = {
  on: "bad",
  steps: [{ do: "call", function: "refuse", arguments: { message: { op: "value", value: "no" } } }],
};

describe("the application", () => {
  it("has a handler for every method of the bundle and no other", () => {
    const kinds = Object.entries(tables.methods);
    const of = (kind: string): string[] => kinds.filter(([, m]) => m.kind === kind).map(([name]) => name);
    expect(Object.keys(commands).sort()).toEqual(of("command").sort());
    expect(Object.keys(queries).sort()).toEqual(of("query").sort());
    expect(Object.keys(commands).every((name) => isCommand(name as never))).toBe(true);
    expect(kinds.length).toBe(16);
  });

  it("publishes an event, fires a rule, and runs what it starts", async () => {
    const desk = await deskOf(appOf());
    await desk.call("rule/install", { ruleId: "total", definition: total });
    const small = await desk.call("event/publish", { type: "order", data: { amount: 9 } });
    expect(small).toMatchObject({ status: "accepted", position: 1, runIds: [] });
    const large = await desk.call("event/publish", { eventId: "e2", type: "order", data: { amount: 21 } });
    expect(large).toMatchObject({ status: "accepted", eventId: "e2", position: 2 });
    const run = await desk.settled(large.runIds[0] as string, "done");
    expect(run).toMatchObject({
      ruleId: "total",
      ruleVersion: 1,
      eventId: "e2",
      attempt: 1,
      output: { total: 42 },
    });
    const { events } = await desk.call("event/list", { type: "order" });
    expect(events.map(({ eventId }) => eventId)).toEqual([small.eventId, "e2"]);
    expect((await desk.call("event/read", { eventId: "e2" })).event).toMatchObject({
      publishedBy: "ann",
      depth: 0,
      data: { amount: 21 },
    });
  });

  it("appends an event with an id once, and tells what it started then", async () => {
    const desk = await deskOf(appOf());
    await desk.call("rule/install", { ruleId: "total", definition: total });
    const given = { eventId: "e", type: "order", data: { amount: 10 } };
    const first = await desk.call("event/publish", given);
    await desk.call("rule/install", { ruleId: "later", definition: total });
    const { commandId: _, ...again } = await desk.call("event/publish", { ...given, data: { amount: 99 } });
    const { commandId: __, ...expected } = first;
    expect(again).toEqual({ ...expected, status: "duplicate" });
    expect((await desk.call("run/list", {})).runs).toHaveLength(1);
    const without = { type: "order", data: {} };
    for (let i = 0; i < 2; i++) expect((await desk.call("event/publish", without)).status).toBe("accepted");
    expect((await desk.call("event/list", {})).events).toHaveLength(3);
  });

  it("publishes what a run wants published once it is done, and lets it fire", async () => {
    const desk = await deskOf(appOf());
    const definition: RuleDefinition = {
      on: "order",
      steps: [
        { do: "publish", type: "bill", data: { for: { op: "get", path: "/eventId" } } },
        { do: "publish", type: "bill", data: { for: { op: "value", value: "second" } } },
      ],
    };
    await desk.call("rule/install", { ruleId: "bill", definition });
    await desk.call("rule/install", { ruleId: "mail", definition: { on: "bill", steps: fails.steps } });
    const { runIds } = await desk.call("event/publish", { eventId: "e", type: "order" });
    await desk.settled(runIds[0] as string, "done");
    const { events } = await desk.call("event/list", { type: "bill" });
    expect(events).toMatchObject([
      { data: { for: "e" }, causedBy: runIds[0], depth: 1, publishedBy: "ann", eventId: `${runIds[0]}:0` },
      { data: { for: "second" }, causedBy: runIds[0], depth: 1 },
    ]);
    const { runs } = await desk.call("run/list", { ruleId: "mail" });
    for (const { runId } of runs) await desk.settled(runId, "failed");
    expect(runs).toHaveLength(2);
  });

  it("ends a chain of rules that fire each other", async () => {
    const desk = await deskOf(appOf());
    const definition: RuleDefinition = { on: "tick", steps: [{ do: "publish", type: "tick", data: {} }] };
    await desk.call("rule/install", { ruleId: "loop", definition });
    await desk.call("event/publish", { type: "tick" });
    const failed = async (): Promise<number> =>
      (await desk.call("run/list", { status: "failed" })).runs.length;
    while ((await failed()) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const { runs } = await desk.call("run/list", { limit: 200 });
    expect(runs.map(({ status }) => status)).toEqual([...Array(16).fill("done"), "failed"]);
    expect(runs.at(-1)).toMatchObject({ reason: "too_deep" });
    expect((await desk.call("event/list", {})).events.map(({ depth }) => depth)).toEqual(
      Array.from({ length: 17 }, (_, i) => i),
    );
  });
});

describe("a rule", () => {
  it("that is as it should be is a duplicate: installed, updated or archived again", async () => {
    const desk = await deskOf(appOf());
    const install = { ruleId: "r", definition: total };
    expect((await desk.call("rule/install", install)).status).toBe("accepted");
    const reversed = Object.fromEntries(Object.entries(total).reverse()) as unknown as RuleDefinition;
    for (const definition of [total, reversed]) {
      expect(await desk.call("rule/install", { ruleId: "r", definition })).toMatchObject({
        status: "duplicate",
        rule: { version: 1 },
      });
      expect(await desk.call("rule/update", { ruleId: "r", definition, expectedVersion: 7 })).toMatchObject({
        status: "duplicate",
        rule: { version: 1 },
      });
    }
    expect((await desk.call("rule/archive", { ruleId: "r" })).status).toBe("accepted");
    expect((await desk.call("rule/archive", { ruleId: "r" })).status).toBe("duplicate");
    expect((await desk.call("rule/list", {})).rules).toMatchObject([{ state: "archived", version: 1 }]);
  });

  it("gets a version by each change, and its runs keep theirs", async () => {
    const desk = await deskOf(appOf());
    await desk.call("rule/install", { ruleId: "r", definition: total });
    await desk.call("event/publish", { eventId: "e1", type: "order", data: { amount: 10 } });
    const changed: RuleDefinition = { ...total, when: { op: "lt", path: "/data/amount", value: 10 } };
    const update = { ruleId: "r", definition: changed };
    expect(await desk.refused("rule/update", { ...update, expectedVersion: 2 })).toMatchObject({
      reason: "version_conflict",
      data: { version: 1 },
    });
    expect(await desk.call("rule/update", { ...update, expectedVersion: 1 })).toMatchObject({
      status: "accepted",
      rule: { version: 2 },
    });
    await desk.call("event/publish", { eventId: "e2", type: "order", data: { amount: 1 } });
    const { runs } = await desk.call("run/list", { ruleId: "r" });
    const settled = await Promise.all(runs.map(({ runId }) => desk.settled(runId, "done")));
    expect(settled.map(({ ruleVersion, eventId, output }) => [ruleVersion, eventId, output])).toEqual([
      [1, "e1", { total: 20 }],
      [2, "e2", { total: 2 }],
    ]);
  });

  it("is refused where it cannot be", async () => {
    const desk = await deskOf(appOf());
    await desk.call("rule/install", { ruleId: "r", definition: total });
    await desk.call("rule/install", { ruleId: "gone", definition: total });
    await desk.call("rule/archive", { ruleId: "gone" });
    const reasons = [
      await desk.refused("rule/install", { ruleId: "r", definition: waits }),
      await desk.refused("rule/install", { ruleId: "gone", definition: total }),
      await desk.refused("rule/update", { ruleId: "gone", definition: total }),
      await desk.refused("rule/replay", { ruleId: "gone" }),
      await desk.refused("rule/update", { ruleId: "none", definition: total }),
      await desk.refused("rule/archive", { ruleId: "none" }),
      await desk.refused("rule/replay", { ruleId: "none" }),
      await desk.refused("rule/read", { ruleId: "none" }),
    ].map(({ reason }) => reason);
    expect(reasons).toEqual([
      "rule_exists",
      ...Array(3).fill("rule_archived"),
      ...Array(4).fill("rule_not_found"),
    ]);
    expect((await desk.call("event/publish", { type: "order", data: { amount: 10 } })).runIds).toHaveLength(
      1,
    );
  });

  it("is one of 256 at the most", async () => {
    const desk = await deskOf(appOf());
    for (let i = 0; i < 256; i++) await desk.call("rule/install", { ruleId: `r${i}`, definition: waits });
    const more = { ruleId: "more", definition: waits };
    expect((await desk.refused("rule/install", more)).reason).toBe("too_many_rules");
    await desk.call("rule/archive", { ruleId: "r0" });
    expect((await desk.call("rule/install", more)).status).toBe("accepted");
  });
});

describe("a replay", () => {
  const past = async (desk: Desk): Promise<void> => {
    for (let i = 1; i <= 5; i++)
      await desk.call("event/publish", { eventId: `e${i}`, type: "order", data: { amount: i * 4 } });
    await desk.call("rule/install", { ruleId: "r", definition: total });
  };

  it("fires on the past, once under its id", async () => {
    const desk = await deskOf(appOf());
    await past(desk);
    const replay = { ruleId: "r", replayId: "p1" };
    const first = await desk.call("rule/replay", replay);
    expect(first).toMatchObject({ status: "accepted", replayId: "p1", examined: 5 });
    expect(first.runIds).toHaveLength(3);
    for (const runId of first.runIds)
      expect(await desk.settled(runId, "done")).toMatchObject({ replayId: "p1", ruleVersion: 1 });
    const again = await desk.call("rule/replay", replay);
    expect(again).toMatchObject({ status: "duplicate", runIds: first.runIds });
    const other = await desk.call("rule/replay", { ruleId: "r" });
    expect(other.runIds.filter((id) => first.runIds.includes(id))).toEqual([]);
    expect((await desk.call("run/list", {})).runs).toHaveLength(6);
  });

  it("goes on where it stopped", async () => {
    const desk = await deskOf(appOf());
    await past(desk);
    const replay = { ruleId: "r", replayId: "p", limit: 2 };
    const pages: string[][] = [];
    let after: number | undefined = 0;
    for (let calls = 0; after !== undefined && calls < 9; calls++) {
      const page: { runIds: string[]; nextAfter?: number } = await desk.call("rule/replay", {
        ...replay,
        after,
      });
      pages.push(page.runIds);
      after = page.nextAfter;
    }
    expect(pages.map(({ length }) => length)).toEqual([0, 2, 1]);
    expect(await desk.call("rule/replay", { ...replay, after: 1, until: 3, limit: 9 })).toMatchObject({
      status: "duplicate",
      examined: 2,
      runIds: [pages[1]?.[0]],
    });
  });
});

describe("a run", () => {
  it("can be cancelled while it runs, for good", async () => {
    const desk = await deskOf(appOf());
    await desk.call("rule/install", { ruleId: "r", definition: waits });
    const { runIds } = await desk.call("event/publish", { type: "slow" });
    const runId = runIds[0] as string;
    await desk.settled(runId, "running");
    expect((await desk.refused("run/skip", { runId })).reason).toBe("run_running");
    expect((await desk.refused("run/retry", { runId })).reason).toBe("run_not_ended");
    expect(await desk.call("run/cancel", { runId })).toMatchObject({
      status: "accepted",
      run: { status: "cancelled" },
    });
    expect((await desk.call("run/cancel", { runId })).status).toBe("duplicate");
    for (const method of ["run/retry", "run/skip"] as const)
      expect(await desk.refused(method, { runId })).toMatchObject({
        reason: "run_ended",
        data: { status: "cancelled" },
      });
  });

  it("fails with a reason, and can be tried again or left out", async () => {
    let healthy = false;
    const functions = {
      refuse: () => {
        if (!healthy) throw new Error("not yet");
        return "now";
      },
    };
    const desk = await deskOf(appOf({ functions }));
    await desk.call("rule/install", { ruleId: "r", definition: fails });
    const { runIds } = await desk.call("event/publish", { type: "bad" });
    const runId = runIds[0] as string;
    expect(await desk.settled(runId, "failed")).toMatchObject({
      reason: "function_failed",
      message: "refuse: not yet",
      attempt: 1,
    });
    expect((await desk.refused("run/cancel", { runId })).reason).toBe("run_ended");
    expect(await desk.call("run/skip", { runId })).toMatchObject({
      status: "accepted",
      run: { status: "skipped" },
    });
    expect((await desk.call("run/skip", { runId })).status).toBe("duplicate");
    healthy = true;
    const { run } = await desk.call("run/retry", { runId });
    expect(run).toMatchObject({ status: "queued", attempt: 2 });
    expect(Object.keys(run)).not.toContain("reason");
    expect(await desk.settled(runId, "done")).toMatchObject({ attempt: 2, output: {} });
    for (const method of ["run/retry", "run/skip", "run/cancel"] as const)
      expect((await desk.refused(method, { runId })).reason).toBe("run_ended");
  });

  it("that does not exist is said so", async () => {
    const desk = await deskOf(appOf());
    const runId = "run-none";
    for (const method of ["run/retry", "run/skip", "run/cancel", "run/read"] as const)
      expect((await desk.refused(method, { runId })).reason).toBe("run_not_found");
    expect((await desk.refused("feedback/give", { runId, score: 3 })).reason).toBe("run_not_found");
    expect((await desk.refused("event/read", { eventId: "none" })).reason).toBe("event_not_found");
  });

  it("gets feedback, once under each id", async () => {
    const desk = await deskOf(appOf());
    await desk.call("rule/install", { ruleId: "r", definition: total });
    const { runIds } = await desk.call("event/publish", { type: "order", data: { amount: 10 } });
    const runId = runIds[0] as string;
    const given = { runId, score: 4, feedbackId: "f", comment: "good" };
    expect((await desk.call("feedback/give", given)).status).toBe("accepted");
    expect(await desk.call("feedback/give", { ...given, score: 1 })).toMatchObject({
      status: "duplicate",
      feedback: { score: 4, comment: "good", givenBy: "ann" },
    });
    await desk.call("feedback/give", { runId, score: 2 });
    const { feedback } = await desk.call("feedback/list", { runId });
    expect(feedback.map(({ score }) => score)).toEqual([4, 2]);
  });
});

describe("params", () => {
  it("that are not what a method takes are refused with the place, and change nothing", async () => {
    const desk = await deskOf(appOf());
    const { handle } = desk;
    const context = { commandId: "c", signal: new AbortController().signal };
    const carry = (method: string, params: object): Promise<unknown> =>
      handle.carryOut({ method, params: params as never }, context);
    expect(await carry("event/publish", { type: "" })).toMatchObject({
      status: "rejected",
      rejection: { reason: "invalid_params", data: { instanceLocation: "/type" } },
    });
    expect(await carry("event/publish", { type: "t", workspaceId: "other" })).toMatchObject({
      rejection: { reason: "invalid_params" },
    });
    for (const method of ["event/list", "event/burn", "__proto__", "toString"])
      expect(await carry(method, {})).toMatchObject({ rejection: { reason: "unknown_method" } });
    expect(await handle.query("event/publish", {})).toMatchObject({
      rejection: { reason: "unknown_method" },
    });
    const data = { text: "x".repeat(70_000) };
    expect((await desk.refused("event/publish", { type: "t", data })).reason).toBe("data_too_large");
    expect((await desk.call("event/list", {})).events).toEqual([]);
  });

  it("of a command whose time is over change nothing", async () => {
    const desk = await deskOf(appOf());
    const stop = new AbortController();
    stop.abort(new TypeError("over"));
    const late = desk.handle.carryOut(
      { method: "event/publish", params: { type: "t" } },
      { commandId: "c", signal: stop.signal },
    );
    await expect(late).rejects.toThrow(TypeError);
    expect((await desk.call("event/list", {})).events).toEqual([]);
  });
});

describe("who listens", () => {
  it("hears of what changes from then on, in order, until it ends", async () => {
    const desk = await deskOf(appOf());
    await desk.call("event/publish", { eventId: "before", type: "order" });
    const { notices, until, end } = noticesOf(desk.handle);
    await desk.call("rule/install", { ruleId: "r", definition: total });
    await desk.call("event/publish", { eventId: "e", type: "order", data: { amount: 10 } });
    const done = (n: readonly { method: string; params: object }[]): boolean =>
      JSON.stringify(n).includes('"done"');
    await until(done);
    const runId = (await desk.call("run/list", {})).runs[0]?.runId as string;
    await desk.call("feedback/give", { runId, score: 5 });
    await until((n) => n.at(-1)?.method === "feedback/given");
    const methods = notices.map(({ method }) => method);
    expect(methods.slice(0, 2)).toEqual(["rule/changed", "event/published"]);
    expect(methods.filter((m) => m === "event/published")).toHaveLength(1);
    const revisions = notices.map(({ params }) => params["revision"] as number);
    expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
    end();
    const heard = notices.length;
    await desk.call("event/publish", { type: "other" });
    const second = noticesOf(desk.handle);
    await desk.call("event/publish", { eventId: "last", type: "other" });
    await second.until((n) => n.some(({ params }) => JSON.stringify(params).includes('"last"')));
    expect(notices.length).toBe(heard);
  });
});
