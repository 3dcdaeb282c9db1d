import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isClientError } from "../../../src/client/errors.js";
import {
  isSavedPendingError,
  PendingCommandSet,
  type SavedPendingError,
} from "../../../src/client/pending/index.js";

/** A set with each member of an entry in use. */
function pending(): PendingCommandSet<unknown> {
  const set = new PendingCommandSet<unknown>();
  set.submitted({ commandId: "gone", input: 0 });
  set.submitted({ commandId: "a", input: { text: "hello" }, displayText: "Hello", anchorAfterItemId: "i1" });
  set.submitted({ commandId: "b", input: ["words"] });
  set.submitted({ commandId: "later gone", input: 0 });
  set.acked("a", { turnId: "a", disposition: "queued" });
  const queuedTurns = [{ turnId: "a", commandId: "a" }];
  set.joinSnapshot({ activeTurn: null, queuedTurns, userMessageCommandIds: [], lastItemId: "i2" });
  set.stopRetrying("gone");
  set.stopRetrying("later gone");
  return set;
}

const SAVED = {
  format: 1,
  entries: [
    {
      commandId: "a",
      input: { text: "hello" },
      displayText: "Hello",
      ack: { turnId: "a", disposition: "queued" },
      anchorAfterItemId: "i2",
      submissionIndex: 1,
      queuedOrder: 0,
    },
    { commandId: "b", input: ["words"], anchorAfterItemId: null, submissionIndex: 2 },
  ],
  nextSubmissionIndex: 4,
};

/** The error of a call that cannot save or restore. */
function faultOf(call: () => unknown): SavedPendingError {
  try {
    call();
  } catch (error) {
    if (isSavedPendingError(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** The saved value with one place changed; undefined removes the member. */
function changed(path: readonly (string | number)[], value: unknown): unknown {
  const copy: unknown = structuredClone(SAVED);
  let place = copy as Record<string | number, unknown>;
  for (const step of path.slice(0, -1)) place = place[step] as Record<string | number, unknown>;
  const last = path.at(-1)!;
  if (value === undefined) delete place[last];
  else place[last] = value;
  return copy;
}

describe("a saved set", () => {
  it("is this JSON value", () => {
    expect(pending().save()).toEqual(SAVED);
    expect(JSON.parse(JSON.stringify(pending().save()))).toEqual(SAVED);
  });

  it("goes on after a restart: same ids, acks, places and numbers", () => {
    const before = pending();
    const after = PendingCommandSet.restore(JSON.parse(JSON.stringify(before.save())));
    expect(after.list()).toEqual(before.list());
    expect(after.reconnectedWithoutSnapshot()).toMatchObject({ mustReplay: ["a"], mustResubmit: ["b"] });
    expect(after.observedQueueMovement("t")).toEqual(["a"]);
    after.submitted({ commandId: "c", input: 0 });
    expect(after.get("c")?.submissionIndex).toBe(4);
    expect(after.save().nextSubmissionIndex).toBe(5);
  });

  it("is independent of the set, and the restored one of it", () => {
    const input = { text: "hello" };
    const set = new PendingCommandSet<{ text: string }>();
    set.submitted({ commandId: "a", input });
    const saved = set.save();
    const restored = PendingCommandSet.restore<{ text: string }>(saved);
    input.text = "changed";
    expect(saved.entries[0]?.input).toEqual({ text: "hello" });
    (saved.entries[0]?.input as { text: string }).text = "changed";
    expect(restored.get("a")?.input).toEqual({ text: "hello" });
  });

  it("may be empty", () => {
    const saved = new PendingCommandSet().save();
    expect(saved).toEqual({ format: 1, entries: [], nextSubmissionIndex: 0 });
    expect(PendingCommandSet.restore(saved).size).toBe(0);
  });

  it("can carry inputs that JSON has no form for, given a writer and a reader", () => {
    const set = new PendingCommandSet<Map<string, number>>();
    set.submitted({ commandId: "a", input: new Map([["x", 1]]) });
    const saved = set.save({ writeInput: (input) => [...input] });
    const restored = PendingCommandSet.restore(saved, {
      readInput: (value) => new Map(value as [string, number][]),
    });
    expect(restored.get("a")?.input).toEqual(new Map([["x", 1]]));
  });

  it("brings back every JSON value that was submitted", () => {
    let runs = 0;
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        const set = new PendingCommandSet<unknown>();
        set.submitted({ commandId: "a", input });
        const restored = PendingCommandSet.restore(JSON.parse(JSON.stringify(set.save())));
        expect(restored.stopRetrying("a")).toMatchObject({ restoreToComposer: true });
        const again = PendingCommandSet.restore(set.save()).get("a")?.input;
        expect(JSON.stringify(again)).toBe(JSON.stringify(input));
        runs++;
      }),
      { numRuns: 300, seed: 1 },
    );
    expect(runs).toBe(300);
  });

  it.each([
    ["undefined", undefined],
    ["a function", () => 0],
    ["a big integer", 1n],
    ["NaN", { n: Number.NaN }],
    ["a date", { at: new Date(0) }],
    ["a map", new Map([[1, 2]])],
    ["a set", { of: new Set([1]) }],
    ["bytes", new Uint8Array([1])],
    ["a hole", new Array(2)],
    ["undefined in a list", [undefined]],
    ["a function in an object", { f: () => 0 }],
    ["something that writes itself", { toJSON: () => "other" }],
  ])("is refused rather than written with %s changed", (_, input) => {
    const set = new PendingCommandSet<unknown>();
    set.submitted({ commandId: "a", input: "fine" });
    set.submitted({ commandId: "b", input });
    expect(faultOf(() => set.save())).toMatchObject({ kind: "unsavableInput", where: "/entries/1/input" });
    expect(set.size).toBe(2);
  });

  it("is refused with a circle in it", () => {
    const input: unknown[] = [];
    input.push(input);
    const set = new PendingCommandSet<unknown>();
    set.submitted({ commandId: "a", input });
    expect(faultOf(() => set.save()).kind).toBe("unsavableInput");
  });

  it("leaves members out that are undefined", () => {
    const set = new PendingCommandSet<unknown>();
    set.submitted({ commandId: "a", input: { text: "x", effort: undefined } });
    expect(set.save().entries[0]?.input).toStrictEqual({ text: "x" });
  });
});

describe("what is restored", () => {
  const E0 = ["entries", 0] as const;

  it.each<[why: string, value: unknown, where: string]>([
    ["is no object", "text", ""],
    ["is null", null, ""],
    ["is a list", [], ""],
    ["has no format", changed(["format"], undefined), ""],
    ["has another format", changed(["format"], 2), "/format"],
    ["has the format as text", changed(["format"], "1"), "/format"],
    ["has no entries", changed(["entries"], undefined), ""],
    ["has entries that are no list", changed(["entries"], {}), "/entries"],
    ["has no next index", changed(["nextSubmissionIndex"], undefined), ""],
    ["has a broken next index", changed(["nextSubmissionIndex"], 4.5), "/nextSubmissionIndex"],
    ["has a next index that is taken", changed(["nextSubmissionIndex"], 2), "/entries/1/submissionIndex"],
    ["has a member of no meaning", changed(["extra"], 1), ""],
    ["has a row that is no object", changed(["entries", 1], "b"), "/entries/1"],
    ["has a hole among its rows", changed(["entries"], new Array(2)), "/entries/0"],
    ["has a row of another meaning", changed([...E0, "extra"], 1), "/entries/0"],
    ["has a row without an id", changed([...E0, "commandId"], undefined), "/entries/0"],
    ["has an id that is no text", changed([...E0, "commandId"], 1), "/entries/0/commandId"],
    ["has one id twice", changed(["entries", 1, "commandId"], "a"), "/entries/1/commandId"],
    ["has a row without an input", changed([...E0, "input"], undefined), "/entries/0"],
    ["has an input that JSON has no form for", changed([...E0, "input"], new Map()), "/entries/0/input"],
    ["has a display text that is no text", changed([...E0, "displayText"], null), "/entries/0/displayText"],
    ["has an ack that is null", changed([...E0, "ack"], null), "/entries/0/ack"],
    ["has an ack without its turn", changed([...E0, "ack", "turnId"], undefined), "/entries/0/ack"],
    ["has an ack with more", changed([...E0, "ack", "status"], "accepted"), "/entries/0/ack"],
    ["has an odd disposition", changed([...E0, "ack", "disposition"], 1), "/entries/0/ack/disposition"],
    ["has no anchor", changed([...E0, "anchorAfterItemId"], undefined), "/entries/0"],
    ["has an odd anchor", changed([...E0, "anchorAfterItemId"], 1), "/entries/0/anchorAfterItemId"],
    ["has no submission index", changed([...E0, "submissionIndex"], undefined), "/entries/0"],
    [
      "has a negative submission index",
      changed([...E0, "submissionIndex"], -1),
      "/entries/0/submissionIndex",
    ],
    ["has its rows out of order", changed([...E0, "submissionIndex"], 2), "/entries/1/submissionIndex"],
    ["has an odd place in the queue", changed([...E0, "queuedOrder"], "0"), "/entries/0/queuedOrder"],
  ])("is refused when it %s", (_, value, where) => {
    const fault = faultOf(() => PendingCommandSet.restore(value));
    expect(fault).toMatchObject({ kind: "invalidSavedState", where });
    expect(fault.why).not.toBe("");
  });

  it("may have a disposition that nobody knows, which is kept", () => {
    const set = PendingCommandSet.restore(changed([...E0, "ack", "disposition"], "somewhere"));
    expect(set.get("a")?.ack?.disposition).toBe("somewhere");
  });

  it("is refused where the reader of inputs refuses", () => {
    const readInput = (): never => {
      throw new Error("not mine");
    };
    expect(faultOf(() => PendingCommandSet.restore(SAVED, { readInput }))).toMatchObject({
      kind: "invalidSavedState",
      where: "/entries/0/input",
      why: "not mine",
    });
  });

  it("is refused where an id of it died with an ephemeral host", () => {
    let thrown: unknown;
    try {
      PendingCommandSet.restore(SAVED, { discardedCommandIds: new Set(["b"]) });
    } catch (error) {
      thrown = error;
    }
    expect(isClientError(thrown) && thrown.kind).toBe("sessionDiscarded");
  });

  it("of an ephemeral session can be shown as unknown and is then dead", () => {
    const discardedCommandIds = new Set<string>();
    const set = PendingCommandSet.restore(SAVED, { discardedCommandIds });
    expect(set.discardEphemeral().map(({ kind }) => kind)).toEqual(["terminalUnknown", "terminalUnknown"]);
    expect([...discardedCommandIds].sort()).toEqual(["a", "b"]);
  });
});
