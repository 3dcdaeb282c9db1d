/** What the life of a turn comes to, member for member: its start, its ends, and what comes next. */
import { describe, expect, it } from "vitest";
import type { Item } from "../../../../generated/msp/experimental/types.js";
import type { TurnEnd } from "../../../../src/host/agents/agent.js";
import { launchFailed } from "../../../../src/host/session/decide/lifecycle.js";
import {
  end,
  eventsOf,
  INPUT,
  LATER,
  launching,
  NOW,
  othersOf,
  Stage,
  settled,
  start,
  TIME,
} from "./stage.js";

const FAILED = { kind: "launchError", message: "no room", retryable: true };

function message(turnId: string, more: object = {}): Item {
  return {
    itemId: expect.any(String),
    kind: "userMessage",
    turnId,
    revision: 1,
    status: "completed",
    recordedAt: TIME,
    text: "Prune it",
    commandId: turnId,
    ...more,
  } as Item;
}

/** The agent says something of its own in the turn that runs. */
function says(stage: Stage, item: object): void {
  const params = { item: { revision: 1, status: "completed", recordedAt: TIME, ...item } as Item };
  stage.apply([{ type: "event", method: "item/completed", params, at: NOW }]);
}

describe("a turn that starts", () => {
  it("is told with its message, and then runs", () => {
    const stage = new Stage();
    const turnId = stage.start({ displayText: "A word", workspaceRoots: ["/new"] });
    const decision = start(stage, turnId);
    const stream = { kind: "run", id: turnId };
    expect(decision.records).toEqual([
      { type: "event", method: "turn/started", params: { turnId, commandId: turnId }, stream, at: NOW },
      {
        type: "event",
        method: "item/completed",
        params: { item: message(turnId, { displayText: "A word" }) },
        stream,
        at: NOW,
      },
    ]);
    expect(decision.effects).toEqual([{ type: "run", turnId }]);
    expect(decision.answer).toEqual({ ack: {} });
    expect(stage.state.active).toMatchObject({
      phase: "running",
      started: true,
      startedAt: NOW,
      spoke: false,
    });
    expect(stage.state.workspaceRoots).toEqual(["/new"]);
  });

  it("shows what was sent into it meanwhile, after its own message", () => {
    const stage = new Stage();
    const turnId = stage.start();
    const { id } = stage.command("turn/steer", { expectedTurnId: turnId, input: INPUT });
    expect(eventsOf(start(stage, turnId)).slice(1)).toEqual([
      ["item/completed", { item: message(turnId) }],
      ["item/completed", { item: message(turnId, { commandId: id, steered: true }) }],
    ]);
  });

  it("runs the command of the shell that it was given", () => {
    const stage = new Stage();
    const turnId = stage.start({ input: [], userShell: { commandText: "date" } });
    const decision = start(stage, turnId);
    expect(eventsOf(decision).map(([method]) => method)).toEqual([
      "turn/started",
      "item/completed",
      "item/started",
    ]);
    expect(eventsOf(decision).at(-1)![1]).toMatchObject({
      item: { kind: "userShell", turnId: null, commandId: turnId },
    });
    const { itemId } = (eventsOf(decision).at(-1)![1] as { item: Item }).item;
    expect(decision.effects).toEqual([
      { type: "shell", itemId, commandText: "date" },
      { type: "run", turnId },
    ]);
  });

  it("has no message where it is a goal's", () => {
    const stage = new Stage();
    stage.command("goal/set", { objective: "Bloom" });
    const { turnId } = stage.state.active!;
    expect(eventsOf(start(stage, turnId)).map(([method]) => method)).toEqual(["turn/started"]);
  });

  it("starts once, and only where it is the one that was launched", () => {
    const stage = new Stage();
    const turnId = stage.start();
    const nothing = { records: [], effects: [], answer: { ack: {} } };
    expect(start(stage, "other")).toEqual(nothing);
    expect(start(new Stage(), turnId)).toEqual(nothing);
    start(stage, turnId);
    expect(start(stage, turnId)).toEqual(nothing);
  });

  it("ends without having started where it was asked to stop meanwhile", () => {
    const stage = new Stage();
    const turnId = stage.start();
    stage.command("turn/cancel", {});
    const decision = start(stage, turnId);
    expect(eventsOf(decision)).toEqual([
      ["turn/completed", { turnId, terminal: "cancelled", reason: "cancelled by the client" }],
    ]);
    expect(decision.effects).toEqual([]);
  });
});

describe("a launch that failed", () => {
  it("ends a turn whose ack said that it was started, and leaves the ack", () => {
    const stage = new Stage();
    const turnId = stage.start();
    const next = stage.start();
    const quota = { limit: 1 };
    const decision = stage.happens((draft) =>
      launchFailed(draft, turnId, { ...FAILED, kind: "other", quota } as never),
    );
    expect(eventsOf(decision)).toEqual([
      ["turn/completed", { turnId, terminal: "failed", reason: "no room", error: { ...FAILED, quota } }],
    ]);
    expect(othersOf(decision)).toEqual([settled(turnId, "accepted"), launching(next)]);
    expect(decision.effects).toEqual([{ type: "launch", turnId: next }]);
    expect(stage.state.lastTurn).toEqual({
      turnId,
      terminal: "failed",
      reason: "no room",
      error: { ...FAILED, quota },
    });
  });

  it("takes back the ack of a turn that waited", () => {
    const stage = new Stage();
    const first = stage.run();
    const turnId = stage.start();
    end(stage, first);
    const decision = stage.happens((draft) => launchFailed(draft, turnId, FAILED as never));
    expect(othersOf(decision)).toEqual([
      settled(turnId, "rejected", { rejection: { reason: "deferred_start_failed", message: "no room" } }),
    ]);
    expect(eventsOf(decision)[0]![1]).toEqual({
      turnId,
      terminal: "failed",
      reason: "no room",
      error: FAILED,
    });
  });

  it("shows what was sent into a turn that never starts", () => {
    const stage = new Stage();
    const turnId = stage.start();
    const { id } = stage.command("turn/steer", { expectedTurnId: turnId, input: INPUT });
    const decision = stage.happens((draft) => launchFailed(draft, turnId, FAILED as never));
    expect(eventsOf(decision).map(([method]) => method)).toEqual(["item/completed", "turn/completed"]);
    expect(eventsOf(decision)[0]![1]).toEqual({ item: message(turnId, { commandId: id, steered: true }) });
  });

  it("is nothing where the turn has started, or is not the one", () => {
    const stage = new Stage();
    const fails = (turnId: string) => stage.happens((draft) => launchFailed(draft, turnId, FAILED as never));
    expect(fails("other").records).toEqual([]);
    const turnId = stage.run();
    expect(fails("other").records).toEqual([]);
    expect(fails(turnId).records).toEqual([]);
  });

  it("is an end as cancelled where the turn was asked to stop", () => {
    const stage = new Stage();
    const turnId = stage.start();
    stage.command("turn/interrupt", {});
    const decision = stage.happens((draft) => launchFailed(draft, turnId, FAILED as never));
    expect(eventsOf(decision)[0]![1]).toMatchObject({ terminal: "cancelled" });
  });
});

describe("a turn that ends", () => {
  it("is completed, with how long it took, and the next one is launched", () => {
    const stage = new Stage();
    const turnId = stage.run();
    const next = stage.start();
    stage.now += 1_500;
    const decision = end(stage, turnId, { terminal: "completed" });
    expect(eventsOf(decision)).toEqual([
      ["turn/completed", { turnId, terminal: "completed", durationMs: 1_500 }],
    ]);
    expect(othersOf(decision)).toEqual([
      { ...settled(turnId, "accepted"), at: NOW + 1_500 },
      { ...launching(next), at: NOW + 1_500 },
    ]);
    expect(decision.effects).toEqual([{ type: "launch", turnId: next }]);
    expect(stage.state.active).toMatchObject({ turnId: next, phase: "launching" });
    expect(stage.state.lastTurn).toEqual({ turnId, terminal: "completed" });
  });

  it("took no time where the clock went back", () => {
    const stage = new Stage();
    const turnId = stage.run();
    stage.now -= 10;
    expect(eventsOf(end(stage, turnId))[0]![1]).toMatchObject({ durationMs: 0 });
    expect(stage.state.updatedAt).toBe(NOW);
  });

  it("is failed as its agent says", () => {
    const stage = new Stage();
    const turnId = stage.run();
    const error = { kind: "modelError", message: "lost", retryable: false } as const;
    expect(eventsOf(end(stage, turnId, { terminal: "failed", error } as TurnEnd))).toEqual([
      ["turn/completed", { turnId, terminal: "failed", reason: "lost", error, durationMs: 0 }],
    ]);
  });

  it("is cancelled where it was asked to stop, whatever its agent says", () => {
    const stage = new Stage();
    const turnId = stage.run();
    stage.command("turn/interrupt", {});
    expect(eventsOf(end(stage, turnId, { terminal: "completed" }))[0]![1]).toEqual({
      turnId,
      terminal: "cancelled",
      reason: "interrupted by the client",
      durationMs: 0,
    });
  });

  it("ends once, and only where it is the one that runs", () => {
    const stage = new Stage();
    const turnId = stage.run();
    expect(end(stage, "other").records).toEqual([]);
    end(stage, turnId);
    expect(end(stage, turnId).records).toEqual([]);
  });

  it("leaves what waits for the next holder where the session is given up", () => {
    const stage = new Stage();
    const turnId = stage.run();
    stage.start();
    stage.context = { leaving: true };
    const decision = end(stage, turnId);
    expect(othersOf(decision)).toEqual([settled(turnId, "accepted")]);
    expect(decision.effects).toEqual([]);
  });

  it.each([
    ["cancelled", undefined],
    ["failed", { terminal: "failed", error: { kind: "modelError", message: "x", retryable: false } }],
  ])("closes what it streamed as %s", (status, how) => {
    const stage = new Stage();
    const turnId = stage.run();
    const open = { itemId: "one", kind: "agentMessage", turnId, revision: 1, status: "inProgress" };
    const over = { itemId: "two", kind: "agentMessage", turnId, text: "said" };
    says(stage, over);
    stage.context = {
      streaming: [
        { ...open, recordedAt: TIME, text: "half" },
        { ...open, ...over, recordedAt: TIME },
      ] as Item[],
    };
    stage.now += 1_500;
    const told = eventsOf(end(stage, turnId, how as TurnEnd | undefined));
    expect(told.map(([method]) => method)).toEqual(["item/completed", "turn/completed"]);
    expect(told[0]![1]).toEqual({ item: { ...open, revision: 2, status, recordedAt: LATER, text: "half" } });
  });

  it.each([
    ["cancelled", undefined],
    ["failed", { terminal: "failed", error: { kind: "modelError", message: "x", retryable: false } }],
  ])("closes its open calls as %s", (status, how) => {
    const stage = new Stage();
    const turnId = stage.run();
    says(stage, { itemId: "one", kind: "toolCall", turnId, status: "inProgress" });
    const [told] = eventsOf(end(stage, turnId, how as TurnEnd | undefined));
    expect(told).toMatchObject(["item/completed", { item: { itemId: "one", revision: 2, status } }]);
    expect(stage.state.items.size).toBe(0);
  });

  it("closes what it streamed over the revision that was told, with the last words", () => {
    const stage = new Stage();
    const turnId = stage.run();
    const held = {
      itemId: "one",
      kind: "agentMessage",
      turnId,
      revision: 4,
      status: "inProgress",
      memo: "kept",
    };
    says(stage, { ...held, text: "told" });
    stage.context = {
      streaming: [{ itemId: "one", kind: "agentMessage", turnId, revision: 1, text: "last" }] as Item[],
    };
    const [told] = eventsOf(end(stage, turnId));
    expect(told![1]).toMatchObject({
      item: { revision: 5, text: "last", memo: "kept", status: "cancelled" },
    });
  });
});

describe("a message that is withdrawn with its turn", () => {
  const stopped = (stage: Stage, retract = true) => stage.command("turn/interrupt", { retract });

  it("is marked, after the turn's end, in the session's own stream", () => {
    const stage = new Stage();
    const turnId = stage.run();
    stopped(stage);
    stage.now += 1_500;
    const { records } = end(stage, turnId);
    const events = records.flatMap((record) => (record.type === "event" ? [record] : []));
    expect(events.slice(1)).toEqual([
      {
        type: "event",
        method: "turn/retracted",
        params: { turnId, commandId: turnId, outcome: "accepted" },
        at: NOW + 1_500,
      },
      {
        type: "event",
        method: "item/updated",
        params: { item: message(turnId, { revision: 2, recordedAt: LATER, retracted: true }) },
        at: NOW + 1_500,
      },
    ]);
  });

  it("is no other item that is open meanwhile", () => {
    const stage = new Stage();
    stage.command("session/userShell", { commandText: "date" });
    const turnId = stage.run();
    stopped(stage);
    expect(eventsOf(end(stage, turnId)).at(-1)).toEqual([
      "item/updated",
      { item: message(turnId, { revision: 2, retracted: true }) },
    ]);
  });

  it("is not withdrawn where nobody asked, nor where the agent has answered", () => {
    const stage = new Stage();
    const turnId = stage.run();
    stopped(stage, false);
    expect(eventsOf(end(stage, turnId)).map(([method]) => method)).toEqual(["turn/completed"]);
    const second = stage.run();
    says(stage, { itemId: "one", kind: "agentMessage", turnId: second, text: "said" });
    stopped(stage);
    expect(eventsOf(end(stage, second)).slice(1)).toEqual([
      ["turn/retracted", { turnId: second, commandId: second, outcome: "declined" }],
    ]);
  });

  it("is the turn's own message, and none that was sent into it", () => {
    const stage = new Stage();
    const turnId = stage.start();
    stage.command("turn/steer", { expectedTurnId: turnId, input: [{ type: "text", text: "sent" }] });
    start(stage, turnId);
    stage.command("turn/steer", { expectedTurnId: turnId, input: [{ type: "text", text: "sent" }] });
    stopped(stage);
    const updated = eventsOf(end(stage, turnId)).filter(([method]) => method === "item/updated");
    expect(updated).toEqual([["item/updated", { item: message(turnId, { revision: 2, retracted: true }) }]]);
  });
});
