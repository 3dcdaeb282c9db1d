/** What a session needs when it is loaded by a new host: what its records close, and what they launch again. */
import { describe, expect, it } from "vitest";
import { recovered } from "../../../../src/host/session/decide/lifecycle.js";
import { end, eventsOf, launching, NOW, othersOf, Stage, settled, start } from "./stage.js";

describe("a session that is loaded again", () => {
  const again = (stage: Stage) => stage.happens((draft) => recovered(draft, 2));
  const resumed = { type: "resumed", epoch: 2, at: NOW };
  const abandoned = (id: string) =>
    settled(id, "rejected", { rejection: { reason: "abandoned", retryable: false } });

  it("has nothing to close where nothing was under way", () => {
    const decision = again(new Stage());
    expect(decision.records).toEqual([resumed]);
    expect(decision.effects).toEqual([]);
  });

  it("ends the turn that ran as failed, abandons its command, and launches the one that waited", () => {
    const stage = new Stage();
    const turnId = stage.run();
    const next = stage.start();
    const last = stage.start();
    const decision = again(stage);
    expect(eventsOf(decision)).toEqual([
      ["turn/completed", { turnId, terminal: "failed", reason: "crash", durationMs: 0 }],
    ]);
    expect(othersOf(decision)).toEqual([resumed, abandoned(turnId), launching(next)]);
    expect(decision.effects).toEqual([{ type: "launch", turnId: next }]);
    expect(stage.state.queue.map((turn) => turn.turnId)).toEqual([last]);
    expect([...stage.state.ledger.open]).toEqual([next, last]);
  });

  it("abandons a turn that was launched at once, and had not started", () => {
    const stage = new Stage();
    const turnId = stage.start();
    const decision = again(stage);
    expect(eventsOf(decision)).toEqual([["turn/completed", { turnId, terminal: "failed", reason: "crash" }]]);
    expect(othersOf(decision)).toEqual([resumed, abandoned(turnId)]);
  });

  it("launches a turn again that had waited, and whose launch was lost", () => {
    const stage = new Stage();
    const first = stage.run();
    const turnId = stage.start();
    const next = stage.start();
    end(stage, first);
    const decision = again(stage);
    expect(decision.records).toEqual([resumed, { type: "requeued", turnId, at: NOW }, launching(turnId)]);
    expect(decision.effects).toEqual([{ type: "launch", turnId }]);
    expect(stage.state.active).toMatchObject({ turnId, phase: "launching", deferred: true });
    expect(stage.state.queue.map((turn) => turn.turnId)).toEqual([next]);
    // Once it has started it is lost like any other.
    start(stage, turnId);
    expect(eventsOf(again(stage))).toEqual([
      ["turn/completed", { turnId, terminal: "failed", reason: "crash", durationMs: 0 }],
    ]);
  });

  it("does not launch it again where it was asked to stop", () => {
    const stage = new Stage();
    const first = stage.run();
    const turnId = stage.start();
    end(stage, first);
    stage.command("turn/interrupt", { retract: true });
    const decision = again(stage);
    expect(eventsOf(decision).map(([method]) => method)).toEqual(["turn/completed", "turn/retracted"]);
    expect(othersOf(decision)).toEqual([resumed, abandoned(turnId)]);
    expect(decision.effects).toEqual([]);
  });

  it("withdraws the message of a turn that was to be withdrawn, and of no other", () => {
    const stage = new Stage();
    const turnId = stage.run();
    stage.command("turn/interrupt", { retract: true });
    expect(eventsOf(again(stage)).map(([method]) => method)).toEqual([
      "turn/completed",
      "turn/retracted",
      "item/updated",
    ]);
    expect(stage.state.ended.get(turnId)).toBe("failed");
  });

  it("closes open calls as cancelled", () => {
    const stage = new Stage();
    const { id } = stage.command("session/userShell", { commandText: "date" });
    const decision = again(stage);
    expect(eventsOf(decision)).toEqual([
      ["item/completed", { item: expect.objectContaining({ kind: "userShell", status: "cancelled" }) }],
    ]);
    expect(stage.state.ledger.get(id)).toMatchObject({ settled: true });
  });
});
