/** What each command of a turn comes to, member for member: its records, its answer, its effects. */
import { describe, expect, it } from "vitest";
import { ended } from "../../../../src/host/session/decide/lifecycle.js";
import { SESSION_ID } from "../simulation.js";
import { eventsOf, INPUT, NOW, othersOf, Stage, TIME } from "./stage.js";

const NOBODY = "01a19b7c-ffff-4000-8000-000000000000";

describe("turn/start", () => {
  it("launches a turn where nothing runs, and keeps what was submitted", () => {
    const stage = new Stage();
    const { id, records, answer, effects } = stage.command("turn/start", { input: INPUT });
    expect(records).toEqual([
      {
        type: "received",
        id,
        method: "turn/start",
        signature: expect.stringMatching(/^.{43}$/),
        payload: { input: INPUT },
        answer,
        at: NOW,
      },
      { type: "turn", turnId: id, commandId: id, kind: "submit", place: "now", at: NOW },
    ]);
    expect(answer).toEqual({
      ack: { commandId: id, status: "accepted", turnId: id, startedNewTurn: true, disposition: "started" },
    });
    expect(effects).toEqual([{ type: "launch", turnId: id }]);
    expect(stage.state.active).toMatchObject({
      turnId: id,
      phase: "launching",
      deferred: false,
      payload: { input: INPUT },
      commandsBefore: 1,
    });
  });

  it("puts a turn off while another one runs, and launches nothing", () => {
    const stage = new Stage();
    const first = stage.run();
    const { id, answer, effects, ...rest } = stage.command("turn/start", { input: INPUT });
    expect(othersOf({ answer, effects, ...rest })).toEqual([
      { type: "turn", turnId: id, commandId: id, kind: "submit", place: "last", at: NOW },
    ]);
    expect(answer).toEqual({
      ack: { commandId: id, status: "accepted", turnId: id, startedNewTurn: false, disposition: "queued" },
    });
    expect(effects).toEqual([]);
    expect(stage.state.active?.turnId).toBe(first);
    expect(stage.state.queue.map(({ turnId, deferred }) => [turnId, deferred])).toEqual([[id, true]]);
  });

  it("is refused where as many turns wait as may, whatever it is to do", () => {
    const stage = new Stage();
    stage.run();
    stage.start();
    stage.start();
    for (const ifBusy of ["queue", "replace"]) {
      const { records, answer, effects } = stage.command("turn/start", { input: INPUT, ifBusy });
      expect([records, effects]).toEqual([[], []]);
      expect(answer).toMatchObject({
        refusal: { kind: "backpressured", message: expect.stringMatching(/./), data: { capacity: 2 } },
      });
    }
    expect(stage.command("turn/start", { input: INPUT, ifBusy: "steer" }).answer).toMatchObject({
      ack: { disposition: "steered" },
    });
  });

  it("waits behind a turn that waits, although none runs", () => {
    const stage = new Stage();
    const first = stage.run();
    const second = stage.start();
    stage.context = { leaving: true };
    stage.happens((draft) => ended(draft, first, undefined));
    expect(stage.state.active).toBeUndefined();
    const third = stage.command("turn/start", { input: INPUT });
    expect(third.answer).toMatchObject({ ack: { disposition: "queued", startedNewTurn: false } });
    // There is nothing that it could replace; it comes first all the same.
    expect(stage.command("turn/start", { input: INPUT, ifBusy: "replace" }).answer).toHaveProperty("refusal");
    stage.context = { leaving: true, maxQueuedTurns: 3 };
    const fourth = stage.command("turn/start", { input: INPUT, ifBusy: "replace" });
    expect(fourth.effects).toEqual([]);
    expect(stage.state.queue.map(({ turnId }) => turnId)).toEqual([fourth.id, second, third.id]);
  });

  it("replaces the turn that runs: it waits as the first, and the other one is stopped", () => {
    const stage = new Stage();
    const first = stage.run();
    const second = stage.start();
    const decision = stage.command("turn/start", { input: INPUT, ifBusy: "replace" });
    expect(othersOf(decision)).toEqual([
      { type: "turn", turnId: decision.id, commandId: decision.id, kind: "submit", place: "first", at: NOW },
      {
        type: "stopping",
        turnId: first,
        retract: false,
        reason: "replaced by a later turn",
        at: NOW,
      },
    ]);
    expect(decision.effects).toEqual([{ type: "stop", turnId: first }]);
    expect(decision.answer).toMatchObject({ ack: { disposition: "queued" } });
    expect(stage.state.queue.map(({ turnId }) => turnId)).toEqual([decision.id, second]);
  });

  it("replaces nothing where nothing runs", () => {
    const stage = new Stage();
    const { answer, effects, id } = stage.command("turn/start", { input: INPUT, ifBusy: "replace" });
    expect(answer).toMatchObject({ ack: { disposition: "started" } });
    expect(effects).toEqual([{ type: "launch", turnId: id }]);
  });

  it("steers the turn that runs, and starts one where that is about to stop", () => {
    const stage = new Stage();
    const first = stage.run();
    const { id, answer, effects, ...rest } = stage.command("turn/start", { input: INPUT, ifBusy: "steer" });
    expect(answer).toEqual({
      ack: {
        commandId: id,
        status: "accepted",
        turnId: first,
        startedNewTurn: false,
        disposition: "steered",
      },
    });
    expect(effects).toEqual([
      { type: "steer", turnId: first, steer: { commandId: id, text: "Prune it", input: INPUT } },
    ]);
    expect(othersOf({ answer, effects, ...rest })).toEqual([
      { type: "settled", id, outcome: "accepted", at: NOW },
    ]);
    stage.command("turn/interrupt", {});
    expect(stage.command("turn/start", { input: INPUT, ifBusy: "steer" }).answer).toMatchObject({
      ack: { disposition: "queued" },
    });
    expect(new Stage().command("turn/start", { input: INPUT, ifBusy: "steer" }).answer).toMatchObject({
      ack: { disposition: "started", startedNewTurn: true },
    });
  });

  it("has the folders of its session from its launch on, if it names some", () => {
    const stage = new Stage();
    const first = stage.run();
    expect(stage.state.workspaceRoots).toEqual(["/old"]);
    const second = stage.command("turn/start", { input: INPUT, workspaceRoots: ["/new"] });
    expect(othersOf(second)[0]).toMatchObject({ type: "turn", workspaceRoots: ["/new"] });
    expect(stage.state.workspaceRoots).toEqual(["/old"]);
    stage.happens((draft) => ended(draft, first, undefined));
    expect(stage.state.active?.workspaceRoots).toEqual(["/new"]);
  });
});

describe("turn/steer", () => {
  const steered = (id: string, turnId: string) => ({
    itemId: expect.any(String),
    kind: "userMessage",
    turnId,
    revision: 1,
    status: "completed",
    recordedAt: TIME,
    text: "Prune it",
    commandId: id,
    steered: true,
  });
  const message = { input: INPUT };

  it("shows a message in the turn that runs, and hands it on", () => {
    const stage = new Stage();
    const turnId = stage.run();
    const decision = stage.command("turn/steer", { expectedTurnId: turnId.toUpperCase(), ...message });
    const { id, records, answer, effects } = decision;
    expect(answer).toEqual({ ack: { commandId: id, status: "accepted", turnId } });
    expect(records.slice(1)).toEqual([
      { type: "settled", id, outcome: "accepted", at: NOW },
      {
        type: "event",
        method: "item/completed",
        params: { item: steered(id, turnId) },
        stream: { kind: "run", id: turnId },
        at: NOW,
      },
    ]);
    expect(effects).toEqual([
      { type: "steer", turnId, steer: { commandId: id, text: "Prune it", input: INPUT } },
    ]);
  });

  it("holds a message back while the turn is launched", () => {
    const stage = new Stage();
    const turnId = stage.start();
    const decision = stage.command("turn/steer", { expectedTurnId: turnId, ...message });
    expect(eventsOf(decision)).toEqual([]);
    expect(othersOf(decision)).toContainEqual({
      type: "steer",
      turnId,
      item: steered(decision.id, turnId),
      at: NOW,
    });
    expect(stage.state.active?.steers).toEqual([steered(decision.id, turnId)]);
  });

  it("is rejected where the turn does not run, with the turn that does", () => {
    const stage = new Stage();
    const rejected = (data?: object) => ({
      rejection: { reason: "turn_not_running", retryable: false, ...(data === undefined ? {} : { data }) },
    });
    expect(stage.command("turn/steer", { expectedTurnId: NOBODY, input: INPUT }).answer).toEqual(rejected());
    const turnId = stage.run();
    const other = stage.command("turn/steer", { expectedTurnId: NOBODY, input: INPUT });
    expect(other.answer).toEqual(rejected({ details: { turnId } }));
    expect(other.effects).toEqual([]);
    expect(othersOf(other)).toEqual([{ type: "settled", id: other.id, outcome: "rejected", at: NOW }]);
    stage.command("turn/interrupt", {});
    expect(stage.command("turn/steer", { expectedTurnId: turnId, input: INPUT }).answer).toEqual(
      rejected({ details: { turnId } }),
    );
  });
});

describe("turn/interrupt and turn/cancel", () => {
  it.each([
    ["turn/interrupt", "interrupted by the client"],
    ["turn/cancel", "cancelled by the client"],
  ] as const)("%s stops the turn that runs, named or not", (method, reason) => {
    for (const named of [true, false]) {
      const stage = new Stage();
      const turnId = stage.run();
      const decision = stage.command(method, named ? { turnId: turnId.toUpperCase() } : {});
      expect(othersOf(decision).at(-1)).toEqual({
        type: "stopping",
        turnId,
        retract: false,
        reason,
        at: NOW,
      });
      expect(decision.effects).toEqual([{ type: "stop", turnId }]);
      expect(decision.answer).toEqual({ ack: { commandId: decision.id, status: "accepted", turnId } });
      expect(stage.state.active).toMatchObject({ phase: "stopping", stopReason: reason, retract: false });
      // A second one is accepted, and stops nothing more.
      const again = stage.command(method, {});
      expect(again.answer).toMatchObject({ ack: { turnId } });
      expect([again.records, again.effects]).toEqual([[], []]);
    }
  });

  it("a later one that withdraws the message still does, once, and the first reason stays", () => {
    const stage = new Stage();
    const turnId = stage.run();
    stage.command("turn/cancel", {});
    const decision = stage.command("turn/interrupt", { retract: true });
    expect(othersOf(decision).at(-1)).toMatchObject({ type: "stopping", turnId, retract: true });
    expect(stage.state.active).toMatchObject({ retract: true, stopReason: "cancelled by the client" });
    expect(stage.command("turn/interrupt", { retract: true }).records).toEqual([]);
  });

  it("are rejected where the turn does not run, and say whether it ever did", () => {
    const stage = new Stage();
    const reason = (params: object) => stage.command("turn/interrupt", params).answer;
    const rejected = (word: string) => ({ rejection: { reason: word, retryable: false } });
    expect(reason({})).toEqual(rejected("missing_run"));
    expect(reason({ turnId: NOBODY })).toEqual(rejected("missing_run"));
    const turnId = stage.run();
    expect(reason({ turnId: NOBODY })).toEqual(rejected("missing_run"));
    stage.happens((draft) => ended(draft, turnId, undefined));
    expect(reason({ turnId: turnId.toUpperCase() })).toEqual(rejected("already_terminal"));
    stage.run();
    expect(reason({ turnId })).toEqual(rejected("already_terminal"));
  });

  it("pause the goal whose turn is stopped, and no other", () => {
    const stage = new Stage();
    stage.command("goal/set", { objective: "Bloom" });
    const paused = eventsOf(stage.command("turn/interrupt", {}));
    expect(paused).toEqual([
      ["session/goalChanged", { goal: expect.objectContaining({ objective: "Bloom", status: "paused" }) }],
    ]);
    expect(eventsOf(stage.command("turn/interrupt", { retract: true }))).toEqual([]);
    const cleared = new Stage();
    cleared.command("goal/set", { objective: "Bloom" });
    cleared.command("goal/clear", {});
    expect(eventsOf(cleared.command("turn/interrupt", {}))).toEqual([]);
    expect(cleared.state.active?.phase).toBe("stopping");
    const other = new Stage();
    other.run();
    other.command("goal/set", { objective: "Bloom" });
    expect(eventsOf(other.command("turn/interrupt", {}))).toEqual([]);
  });
});

describe("turn/unqueue", () => {
  it("takes a turn back that waits, and settles its command", () => {
    const stage = new Stage();
    stage.run();
    const turnId = stage.start();
    const decision = stage.command("turn/unqueue", { turnId: turnId.toUpperCase() });
    expect(decision.answer).toEqual({ ack: { commandId: decision.id, status: "accepted", turnId } });
    expect(othersOf(decision)).toEqual([
      { type: "settled", id: decision.id, outcome: "accepted", at: NOW },
      { type: "settled", id: turnId, outcome: "accepted", at: NOW },
    ]);
    expect(eventsOf(decision)).toEqual([["turn/unqueued", { turnId, commandId: turnId }]]);
    expect(decision.effects).toEqual([]);
    expect(stage.state.queue).toEqual([]);
    expect(stage.state.ended.get(turnId)).toBe("unqueued");
    expect(stage.state.turnCount).toBe(0);
  });

  it("is rejected where the turn was launched, is over, was taken back, or is none", () => {
    const stage = new Stage();
    const answer = (turnId: string) => stage.command("turn/unqueue", { turnId }).answer;
    const rejected = (word: string) => ({ rejection: { reason: word, retryable: false } });
    expect(answer(NOBODY)).toEqual(rejected("missing_run"));
    const turnId = stage.start();
    expect(answer(turnId)).toEqual(rejected("turn_already_started"));
    const second = stage.start();
    expect(answer(second)).toHaveProperty("ack");
    expect(answer(second)).toEqual(rejected("missing_run"));
    stage.happens((draft) => ended(draft, turnId, undefined));
    expect(answer(turnId.toUpperCase())).toEqual(rejected("turn_already_started"));
    expect(stage.state.sessionId).toBe(SESSION_ID);
  });
});
