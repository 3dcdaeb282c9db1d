/** The rules of the fold, and what late joiners begin with. */
import { describe, expect, it } from "vitest";
import * as kit from "../../../src/client/fold/index.js";
import { holds, RULES } from "./rules.js";
import { cursorAt, durable, ephemeral, kit as module, SESSION } from "./session.js";

describe("the fold", () => {
  it.each(Object.keys(RULES))("%s", (name) => holds(module, name));
});

type Mutable = Record<string, unknown>;

const ITEM = { itemId: "i1", kind: "agentMessage", revision: 2, status: "inProgress", text: "so far" };

const STATE = {
  items: [ITEM],
  activeTurn: { turnId: "t1", commandId: "c1" },
  queuedTurns: [{ turnId: "t2", commandId: "c2", displayText: "later" }],
  pendingApprovals: [{ approvalId: "a1", itemId: "i1", viewCursor: cursorAt(6) }],
  pendingUserInputs: [{ userInputId: "u1", viewCursor: cursorAt(7) }],
  approvalMode: { mode: "promptUnmatched", source: "replay", lastCommandId: null },
  effectiveModel: { modelId: "m", providerId: null, source: "default" },
  goal: null,
  todoList: null,
  branch: null,
  tokenUsage: { promptTokens: 0, outputTokens: 0, totalTokens: 0 },
  turnCount: 3,
};

function snapshot(changes: object = {}): Mutable {
  return { schemaVersion: 1, viewCursor: cursorAt(7), state: STATE, ...changes };
}

function join(fold: kit.SessionFold, history: unknown, more: object = {}): kit.JoinOutcome {
  const reply = { history, viewCursor: cursorAt(7), pendingRequests: [], session: {}, ...more };
  return kit.joinSession(fold, reply as unknown as kit.JoinResult);
}

/** A fold that knows something already. */
function busy(): kit.SessionFold {
  const fold = new kit.SessionFold(SESSION);
  fold.apply("item/completed", durable(2, { item: { ...ITEM, itemId: "old", status: "completed" } }));
  fold.apply("turn/completed", durable(3, { turnId: "t0", terminal: "completed" }));
  return fold;
}

describe("a late joiner", () => {
  it.each(["snapshot", "anchoredSnapshot"])("begins with a snapshot, in mode %s", (mode) => {
    const fold = busy();
    expect(join(fold, { mode, items: null, snapshot: snapshot() })).toEqual({
      kind: "seeded",
      from: "snapshot",
    });
    const { items, turns, activeTurnId, approvals, userInputs, states, turnCount } = fold.state;
    expect([...items.keys()]).toEqual(["i1"]);
    expect(activeTurnId).toBe("t1");
    expect([...turns.values()].map(({ state }) => state)).toEqual(["running", "queued"]);
    expect(turns.get("t2")?.queued?.displayText).toBe("later");
    expect(approvals.get("a1")).toMatchObject({ state: "pending", itemId: "i1", viewCursor: cursorAt(6) });
    expect(userInputs.get("u1")).toMatchObject({ state: "pending", request: undefined });
    expect(states.goal).toEqual({ value: null, cursor: undefined, event: undefined });
    expect(states.contextUsage).toBeUndefined();
    expect(turnCount).toBe(3);
    expect(fold.state.head).toBe(cursorAt(7));

    // The text goes on, a request that is sent again fills in what it asks.
    fold.apply("item/delta", ephemeral("7.1", { itemId: "i1", delta: "!" }));
    expect(kit.shownText(items.get("i1")!)).toBe("so far!");
    fold.apply("approval/request", durable(6, { approvalId: "a1", itemId: "i1", toolName: "shell" }));
    expect(fold.state.approvals.get("a1")?.request?.toolName).toBe("shell");
    fold.apply("turn/started", durable(8, { turnId: "t2", commandId: "c2" }));
    expect(fold.state.turns.get("t2")).toMatchObject({ state: "running", queued: undefined });
  });

  it("takes an event under the cursor of the snapshot, which may be of anything", () => {
    const fold = new kit.SessionFold(SESSION);
    join(fold, { mode: "snapshot", snapshot: snapshot() });
    const params = durable(7, { modelId: "n", providerId: null, source: "user" });
    expect(fold.apply("session/modelChanged", params).kind).toBe("applied");
  });

  it("begins with items, and with what the session's row says", () => {
    const fold = busy();
    const session = { activeTurnId: "t9", turnCount: 4, name: "pond", approvalMode: STATE.approvalMode };
    const pendingRequests = [
      { kind: "approval", approvalId: "a1", viewCursor: cursorAt(6) },
      { kind: "userInput", userInputId: "u1", viewCursor: cursorAt(7) },
      { kind: "of a later release", viewCursor: cursorAt(7) },
    ];
    const history = { mode: "inline", items: [ITEM, null, { kind: "no id" }], snapshot: null };
    expect(join(fold, history, { session, pendingRequests })).toEqual({ kind: "seeded", from: "inline" });
    expect([...fold.state.items.keys()]).toEqual(["i1"]);
    expect(fold.state).toMatchObject({ activeTurnId: "t9", turnCount: 4 });
    expect(fold.state.states.name?.value).toBe("pond");
    expect([...fold.state.approvals.keys(), ...fold.state.userInputs.keys()]).toEqual(["a1", "u1"]);
  });

  it("goes on with what it has where events follow, or were not asked for", () => {
    for (const noneReason of ["cursorSuffix", "excluded", undefined]) {
      const fold = busy();
      fold.apply("view/gap", { sessionId: SESSION, after: cursorAt(3), next: cursorAt(6) });
      const history = { mode: "none", items: null, snapshot: null, ...(noneReason && { noneReason }) };
      expect(join(fold, history)).toEqual({ kind: "kept", noneReason });
      expect(fold.state.items.size).toBe(1);
      // The reply names the head, and what leads to it is still to come.
      expect(fold.state.head).toBe(cursorAt(3));
      expect(fold.current).toBe(noneReason !== "excluded");
    }
  });

  it.each([
    ["a mode of a later release", { mode: "hologram", items: null, snapshot: null }, "unknownMode"],
    ["a later form", { mode: "snapshot", snapshot: snapshot({ schemaVersion: 2 }) }, "unknownSchemaVersion"],
    ["no snapshot", { mode: "snapshot", items: null, snapshot: null }, "malformed"],
    ["a snapshot without items", { mode: "snapshot", snapshot: snapshot({ state: {} }) }, "malformed"],
    ["no items", { mode: "inline", items: null, snapshot: null }, "malformed"],
    ["no mode", {}, "malformed"],
    ["no history", undefined, "malformed"],
    ["nothing for lack of room", { mode: "none", noneReason: "historyBudget" }, "notServed"],
    ["nothing for a later reason", { mode: "none", noneReason: "eclipse" }, "notServed"],
  ])("pages for itself when it is served %s", (_, history, why) => {
    const fold = busy();
    const before = structuredClone({ ...fold.state });
    expect(join(fold, history)).toMatchObject({ kind: "pageYourself", why });
    expect({ ...fold.state }).toEqual(before);
  });

  it("takes items that come with a snapshot of a later form", () => {
    const fold = busy();
    const history = { mode: "snapshot", items: [ITEM], snapshot: snapshot({ schemaVersion: 2 }) };
    expect(join(fold, history)).toEqual({ kind: "seeded", from: "inline" });
  });
});
