/** The rules of the fold, one example each. Each takes the fold as a module, so that poisoned ones can be held to it. */
import { expect } from "vitest";
import type { SessionFold } from "../../../src/client/fold/index.js";
import { durable, ephemeral, type FoldModule, type Params, SESSION, word } from "./session.js";

type Rule = (kit: FoldModule, fold: SessionFold) => void;

/** What a frame comes to. */
function come(fold: SessionFold, method: string, params: unknown): string {
  return word(fold.apply(method, params));
}

function item(revision: number, members: object = {}): Params {
  return { item: { itemId: "i1", kind: "agentMessage", revision, status: "inProgress", ...members } };
}

function delta(n: string, text: string, members: object = {}): Params {
  return ephemeral(n, { itemId: "i1", delta: text, ...members });
}

const ENDED = { status: "completed", text: "whole" };

/** Every rule by its name. */
export const RULES: Readonly<Record<string, Rule>> = {
  "an item is replaced by a strictly higher revision only": (_, fold) => {
    expect(come(fold, "item/started", durable(1, item(1, { text: "a" })))).toBe("applied");
    expect(come(fold, "item/updated", durable(2, item(3, { text: "c" })))).toBe("applied");
    expect(come(fold, "item/updated", durable(3, item(2, { text: "b" })))).toBe("ignoredStale");
    expect(come(fold, "item/updated", durable(4, item(3, { text: "d" })))).toBe("ignoredStale");
    expect(fold.state.items.get("i1")?.item).toMatchObject({ revision: 3, text: "c" });
  },
  "an open item ends at its own revision, an ended one does not end again": (_, fold) => {
    fold.apply("item/started", durable(1, item(1)));
    expect(come(fold, "item/completed", durable(2, item(1, ENDED)))).toBe("applied");
    expect(come(fold, "item/completed", durable(3, item(1, { ...ENDED, text: "other" })))).toBe(
      "ignoredStale",
    );
    expect(fold.state.items.get("i1")?.item.text).toBe("whole");
  },
  "an item that ends may be new": (_, fold) => {
    expect(come(fold, "item/completed", durable(1, item(4, ENDED)))).toBe("applied");
    expect(fold.state.items.size).toBe(1);
  },
  "text is gathered by item and field, and shown in its place": ({ shownItem, shownText }, fold) => {
    fold.apply("item/started", ephemeral("0.1", item(1, { text: "a" })));
    for (const [n, text, field] of [
      ["0.2", "b", undefined],
      ["0.3", "c", "text"],
      ["0.4", "x", "summary.0"],
      ["0.5", "y", "summary.1"],
      ["0.6", "o", "output"],
      ["0.7", "z", "no.such.place"],
    ] as const)
      expect(come(fold, "item/delta", delta(n, text, field === undefined ? {} : { field }))).toBe("applied");
    const held = fold.state.items.get("i1")!;
    const shown = { text: "abc", summary: ["x", "y"], visibleOutput: "o", no: { such: { place: "z" } } };
    expect(shownItem(held)).toMatchObject(shown);
    expect(shownText(held)).toBe("abc");
    expect(shownText(held, "output")).toBe("o");
    expect(held.item).not.toHaveProperty("summary");
    expect(held.item.revision).toBe(1);
  },
  "the last object of an item has the last word": ({ shownItem }, fold) => {
    fold.apply("item/started", ephemeral("0.1", item(1, { text: "" })));
    fold.apply("item/delta", delta("0.2", "a"));
    fold.apply("item/delta", delta("0.3", "o", { field: "output" }));
    fold.apply("item/updated", durable(1, item(2, { text: "A" })));
    fold.apply("item/delta", delta("1.1", "b"));
    expect(shownItem(fold.state.items.get("i1")!)).toMatchObject({ text: "Ab", visibleOutput: "o" });
    fold.apply("item/completed", durable(2, item(3, ENDED)));
    expect(come(fold, "item/delta", delta("2.1", "late"))).toBe("ignoredStale");
    const held = fold.state.items.get("i1")!;
    expect(held.streams).toBeUndefined();
    expect(shownItem(held)).toBe(held.item);
  },
  "text of an item that was not seen waits for it": ({ shownText }, fold) => {
    expect(come(fold, "item/delta", delta("0.1", "a"))).toBe("bufferedDelta");
    expect(come(fold, "item/delta", delta("0.2", "b"))).toBe("bufferedDelta");
    expect(fold.state.items.size).toBe(0);
    fold.apply("item/started", ephemeral("0.3", item(1, { text: "" })));
    fold.apply("item/delta", delta("0.4", "c"));
    expect(shownText(fold.state.items.get("i1")!)).toBe("abc");
    expect(fold.state.unseen.size).toBe(0);
  },
  "the same text is not appended twice": ({ shownText }, fold) => {
    fold.apply("item/started", ephemeral("0.1", item(1, { text: "" })));
    fold.apply("item/delta", delta("0.2", "a"));
    expect(come(fold, "item/delta", delta("0.2", "a"))).toBe("ignoredDuplicate");
    expect(shownText(fold.state.items.get("i1")!)).toBe("a");
  },
  "a state is the latest that arrived, a replay is refused, null clears": (_, fold) => {
    const goal = { objective: "g", status: "active" };
    expect(come(fold, "session/goalChanged", durable(1, { goal }))).toBe("applied");
    expect(come(fold, "session/goalChanged", durable(1, { goal: null }))).toBe("ignoredDuplicate");
    expect(fold.state.states.goal?.value).toEqual(goal);
    expect(come(fold, "session/goalChanged", durable(2, { goal: null }))).toBe("applied");
    expect(fold.state.states.goal?.value).toBeNull();
    const same = durable(2, { modelId: "m", providerId: null, source: "user" });
    expect(come(fold, "session/modelChanged", same), "of another family").toBe("applied");
    expect(come(fold, "session/goalChanged", durable(3, {}))).toBe("unrecognised:params");
  },
  "a turn leaves running once": (_, fold) => {
    const turn = { turnId: "t1", commandId: "c1" };
    expect(come(fold, "turn/started", durable(1, turn))).toBe("applied");
    expect(fold.state.activeTurnId).toBe("t1");
    expect(come(fold, "turn/retryScheduled", durable(2, { turnId: "t1", attempt: 1 }))).toBe("applied");
    expect(come(fold, "turn/completed", durable(3, { turnId: "t1", terminal: "completed" }))).toBe("applied");
    expect(come(fold, "turn/completed", durable(4, { turnId: "t1", terminal: "failed" }))).toBe(
      "ignoredStale",
    );
    expect(come(fold, "turn/started", durable(5, turn))).toBe("ignoredStale");
    expect(come(fold, "turn/unqueued", durable(6, turn))).toBe("ignoredStale");
    expect(come(fold, "turn/retryScheduled", durable(7, { turnId: "t1", attempt: 2 }))).toBe("ignoredStale");
    expect(come(fold, "turn/foregroundCompleted", durable(8, { turnId: "t2" }))).toBe("ignoredStale");
    const folded = fold.state.turns.get("t1");
    expect(folded).toMatchObject({
      state: "completed",
      commandId: "c1",
      completed: { terminal: "completed" },
    });
    expect(folded?.retry).toBeUndefined();
    expect(fold.state.activeTurnId).toBeUndefined();
    expect(fold.state.turnCount).toBe(1);
  },
  "a turn may end without having begun": (_, fold) => {
    expect(come(fold, "turn/completed", durable(1, { turnId: "t1", terminal: "failed" }))).toBe("applied");
    expect(come(fold, "turn/unqueued", durable(2, { turnId: "t2", commandId: "c2" }))).toBe("applied");
    expect(come(fold, "turn/completed", durable(3, { turnId: "t2", terminal: "failed" }))).toBe(
      "ignoredStale",
    );
    expect([...fold.state.turns.values()].map(({ state }) => state)).toEqual(["completed", "unqueued"]);
  },
  "a retraction counts unless it is declined": (_, fold) => {
    const answer = (n: number, turnId: string, outcome?: string) =>
      come(fold, "turn/retracted", durable(n, { turnId, commandId: "c", ...(outcome && { outcome }) }));
    expect(answer(1, "unseen", "declined")).toBe("ignoredStale");
    expect(fold.state.turns.size).toBe(0);
    fold.apply("turn/started", durable(2, { turnId: "t1", commandId: "c1" }));
    expect(answer(3, "t1", "declined")).toBe("applied");
    expect(fold.state.turns.get("t1")?.state).toBe("running");
    expect(answer(4, "t1", "a word of a later release")).toBe("applied");
    expect(fold.state.turns.get("t1")?.state).toBe("retracted");
    expect(come(fold, "turn/completed", durable(5, { turnId: "t1", terminal: "cancelled" }))).toBe(
      "ignoredStale",
    );
    expect(answer(6, "t1", "declined")).toBe("ignoredStale");
    expect(answer(7, "t2")).toBe("applied");
    expect(fold.state.turns.get("t2")?.state).toBe("retracted");
    expect(fold.state.activeTurnId).toBeUndefined();
  },
  "an approval is opened, refreshed and closed, the first time for good": (_, fold) => {
    const request = (n: number) => durable(n, { approvalId: "a1", itemId: "i1", toolName: `at ${n}` });
    const update = (n: number) => durable(n, { approvalId: "a1", change: { kind: "stageResolved" } });
    expect(come(fold, "approval/updated", update(1))).toBe("ignoredStale");
    expect(come(fold, "approval/reviewing", request(2))).toBe("applied");
    expect(fold.state.approvals.get("a1")?.state).toBe("reviewing");
    expect(come(fold, "approval/requested", request(3))).toBe("applied");
    expect(come(fold, "approval/request", request(3))).toBe("ignoredDuplicate");
    expect(come(fold, "approval/updated", update(4))).toBe("applied");
    expect(come(fold, "approval/request", request(3)), "sent again").toBe("ignoredDuplicate");
    expect(fold.state.approvals.get("a1")?.update).toBeDefined();
    expect(come(fold, "approval/requested", request(5)), "asked anew").toBe("applied");
    expect(fold.state.approvals.get("a1")?.update).toBeUndefined();
    expect(come(fold, "approval/resolved", durable(6, { approvalId: "a1", decision: "approved" }))).toBe(
      "applied",
    );
    expect(come(fold, "approval/resolved", durable(7, { approvalId: "a1", decision: "denied" }))).toBe(
      "ignoredStale",
    );
    expect(come(fold, "approval/requested", request(8))).toBe("ignoredStale");
    expect(come(fold, "approval/updated", update(9))).toBe("ignoredStale");
    expect(fold.state.approvals.get("a1")).toMatchObject({
      state: "resolved",
      resolved: { decision: "approved" },
    });
    const late = { approvalId: "a2", itemId: "i2", toolName: "late" };
    fold.apply("approval/resolved", durable(11, { approvalId: "a2", decision: "denied" }));
    expect(come(fold, "approval/requested", durable(10, late)), "paged after its end").toBe("ignoredStale");
    expect(fold.state.approvals.get("a2")).toMatchObject({ state: "resolved", request: late, itemId: "i2" });
  },
  "a question is opened and closed, the first time for good": (_, fold) => {
    const request = ephemeral(1, { userInputId: "u1", itemId: "i1" });
    const settle = (n: number, outcome: string) => durable(n, { userInputId: "u1", outcome });
    expect(come(fold, "userInput/requested", request)).toBe("applied");
    expect(come(fold, "userInput/request", request)).toBe("ignoredDuplicate");
    expect(come(fold, "userInput/settled", settle(2, "answered"))).toBe("applied");
    expect(come(fold, "userInput/settled", settle(3, "cancelled"))).toBe("ignoredStale");
    expect(come(fold, "userInput/request", request)).toBe("ignoredStale");
    const folded = fold.state.userInputs.get("u1");
    expect(folded).toMatchObject({ state: "settled", settled: { outcome: "answered" } });
  },
  "a gap stands until it is filled to its end": (_, fold) => {
    const gap = (after: string, next: string) => ({ sessionId: SESSION, after, next });
    fold.apply("turn/started", durable(3, { turnId: "t", commandId: "c" }));
    expect(come(fold, "view/gap", gap("3", "8"))).toBe("gapOpened");
    expect(come(fold, "view/gap", gap("3", "8"))).toBe("ignoredStale");
    expect(come(fold, "view/gap", gap("9", "12"))).toBe("gapExtended");
    expect(fold.state.gap).toEqual({ after: "3", next: "12" });
    expect(fold.resumeCursor).toBe("3");
    expect(fold.gapFilled("8")).toBe(false);
    expect(fold.current).toBe(false);
    expect(fold.gapFilled("12")).toBe(true);
    expect(fold.current).toBe(true);
    expect(come(fold, "view/gap", gap("9", "12")), "told twice").toBe("ignoredStale");
    expect(come(fold, "view/gap", gap("12", "14"))).toBe("gapOpened");
  },
  "the head is the last event that was taken in, the place to resume from the last that is stored": (
    _,
    fold,
  ) => {
    fold.apply("turn/started", durable(1, { turnId: "t", commandId: "c" }));
    fold.apply("monitor/inboxItemAdmitted", durable(2, { itemId: "m" }));
    fold.apply("item/started", ephemeral("2.1", item(1)));
    fold.apply("approval/request", durable(1, { approvalId: "a" }));
    fold.apply("session/statusChanged", ephemeral(9, { status: "idle" }));
    fold.apply("session/auraChanged", durable(9, {}));
    expect(fold.state.head).toBe("v:s1:2.1");
    expect(fold.resumeCursor).toBe("v:s1:2");
  },
  "what the protocol does not have is told and changes nothing": (_, fold) => {
    const before = structuredClone({ ...fold.state });
    for (const method of ["session/auraChanged", "constructor", "__proto__", ""])
      expect(come(fold, method, durable(1, {}))).toBe("unrecognised:method");
    for (const params of [undefined, null, 7, "x", [], {}, { sessionId: 3 }])
      expect(come(fold, "item/started", params)).toBe("unrecognised:params");
    for (const params of [
      {},
      { item: null },
      { item: { itemId: 1 } },
      { item: { itemId: "i", revision: "2" } },
    ])
      expect(come(fold, "item/completed", durable(1, params))).toBe("unrecognised:params");
    for (const method of [
      ...[
        "item/delta",
        "turn/started",
        "turn/completed",
        "turn/unqueued",
        "turn/retracted",
        "turn/retryScheduled",
      ],
      ...["approval/requested", "approval/reviewing", "approval/updated", "approval/resolved", "view/gap"],
      ...["approval/request", "userInput/requested", "userInput/settled", "userInput/request"],
      ...["session/goalChanged", "session/nameChanged", "session/tokenUsage", "session/approvalModeChanged"],
      ...["session/branchChanged", "session/contextUsage", "session/modelChanged"],
      ...["session/reasoningEffortChanged", "session/todoListChanged"],
    ])
      expect(come(fold, method, durable(1, {})), method).toBe("unrecognised:params");
    expect(come(fold, "skill/changed", { sessionId: SESSION })).toBe("notFolded");
    expect(come(fold, "session/started", { session: {} })).toBe("notFolded");
    expect(come(fold, "usage/changed", undefined)).toBe("notFolded");
    expect({ ...fold.state }).toEqual(before);
  },
  "a frame of another session is refused": (_, fold) => {
    for (const method of ["item/started", "view/gap", "skill/changed", "session/auraChanged"])
      expect(come(fold, method, { ...durable(1, item(1)), sessionId: "other" })).toBe("foreignSession");
    expect(fold.state.items.size).toBe(0);
  },
  "unknown kinds, words and members are kept as they came": ({ shownItem }, fold) => {
    const odd = {
      itemId: "i1",
      kind: "hologram",
      revision: 1,
      status: "postponed",
      rings: [2, { deep: true }],
    };
    expect(come(fold, "item/completed", durable(1, { item: odd, extra: 1 }))).toBe("applied");
    expect(shownItem(fold.state.items.get("i1")!)).toBe(odd);
    fold.apply("turn/completed", durable(2, { turnId: "t", terminal: "evaporated", extra: 1 }));
    expect(fold.state.turns.get("t")?.completed).toMatchObject({ terminal: "evaporated", extra: 1 });
  },
  "names of every object are ordinary fields": ({ shownItem }, fold) => {
    fold.apply("item/started", ephemeral("0.1", item(1)));
    for (const [n, field] of [
      ["0.2", "__proto__"],
      ["0.3", "constructor.prototype.polluted"],
      ["0.4", "summary.4294967294"],
      ["0.5", "__proto__.polluted"],
    ] as const)
      fold.apply("item/delta", delta(n, "x", { field }));
    const shown = shownItem(fold.state.items.get("i1")!);
    expect(Object.hasOwn(shown, "__proto__")).toBe(true);
    expect(JSON.stringify(shown).length).toBeLessThan(300);
    expect({}).not.toHaveProperty("polluted");
    expect(Object).not.toHaveProperty("prototype.polluted");
  },
  "nothing is taken in after the session is gone": (kit, fold) => {
    fold.apply("item/started", durable(1, item(1)));
    fold.discard();
    expect(come(fold, "item/completed", durable(2, item(2, ENDED)))).toBe("refusedSessionDiscarded");
    expect(kit.isOpen(fold.state.items.get("i1")!.item)).toBe(true);
    fold.forget();
    expect(fold.state.discarded).toBe(true);
  },
};

/** Holds a fold to a rule. */
export function holds(kit: FoldModule, name: string): void {
  const rule = RULES[name];
  if (rule === undefined) throw new Error(`there is no rule "${name}"`);
  rule(kit, new kit.SessionFold(SESSION));
}
