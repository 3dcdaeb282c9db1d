/** What each record of a log makes of the state of its session, but for its turns and items. */
import { describe, expect, it } from "vitest";
import type { SessionRecord, ViewEvent } from "../../../src/host/session/records.js";
import { cursorOf, DEFAULT_MODE, SessionState } from "../../../src/host/session/state.js";
import { NOW, Stage } from "./decide/stage.js";
import { A, B, event, folded, payload, received, settled, turn } from "./state-records.js";

describe("a session that begins", () => {
  it("has nothing before its first record", () => {
    const state = new SessionState();
    expect(state).toMatchObject({ createdBy: "", workspaceRoots: [], queue: [], goal: null, model: null });
    expect([state.ordinal, state.commands, state.updatedAt, state.turnCount]).toEqual([0, 0, 0, 0]);
    expect([state.active, state.lastTurn, state.name, state.effort]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("is what its first record says, by the default mode where none is said", () => {
    const state = folded();
    expect(state.createdBy).toBe("first");
    expect(state.workspaceRoots).toEqual(["/old"]);
    expect(state.model).toEqual({ modelId: "small", providerId: "here", source: "sessionStart" });
    expect(state.approvalMode).toEqual(DEFAULT_MODE);
    expect(DEFAULT_MODE).toEqual({ mode: "promptUnmatched", source: "startup", lastCommandId: null });
    expect(new Stage({ modelId: null }).state.model).toBeNull();
  });

  it("has the mode of its first record, and the history of the session that it was forked from", () => {
    const { session } = folded();
    const mode = { mode: "denyUnmatched", source: "startup", lastCommandId: null } as const;
    const state = new SessionState();
    const record: SessionRecord = {
      type: "session",
      session: { ...session, approvalMode: mode },
      workspaceRoots: [],
      commandId: A,
      history: [
        event("session/nameChanged", { name: "Orchard" }),
        event("turn/completed", { turnId: B, terminal: "completed" }),
      ] as ViewEvent[],
      at: NOW,
    };
    state.apply(record, 1);
    expect(state.approvalMode).toEqual(mode);
    expect([state.name, state.ordinal, state.turnCount]).toEqual(["Orchard", 2, 1]);
  });

  it("was changed when its latest record was written, and not before", () => {
    expect(folded({ ...received(A), at: NOW + 5 }, settled(A)).updatedAt).toBe(NOW + 5);
  });
});

it("a cursor names the session, the event, and what of it was told", () => {
  expect(cursorOf("s", 3)).toBe("v:s:3");
  expect(cursorOf("s", 3, 0)).toBe("v:s:3.0");
});

describe("commands", () => {
  it("are counted as they come in, and each has its place in the log", () => {
    const stage = new Stage();
    stage.apply([received(A), received(B, "session/rename")]);
    expect(stage.state.commands).toBe(2);
    expect(stage.state.ledger.get(A)).toEqual({
      signature: "s",
      answer: { ack: {} },
      settled: false,
      position: 2,
    });
    stage.apply([settled(A)]);
    expect(stage.state.ledger.get(A)).toMatchObject({ settled: true, position: 4 });
    stage.apply([{ type: "withdrawn", id: B, at: NOW }]);
    expect(stage.state.ledger.get(B)).toBeUndefined();
  });

  it("give their turn what was submitted, as long as they are not settled", () => {
    const of = (...records: SessionRecord[]) => folded(...records, turn(A, "now")).active!.payload;
    expect(of(received(A))).toEqual(payload);
    expect(of(received(A, "goal/set"))).toBeUndefined();
    expect(of(received(A), settled(A))).toBeUndefined();
    expect(folded(received(A), turn(A.toUpperCase(), "now")).active!.payload).toEqual(payload);
  });

  it("that gave the session up are known with the events that it had then", () => {
    const leave = [received(A, "session/leave"), event("session/nameChanged", { name: "x" })];
    const released = (reason: "leave" | "idle"): SessionRecord => ({ type: "released", reason, at: NOW });
    const resumed: SessionRecord = { type: "resumed", epoch: 2, at: NOW };
    expect([...folded(...leave, released("leave")).left]).toEqual([[A, 1]]);
    expect([...folded(...leave).left]).toEqual([]);
    // Given up for another reason, or lost: the command did not do it, and a later one does not count for it.
    for (const other of [released("idle"), resumed]) {
      const state = folded(...leave, other, received(B, "session/leave"), released("leave"));
      expect([...state.left]).toEqual([[B, 1]]);
    }
    expect([...folded(...leave, released("leave"), released("leave")).left]).toEqual([[A, 1]]);
    expect([...folded(received(A, "session/rename"), released("leave")).left]).toEqual([]);
  });
});

describe("what a session has chosen", () => {
  it("is what was told last", () => {
    const goal = { goalId: "g", objective: "Bloom", status: "active" };
    const model = { modelId: "large", providerId: "there", source: "command" };
    const state = folded(
      event("session/goalChanged", { goal }),
      event("session/modelChanged", model),
      event("session/approvalModeChanged", { mode: "onRequest", source: "command", commandId: A }),
      event("session/reasoningEffortChanged", { reasoningEffort: "low", source: "command" }),
      event("session/nameChanged", { name: "Orchard" }),
    );
    expect(state.goal).toEqual(goal);
    expect(state.model).toEqual(model);
    expect(state.approvalMode).toEqual({ mode: "onRequest", source: "command", lastCommandId: A });
    expect(state.effort).toEqual({ reasoningEffort: "low", source: "command" });
    expect(state.name).toBe("Orchard");
    expect(state.ordinal).toBe(5);
    expect(
      folded(event("session/goalChanged", { goal }), event("session/goalChanged", { goal: null })).goal,
    ).toBe(null);
  });

  it("is not touched by events that say nothing of it", () => {
    const state = folded(event("turn/retracted", { turnId: A, commandId: A, outcome: "accepted" }));
    expect([state.ordinal, state.active, state.lastTurn]).toEqual([1, undefined, undefined]);
  });
});

describe("approvals", () => {
  const request = {
    approvalId: A.toUpperCase(),
    subject: { kind: "tool", stage: 0 },
    availableChoices: [{ choiceId: "once" }],
    currentRequirementId: { approvalId: A, sourceIndex: 0 },
  };
  const stages = [[{ choiceId: "second" }], [{ choiceId: "third" }]];
  const requested = event("approval/requested", request, { stages });
  const updated = (approvalId: string) =>
    event("approval/updated", {
      approvalId,
      subject: { kind: "tool", stage: 1 },
      availableChoices: stages[0],
      currentRequirementId: { approvalId, sourceIndex: 1 },
    });
  const resolved = (approvalId: string) =>
    event("approval/resolved", { approvalId, decision: "approved", resolvedBy: "user" });

  it("wait with their stages until they are resolved", () => {
    const asked = folded(event("session/nameChanged", { name: "x" }), requested);
    const held = asked.approvals.get(A)!;
    expect(held).toEqual({
      request,
      subject: request.subject,
      choices: request.availableChoices,
      stages,
      sourceIndex: 0,
      ordinal: 2,
      resolved: undefined,
    });
    expect([...asked.waiting]).toEqual([held]);
    expect(folded(event("approval/requested", request)).approvals.get(A)!.stages).toEqual([]);
    const next = folded(requested, updated(A)).approvals.get(A)!;
    expect(next).toMatchObject({ subject: { kind: "tool", stage: 1 }, choices: stages[0], sourceIndex: 1 });
    expect(next.stages).toEqual([stages[1]]);
    const over = folded(requested, resolved(A));
    expect(over.approvals.get(A)!.resolved).toEqual({ decision: "approved", resolvedBy: "user", ordinal: 2 });
    expect(over.waiting.size).toBe(0);
  });

  it("that nobody asked for are none", () => {
    const state = folded(requested, updated(B), resolved(B));
    expect(state.approvals.get(A)).toMatchObject({ sourceIndex: 0, resolved: undefined });
    expect([state.approvals.size, state.waiting.size]).toEqual([1, 1]);
  });
});

describe("questions to the user", () => {
  const request = { userInputId: A.toUpperCase(), questions: [] };
  const settledInput = (userInputId: string) =>
    event("userInput/settled", { userInputId, outcome: "answered" });

  it("wait until they are settled", () => {
    const asked = folded(event("userInput/requested", request));
    expect(asked.userInputs.get(A)).toEqual({ request, ordinal: 1, settled: undefined });
    expect([...asked.waiting]).toEqual([asked.userInputs.get(A)]);
    const over = folded(event("userInput/requested", request), settledInput(A));
    expect(over.userInputs.get(A)!.settled).toEqual({ outcome: "answered", ordinal: 2 });
    expect(over.waiting.size).toBe(0);
  });

  it("that nobody asked are none", () => {
    const state = folded(event("userInput/requested", request), settledInput(B));
    expect([state.userInputs.size, state.waiting.size]).toEqual([1, 1]);
  });
});
