import { describe, expect, it } from "vitest";
import { isClientError } from "../../../src/client/errors.js";
import {
  type CommandError,
  PendingCommandSet,
  type PendingCommandView,
  type PendingEntry,
} from "../../../src/client/pending/index.js";

const REJECTED: CommandError = { code: -32030, kind: "commandRejected", reason: "deferred_start_failed" };
const ABANDONED: CommandError = { ...REJECTED, reason: "abandoned" };
const OVERLOADED: CommandError = { code: -32001, kind: "overloaded" };
const INVALID: CommandError = { code: -32602, kind: "invalidParams", reason: "abandoned" };

/** A set with submits of these ids, each with the id in its words. */
function pending(...ids: string[]): PendingCommandSet<string> {
  const set = new PendingCommandSet<string>();
  for (const commandId of ids) set.submitted({ commandId, input: `words of ${commandId}` });
  return set;
}

const idsOf = (entries: readonly PendingEntry<unknown>[]): string[] =>
  entries.map((entry) => entry.commandId);

/** What a call throws where the session is lost. */
function discarded(call: () => unknown): boolean {
  try {
    call();
    return false;
  } catch (error) {
    return isClientError(error) && error.kind === "sessionDiscarded";
  }
}

describe("a submit", () => {
  it("is a row from before it is sent", () => {
    const set = new PendingCommandSet<string[]>();
    const input = ["hello"];
    set.submitted({ commandId: "a", input, displayText: "Hello", anchorAfterItemId: "i7" });
    set.submitted({ commandId: "b", input: [] });
    expect(set.list()).toEqual([
      { commandId: "a", input: ["hello"], displayText: "Hello", anchorAfterItemId: "i7", submissionIndex: 0 },
      { commandId: "b", input: [], anchorAfterItemId: null, submissionIndex: 1 },
    ]);
    expect(set.get("a")?.input).toBe(input);
    expect([set.size, set.has("a"), set.has("z"), set.get("z"), set.discarded]).toEqual([
      2,
      true,
      false,
      undefined,
      false,
    ]);
  });

  it("of an id that is pending changes nothing, and takes no number", () => {
    const set = new PendingCommandSet<string>();
    set.submitted({ commandId: "a", input: "first", anchorAfterItemId: "i1" });
    set.submitted({ commandId: "a", input: "second", anchorAfterItemId: "i2", displayText: "Second" });
    set.submitted({ commandId: "b", input: "other" });
    expect(set.get("a")).toEqual({
      commandId: "a",
      input: "first",
      anchorAfterItemId: "i1",
      submissionIndex: 0,
    });
    expect(set.get("b")?.submissionIndex).toBe(1);
  });

  it("can be read through the view that a session lends out", () => {
    const view: PendingCommandView<string> = pending("a");
    expect(view.size).toBe(1);
  });
});

describe("an ack", () => {
  it("is kept, without the rest of the answer, and retires nothing", () => {
    const set = pending("a");
    const answer = {
      commandId: "a",
      status: "accepted",
      turnId: "t1",
      disposition: "queued",
      startedNewTurn: false,
    };
    set.acked("a", answer);
    expect(set.get("a")?.ack).toEqual({ turnId: "t1", disposition: "queued" });
    set.acked("a", { turnId: "t1", disposition: "started" });
    expect(set.get("a")?.ack).toEqual({ turnId: "t1", disposition: "started" });
    expect(set.size).toBe(1);
  });

  it("of an id that is not pending is ignored", () => {
    const set = pending("a");
    set.acked("z", { turnId: "t1", disposition: "started" });
    expect(idsOf(set.list())).toEqual(["a"]);
  });

  it("leaves rows alone that were read before", () => {
    const set = pending("a");
    const before = set.get("a");
    set.acked("a", { turnId: "t1", disposition: "started" });
    expect(before).not.toHaveProperty("ack");
  });
});

describe("an error", () => {
  it("that is a durable rejection retires, and hands the words back", () => {
    const set = pending("a");
    expect(set.ackErrored("a", REJECTED)).toEqual({
      kind: "rejected",
      commandId: "a",
      reason: "deferred_start_failed",
      input: "words of a",
      restoreToComposer: true,
    });
    expect(set.size).toBe(0);
    expect(set.ackErrored("a", REJECTED)).toBe("held");
  });

  it("for an intake without a settlement retires as abandoned", () => {
    expect(pending("a").ackErrored("a", ABANDONED)).toEqual({
      kind: "abandoned",
      commandId: "a",
      input: "words of a",
      restoreToComposer: true,
    });
  });

  it.each([
    ["a code alone", { code: -32030, kind: "unheardOf", reason: "x" }, "x"],
    ["a kind alone", { code: 7, kind: "commandRejected", reason: "x" }, "x"],
    ["no reason", { code: -32030, kind: "commandRejected" }, ""],
    ["a reason that is undefined", { code: -32030, kind: "commandRejected", reason: undefined }, ""],
    ["a reason that nobody knows", { ...REJECTED, reason: "from_the_future" }, "from_the_future"],
  ])("with %s is a rejection", (_, error, reason) => {
    expect(PendingCommandSet.isSettlement(error)).toBe(true);
    expect(pending("a").ackErrored("a", error)).toMatchObject({ kind: "rejected", reason });
  });

  it.each([OVERLOADED, INVALID, { code: -32024, kind: "sessionNotLoaded" }])(
    "of kind $kind holds",
    (error) => {
      const set = pending("a");
      expect(PendingCommandSet.isSettlement(error)).toBe(false);
      expect(set.ackErrored("a", error)).toBe("held");
      expect(set.has("a")).toBe(true);
    },
  );
});

describe("the view", () => {
  it("retires an entry by its message, once", () => {
    const set = pending("a", "b");
    expect(set.observedUserMessage("a", "i3")).toEqual({
      kind: "materialized",
      commandId: "a",
      matchedBy: "userMessage",
      itemId: "i3",
    });
    expect(set.observedUserMessage("a", "i3")).toBeUndefined();
    expect(idsOf(set.list())).toEqual(["b"]);
  });

  it("shows the message of another client, which is no entry's", () => {
    expect(pending("a").observedUserMessage("foreign", "i1")).toBeUndefined();
  });

  it("retires an entry whose turn was taken back", () => {
    const set = pending("a");
    expect(set.observedReclaim("z")).toBeUndefined();
    expect(set.observedReclaim("a")).toEqual({
      kind: "reclaimed",
      commandId: "a",
      input: "words of a",
      restoreToComposer: true,
    });
    expect(set.size).toBe(0);
  });

  it("asks, when a turn moves, for a replay of what is queued for another turn", () => {
    const set = pending("own", "queued", "unanswered", "started", "steered", "odd");
    set.acked("own", { turnId: "t1", disposition: "queued" });
    set.acked("queued", { turnId: "t2", disposition: "queued" });
    set.acked("started", { turnId: "t3", disposition: "started" });
    set.acked("steered", { turnId: "t4", disposition: "steered" });
    set.acked("odd", { turnId: "t5", disposition: "somewhere" });
    expect(set.observedQueueMovement("t1")).toEqual(["queued"]);
    expect(set.observedQueueMovement("t9")).toEqual(["own", "queued"]);
    expect(set.size).toBe(6);
  });
});

describe("a client that stops retrying", () => {
  it("gets the words back", () => {
    const set = pending("a");
    expect(set.stopRetrying("a")).toEqual({
      kind: "retryAbandonedByClient",
      commandId: "a",
      input: "words of a",
      restoreToComposer: true,
    });
    expect(set.stopRetrying("a")).toBeUndefined();
  });

  it("may submit the id again, as a new entry", () => {
    const set = pending("a");
    set.stopRetrying("a");
    set.submitted({ commandId: "a", input: "anew" });
    expect(set.get("a")).toMatchObject({ input: "anew", submissionIndex: 1 });
  });
});

describe("the answer to a replay", () => {
  it("that is an ack is kept", () => {
    const set = pending("a");
    const ack = { turnId: "t1", disposition: "queued" };
    expect(set.replayAnswered("a", { kind: "ack", ack })).toBe("held");
    expect(set.get("a")?.ack).toEqual(ack);
  });

  it("that is a durable rejection retires", () => {
    expect(pending("a").replayAnswered("a", { kind: "error", error: ABANDONED })).toMatchObject({
      kind: "abandoned",
    });
  });

  it("that is another error holds", () => {
    const set = pending("a");
    expect(set.replayAnswered("a", { kind: "error", error: OVERLOADED })).toBe("held");
    expect(set.has("a")).toBe(true);
  });

  it("for an id that is not pending changes nothing", () => {
    const set = pending("a");
    expect(set.replayAnswered("z", { kind: "error", error: REJECTED })).toBe("held");
    expect(set.replayAnswered("z", { kind: "ack", ack: { turnId: "t", disposition: "started" } })).toBe(
      "held",
    );
    expect(idsOf(set.list())).toEqual(["a"]);
  });
});

describe("a reconnect without a snapshot", () => {
  it("replays what has an ack, resubmits what has none, and retires nothing", () => {
    const set = pending("a", "b", "c");
    set.acked("b", { turnId: "t1", disposition: "started" });
    const plan = { retirements: [], mustReplay: ["b"], mustResubmit: ["a", "c"], kept: ["a", "b", "c"] };
    expect(set.reconnectedWithoutSnapshot()).toEqual(plan);
    expect(set.reconnectedWithoutSnapshot()).toEqual(plan);
  });
});

describe("the death of an ephemeral host", () => {
  it("retires all without the obligation to restore, and closes the set", () => {
    const set = pending("a", "b");
    expect(set.discardEphemeral()).toEqual([
      { kind: "terminalUnknown", commandId: "a", input: "words of a" },
      { kind: "terminalUnknown", commandId: "b", input: "words of b" },
    ]);
    expect([set.size, set.discarded]).toEqual([0, true]);
    expect(set.discardEphemeral()).toEqual([]);
    expect(discarded(() => set.submitted({ commandId: "new", input: "" }))).toBe(true);
    expect(set.size).toBe(0);
  });

  it("refuses the dead ids, and those alone, to every set that shares them", () => {
    const discardedCommandIds = new Set<string>();
    const dying = new PendingCommandSet<string>({ discardedCommandIds });
    dying.submitted({ commandId: "a", input: "" });
    dying.discardEphemeral();
    expect([...discardedCommandIds]).toEqual(["a"]);

    const next = new PendingCommandSet<string>({ discardedCommandIds });
    const ack = { kind: "ack", ack: { turnId: "t", disposition: "queued" } } as const;
    expect(discarded(() => next.submitted({ commandId: "a", input: "" }))).toBe(true);
    expect(discarded(() => next.replayAnswered("a", ack))).toBe(true);
    expect(discarded(() => next.resolveReplayAtJoin("a", ack, []))).toBe(true);
    expect(next.discarded).toBe(false);
    next.submitted({ commandId: "b", input: "" });
    expect(next.replayAnswered("b", ack)).toBe("held");
  });

  it("leaves a set that shares nothing alone", () => {
    const dying = pending("a");
    dying.discardEphemeral();
    expect(pending("a").size).toBe(1);
  });

  it("is asked about before the set's own closing", () => {
    const set = pending("a");
    set.discardEphemeral();
    expect(() => set.submitted({ commandId: "a", input: "" })).toThrow(/command a/);
    expect(() => set.submitted({ commandId: "b", input: "" })).toThrow(/takes no submits/);
  });
});
