/** What each record of a log makes of the turns and the items of its session. */
import { describe, expect, it } from "vitest";
import type { Item } from "../../../generated/msp/experimental/types.js";
import type { SessionRecord } from "../../../src/host/session/records.js";
import { NOW } from "./decide/stage.js";
import {
  A,
  B,
  C,
  completed,
  event,
  folded,
  payload,
  received,
  startedTurn,
  told,
  turn,
} from "./state-records.js";

describe("turns", () => {
  it("are launched, wait last or wait first", () => {
    const state = folded(received(A), turn(A, "now"), turn(B, "last"), turn(C, "first"));
    expect(state.active).toEqual({
      turnId: A,
      commandId: A,
      kind: "submit",
      prompt: undefined,
      payload,
      deferred: false,
      workspaceRoots: undefined,
      phase: "launching",
      started: false,
      startedAt: undefined,
      retract: false,
      stopReason: undefined,
      steers: [],
      spoke: false,
      commandsBefore: 1,
    });
    expect(state.queue.map(({ turnId, phase, deferred }) => [turnId, phase, deferred])).toEqual([
      [C, "queued", true],
      [B, "queued", true],
    ]);
    const goal = { kind: "goal", prompt: "Bloom", workspaceRoots: ["/new"] };
    expect(folded(turn(A, "last", goal)).queue[0]).toMatchObject(goal);
  });

  it("are found by their id in any case, whether they run or wait", () => {
    const state = folded(turn(A.toUpperCase(), "now"), turn(B.toUpperCase(), "last"), turn(C, "last"));
    expect(state.turn(A)?.turnId).toBe(A.toUpperCase());
    expect(state.turn(B)?.turnId).toBe(B.toUpperCase());
    expect(state.turn(C.toUpperCase())?.turnId).toBe(C);
    expect(state.turn("other")).toBeUndefined();
    expect(folded(turn(B, "last")).turn(B)?.turnId).toBe(B);
  });

  it("leave the queue in its order alone", () => {
    const launching = (turnId: string): SessionRecord => ({ type: "launching", turnId, at: NOW });
    const state = folded(turn(A, "last"), turn(B, "last"), launching(B));
    expect([state.active, state.queue.length]).toEqual([undefined, 2]);
    const next = folded(turn(A, "last"), turn(B, "last"), launching(A));
    expect(next.active).toMatchObject({ turnId: A, phase: "launching", deferred: true });
    expect(next.queue.map(({ turnId }) => turnId)).toEqual([B]);
    expect(folded(launching(A)).active).toBeUndefined();
  });

  it("go back to the head of the queue, the one alone that was launched", () => {
    const requeued = (turnId: string): SessionRecord => ({ type: "requeued", turnId, at: NOW });
    const state = folded(turn(A, "now"), turn(B, "last"), requeued(A));
    expect(state.active).toBeUndefined();
    expect(state.queue.map(({ turnId, phase }) => [turnId, phase])).toEqual([
      [A, "queued"],
      [B, "queued"],
    ]);
    expect(folded(turn(A, "now"), requeued(B)).active?.turnId).toBe(A);
    expect(folded(requeued(B)).queue).toEqual([]);
  });

  it("stop for the first reason, and withdraw their message where any asks for it", () => {
    const stopping = (turnId: string, retract: boolean, reason: string): SessionRecord => ({
      ...{ type: "stopping", turnId, retract, reason, at: NOW },
    });
    const twice = folded(turn(A, "now"), stopping(A, true, "one"), stopping(A, false, "two"));
    expect(twice.active).toMatchObject({ phase: "stopping", retract: true, stopReason: "one" });
    expect(folded(turn(A, "now"), stopping(A, false, "one")).active).toMatchObject({ retract: false });
    expect(folded(turn(A, "now"), stopping(B, true, "one")).active).toMatchObject({ phase: "launching" });
    expect(folded(stopping(A, true, "one")).active).toBeUndefined();
  });

  it("hold what is sent into them before they start", () => {
    const item = { itemId: "i", kind: "userMessage" } as Item;
    const steer = (turnId: string): SessionRecord => ({ type: "steer", turnId, item, at: NOW });
    expect(folded(turn(A, "now"), steer(A)).active?.steers).toEqual([item]);
    expect(folded(turn(A, "now"), steer(B)).active?.steers).toEqual([]);
  });

  it("start, the one alone that was launched, with its folders", () => {
    const roots = { workspaceRoots: ["/new"] };
    const state = folded(turn(A, "now", roots), startedTurn(A));
    expect(state.active).toMatchObject({ phase: "running", started: true, startedAt: NOW });
    expect(state.workspaceRoots).toEqual(["/new"]);
    expect(folded(turn(A, "now"), startedTurn(A)).workspaceRoots).toEqual(["/old"]);
    const other = folded(turn(A, "now", roots), startedTurn(B));
    expect(other.active).toMatchObject({ phase: "launching", started: false, startedAt: undefined });
    expect(other.workspaceRoots).toEqual(["/old"]);
    expect(folded(startedTurn(A)).active).toBeUndefined();
    const stops = { type: "stopping", turnId: A, retract: false, reason: "x", at: NOW } as const;
    expect(folded(turn(A, "now"), stops, startedTurn(A)).active).toMatchObject({
      phase: "stopping",
      started: true,
    });
  });

  it("end once each: the one that runs, or one that waits", () => {
    const error = { kind: "modelError", message: "lost", retryable: false };
    const state = folded(turn(A.toUpperCase(), "now"), turn(B, "last"), turn(C, "last"), completed(A));
    expect(state.active).toBeUndefined();
    expect(state.lastTurn).toEqual({ turnId: A, terminal: "completed" });
    expect([...state.ended]).toEqual([[A, "completed"]]);
    expect(state.queue).toHaveLength(2);
    const failed = folded(
      turn(A, "now"),
      turn(B, "last"),
      turn(C, "last"),
      completed(B.toUpperCase(), { terminal: "failed", reason: "lost", error }),
    );
    expect(failed.active?.turnId).toBe(A);
    expect(failed.queue.map(({ turnId }) => turnId)).toEqual([C]);
    expect(failed.ended.get(B)).toBe("failed");
    expect(failed.lastTurn).toEqual({ turnId: B.toUpperCase(), terminal: "failed", reason: "lost", error });
  });

  it("that were taken back are ended, and not counted", () => {
    const state = folded(
      turn(A, "now"),
      turn(B, "last"),
      event("turn/unqueued", { turnId: B, commandId: B }),
      completed(A),
    );
    expect(state.ended.get(B)).toBe("unqueued");
    expect([state.turnCount, state.queue.length]).toEqual([1, 0]);
    expect(state.lastTurn?.turnId).toBe(A);
  });
});

describe("items", () => {
  it("are kept while they are open, and known as over afterwards: calls for good, others while their turn runs", () => {
    const call = { itemId: "call", kind: "toolCall" };
    const words = { itemId: "words", kind: "agentMessage" };
    const open = folded(turn(A, "now"), told(call), told(words, "item/updated"));
    expect([...open.items.keys()]).toEqual(["call", "words"]);
    expect([open.finished.size, open.said.size]).toEqual([0, 0]);
    const over = [
      told({ ...call, status: "failed" }, "item/updated"),
      told({ ...words, status: "completed" }),
    ];
    const closed = folded(turn(A, "now"), told(call), told(words), ...over);
    expect([...closed.items.keys()]).toEqual([]);
    expect([[...closed.finished], [...closed.said]]).toEqual([["call"], ["words"]]);
    const ended = folded(turn(A, "now"), told(call), told(words), ...over, completed(A));
    expect([[...ended.finished], [...ended.said]]).toEqual([["call"], []]);
    // The end of a turn that waits is none of the turn that runs.
    const other = folded(turn(A, "now"), turn(B, "last"), told(words), ...over, completed(B));
    expect([...other.said]).toEqual(["words"]);
  });

  it("of the agent tell that it spoke in the turn that runs; what users and the host do does not", () => {
    const spoke = (item: object) => folded(turn(A, "now"), told({ itemId: "i", ...item })).active!.spoke;
    expect(spoke({ kind: "agentMessage" })).toBe(true);
    expect(spoke({ kind: "toolCall" })).toBe(true);
    expect(spoke({ kind: "userMessage" })).toBe(false);
    expect(spoke({ kind: "compaction" })).toBe(false);
    expect(spoke({ kind: "agentMessage", turnId: B })).toBe(false);
    expect(folded(told({ itemId: "i", kind: "agentMessage" })).items.size).toBe(1);
  });

  it("of the user are kept until their turn has ended", () => {
    const message = { itemId: "m", kind: "userMessage", status: "completed" };
    const call = { itemId: "call", kind: "toolCall" };
    const runs = folded(turn(A, "now"), told(message, "item/completed"));
    expect([...runs.items.keys()]).toEqual(["m"]);
    expect(runs.said.size).toBe(0);
    const ended = folded(turn(A, "now"), told(message, "item/completed"), told(call), completed(A));
    expect([...ended.items.keys()]).toEqual(["call"]);
    const other = folded(turn(A, "now"), turn(B, "last"), told(message, "item/completed"), completed(B));
    expect([...other.items.keys()]).toEqual(["m"]);
    // One that is told when its turn is over is over, too.
    for (const records of [[turn(B, "now")], []]) {
      const late = folded(...records, told(message, "item/completed"));
      expect([late.items.size, [...late.said]]).toEqual([0, ["m"]]);
    }
  });

  it("of a compaction tell how far the history was compacted", () => {
    const through = (outcome: string) =>
      folded(
        turn(A, "now"),
        completed(A),
        told({ itemId: "c", kind: "compaction", status: "completed", outcome }, "item/completed"),
      ).compactedThrough;
    expect([through("compacted"), through("noop"), through("failed")]).toEqual([1, 0, 0]);
    const call = { itemId: "c", kind: "agentMessage", status: "completed", outcome: "compacted" };
    expect(folded(turn(A, "now"), completed(A), told(call)).compactedThrough).toBe(0);
  });
});
