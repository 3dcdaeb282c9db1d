import { describe, expect, it } from "vitest";
import type { SnapshotState } from "../../../generated/msp/stable/types.js";
import {
  type Ack,
  PendingCommandSet,
  type ReplayAnswer,
  type SnapshotJoinFacts,
} from "../../../src/client/pending/index.js";

const EMPTY: SnapshotJoinFacts = {
  activeTurn: null,
  queuedTurns: [],
  userMessageCommandIds: [],
  lastItemId: null,
};

/** A set of entries, in this order, each with its ack or none. */
function pending(acks: Readonly<Record<string, Ack | undefined>>): PendingCommandSet<string> {
  const set = new PendingCommandSet<string>();
  for (const [commandId, ack] of Object.entries(acks)) {
    set.submitted({ commandId, input: `words of ${commandId}`, anchorAfterItemId: "before" });
    if (ack !== undefined) set.acked(commandId, ack);
  }
  return set;
}

const queued = (turnId: string): Ack => ({ turnId, disposition: "queued" });

describe("a snapshot", () => {
  it("retires what is among its messages", () => {
    const set = pending({ a: undefined, b: queued("b") });
    const userMessageCommandIds = [
      { commandId: "foreign", itemId: "i1" },
      { commandId: "b", itemId: "i2" },
      { commandId: "a", itemId: "i3" },
    ];
    expect(set.joinSnapshot({ ...EMPTY, userMessageCommandIds })).toEqual({
      retirements: [
        { kind: "materialized", commandId: "a", matchedBy: "userMessage", itemId: "i3" },
        { kind: "materialized", commandId: "b", matchedBy: "userMessage", itemId: "i2" },
      ],
      mustReplay: [],
      mustResubmit: [],
      kept: [],
    });
    expect(set.size).toBe(0);
  });

  it("retires what its running turn came from, acked or not", () => {
    const set = pending({ a: undefined });
    expect(set.joinSnapshot({ ...EMPTY, activeTurn: { turnId: "t", commandId: "a" } }).retirements).toEqual([
      { kind: "materialized", commandId: "a", matchedBy: "activeTurn" },
    ]);
  });

  it("keeps what is in its queue, in the order of the queue, below the last item", () => {
    const set = pending({ a: queued("a"), b: undefined, c: queued("c") });
    const queuedTurns = ["c", "foreign", "b"].map((id) => ({ turnId: id, commandId: id }));
    const plan = set.joinSnapshot({ ...EMPTY, queuedTurns, lastItemId: "last" });
    expect(plan).toEqual({ retirements: [], mustReplay: ["a"], mustResubmit: [], kept: ["a", "c", "b"] });
    expect(set.list()).toMatchObject([
      { commandId: "a", anchorAfterItemId: "before" },
      { commandId: "c", queuedOrder: 0, anchorAfterItemId: "last" },
      { commandId: "b", queuedOrder: 2, anchorAfterItemId: "last" },
    ]);
  });

  it("keeps a steer of its running turn that it does not show yet, where it was", () => {
    const set = pending({ a: { turnId: "t", disposition: "steered" } });
    const activeTurn = { turnId: "t", commandId: "other" };
    expect(set.joinSnapshot({ ...EMPTY, activeTurn, lastItemId: "last" })).toEqual({
      retirements: [],
      mustReplay: [],
      mustResubmit: [],
      kept: ["a"],
    });
    expect(set.get("a")).toMatchObject({ anchorAfterItemId: "before" });
  });

  it("without a trace of an entry asks for a replay where it was acked, for a resubmit where not", () => {
    const set = pending({ a: undefined, b: queued("b"), c: { turnId: "t", disposition: "started" } });
    const plan = { retirements: [], mustReplay: ["b", "c"], mustResubmit: ["a"], kept: ["a", "b", "c"] };
    expect(set.joinSnapshot({ ...EMPTY, activeTurn: { turnId: "u", commandId: "other" } })).toEqual(plan);
    // And again each time that it is joined.
    expect(set.joinSnapshot(EMPTY)).toEqual(plan);
  });

  it("counts a message above the running turn, that above the queue, and the queue above a steer", () => {
    const turn = { turnId: "t", commandId: "a" };
    const everything: SnapshotJoinFacts = {
      activeTurn: turn,
      queuedTurns: [turn],
      userMessageCommandIds: [{ commandId: "a", itemId: "i" }],
      lastItemId: null,
    };
    const armOf = (facts: SnapshotJoinFacts): unknown => {
      const set = pending({ a: queued("t") });
      const { retirements, mustReplay } = set.joinSnapshot(facts);
      return retirements[0] ?? (mustReplay.length > 0 ? "replay" : set.get("a")?.queuedOrder);
    };
    expect(armOf(everything)).toMatchObject({ matchedBy: "userMessage" });
    expect(armOf({ ...everything, userMessageCommandIds: [] })).toMatchObject({ matchedBy: "activeTurn" });
    const steered = { turnId: "t", commandId: "other" };
    expect(armOf({ ...everything, userMessageCommandIds: [], activeTurn: steered })).toBe(0);
    expect(armOf({ ...EMPTY, activeTurn: steered })).toBeUndefined();
    expect(armOf(EMPTY)).toBe("replay");
  });

  it("takes back the place in the queue that an earlier one gave", () => {
    const set = pending({ a: queued("a"), b: queued("b") });
    const queueOf = (...ids: string[]) => ids.map((id) => ({ turnId: id, commandId: id }));
    set.joinSnapshot({ ...EMPTY, queuedTurns: queueOf("b", "a") });
    expect(set.list().map(({ commandId }) => commandId)).toEqual(["b", "a"]);
    const plan = set.joinSnapshot({ ...EMPTY, queuedTurns: queueOf("b") });
    expect(plan.kept).toEqual(["a", "b"]);
    expect(set.get("a")).not.toHaveProperty("queuedOrder");
  });

  it("gives its facts by members of the generated type, as they are", () => {
    const state: Pick<SnapshotState, "activeTurn" | "queuedTurns"> = {
      activeTurn: null,
      queuedTurns: [{ turnId: "a", commandId: "a", displayText: "A", truncated: true }],
    };
    const set = pending({ a: undefined });
    expect(set.joinSnapshot({ ...EMPTY, ...state }).kept).toEqual(["a"]);
    expect(set.get("a")?.queuedOrder).toBe(0);
  });
});

describe("the answer to a replay that a join asked for", () => {
  const answered = (answer: ReplayAnswer, queue: Iterable<string>) => {
    const set = pending({ a: queued("a") });
    return { told: set.resolveReplayAtJoin("a", answer, queue), entry: set.get("a") };
  };
  const ack = (disposition: string): ReplayAnswer => ({ kind: "ack", ack: { turnId: "t", disposition } });

  it("that is an old queued ack, of a turn that waits no more, tells of a reclaim", () => {
    const { told, entry } = answered(ack("queued"), ["other"]);
    expect(told).toEqual({ kind: "reclaimed", commandId: "a", input: "words of a", restoreToComposer: true });
    expect(entry).toBeUndefined();
  });

  it.each([
    ["a queued ack of a turn that waits", ack("queued"), ["other", "a"]],
    ["a started ack", ack("started"), []],
    ["an ack that nobody knows", ack("somewhere"), []],
  ])("that is %s is kept", (_, answer, queue) => {
    const { told, entry } = answered(answer, new Set(queue));
    expect(told).toBe("held");
    expect(entry?.ack).toEqual(answer.kind === "ack" && answer.ack);
  });

  it("that is a durable rejection retires", () => {
    const error = { code: -32030, kind: "commandRejected", reason: "deferred_start_failed" };
    expect(answered({ kind: "error", error }, ["a"]).told).toMatchObject({
      kind: "rejected",
      input: "words of a",
    });
  });

  it("that is another error holds", () => {
    const { told, entry } = answered({ kind: "error", error: { code: -32001, kind: "overloaded" } }, []);
    expect(told).toBe("held");
    expect(entry?.ack).toEqual(queued("a"));
  });

  it("for an id that is not pending changes nothing", () => {
    const set = pending({ a: undefined });
    expect(set.resolveReplayAtJoin("z", ack("queued"), [])).toBe("held");
    expect(set.size).toBe(1);
  });
});
