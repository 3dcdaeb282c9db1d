/** How a hole is filled: what is asked for, where it ends, and what is told when it cannot be. */
import { describe, expect, it } from "vitest";
import * as kit from "../../../src/client/fold/index.js";
import { loadTranscript } from "../../../src/transcripts/index.js";
import { hasReference } from "../../support/repo.js";
import { OWN_TRANSCRIPTS, REFERENCE_TRANSCRIPTS } from "../../support/transcripts.js";
import { cursorAt, durable, hostFrames, type Params, SESSION, sessionOf, word } from "./session.js";

/** An event that brings an item of its own. */
function event(n: number): { readonly method: string; readonly params: Params } {
  const item = { itemId: `i${n}`, kind: "agentMessage", revision: 1, status: "completed" };
  return { method: "item/completed", params: durable(n, { item }) };
}

function page(from: number, to: number, next: number | null): unknown {
  const events = Array.from({ length: to - from + 1 }, (_, i) => event(from + i));
  return { events, nextCursor: next === null ? null : cursorAt(next) };
}

interface Asked {
  readonly params: unknown;
  readonly answer: (page: unknown) => Promise<void>;
  readonly refuse: (cause: unknown) => Promise<void>;
}

/** A follower, what it asks for, and what it tells. */
function follow(options: kit.ViewFollowerOptions = {}) {
  const asked: Asked[] = [];
  const errors: kit.GapError[] = [];
  const late: string[] = [];
  const soon = async () => {
    for (let i = 0; i < 6; i++) await Promise.resolve();
  };
  const pager: kit.Pager = (params) =>
    new Promise((resolve, reject) =>
      asked.push({
        params,
        answer: (page) => {
          resolve(page as Awaited<ReturnType<kit.Pager>>);
          return soon();
        },
        refuse: (cause) => {
          reject(cause);
          return soon();
        },
      }),
    );
  const fold = new kit.SessionFold(SESSION);
  const follower = new kit.ViewFollower(fold, {
    page: pager,
    onGapError: (error) => errors.push(error),
    onFolded: (method, params, outcome) =>
      late.push(`${method} ${(params as Params)["viewCursor"]} ${word(outcome)}`),
    ...options,
  });
  const live = (...ns: number[]) => ns.map((n) => word(follower.receive(event(n).method, event(n).params)));
  const gap = (after: number | string, next: number | string) =>
    word(follower.receive("view/gap", { sessionId: SESSION, after: cursorAt(after), next: cursorAt(next) }));
  const items = () => [...fold.state.items.keys()];
  return { asked, errors, late, pager, fold, follower, live, gap, items };
}

describe("a hole", () => {
  it("is paged in while live frames wait, and each of them is folded once", async () => {
    const { asked, fold, follower, live, gap, items, late, errors } = follow();
    expect(live(1, 2)).toEqual(["applied", "applied"]);
    expect(live(5)).toEqual(["applied"]);
    expect(gap(2, 5)).toBe("gapOpened");
    expect(live(6, 7)).toEqual(["held", "held"]);
    expect(asked.map(({ params }) => params)).toEqual([
      { sessionId: SESSION, cursor: cursorAt(2), limit: kit.PAGE_LIMIT },
    ]);
    await asked[0]!.answer(page(3, 3, 3));
    expect(asked[1]!.params).toEqual({ sessionId: SESSION, cursor: cursorAt(3), limit: kit.PAGE_LIMIT });
    await asked[1]!.answer(page(4, 6, 6));
    expect(asked).toHaveLength(2);
    expect(follower.recovering).toBe(false);
    expect(fold.current).toBe(true);
    // The frame with which delivery went on keeps its place in the order.
    expect(items()).toEqual(["i1", "i2", "i3", "i4", "i5", "i6", "i7"]);
    expect(late.map((line) => line.replace("item/completed v:s1:", ""))).toEqual([
      ...["3 applied", "4 applied", "5 ignoredStale", "6 applied", "6 ignoredDuplicate", "7 applied"],
    ]);
    expect(errors).toEqual([]);
    expect(gap(2, 5), "told twice").toBe("ignoredStale");
    expect(follower.recovering).toBe(false);
  });

  it("refuses what was read ahead once, and takes what comes after it", async () => {
    const { asked, live, gap } = follow();
    live(1);
    gap(1, 3);
    await asked[0]!.answer(page(2, 5, null));
    expect(live(3, 4, 5, 5)).toEqual([
      ...["ignoredDuplicate", "ignoredDuplicate", "ignoredDuplicate", "ignoredStale"],
    ]);
    expect(live(6)).toEqual(["applied"]);
  });

  it("ends with the view where it ended in events that are not stored", async () => {
    const { asked, fold, gap } = follow();
    gap(0, "3.1");
    await asked[0]!.answer(page(1, 3, null));
    expect(fold.current).toBe(true);
  });

  it("that grows is walked on from its beginning to its new end", async () => {
    const { asked, live, gap, fold, items } = follow();
    gap(0, 3);
    live(3, 4);
    expect(gap(4, 7)).toBe("gapExtended");
    expect(gap(4, 7)).toBe("ignoredStale");
    live(7);
    await asked[0]!.answer(page(1, 4, 4));
    expect(asked[1]!.params).toMatchObject({ cursor: cursorAt(4) });
    await asked[1]!.answer(page(5, 7, null));
    expect(fold.current).toBe(true);
    expect(items()).toEqual(["i1", "i2", "i3", "i4", "i5", "i6", "i7"]);
  });

  it("that grew while the last page was under way is asked for again from the last event", async () => {
    const { asked, gap, fold } = follow();
    gap(0, "2.1");
    expect(gap("2.1", "3.1")).toBe("gapExtended");
    await asked[0]!.answer(page(1, 2, null));
    expect(asked[1]!.params).toMatchObject({ cursor: cursorAt(2) });
    await asked[1]!.answer({ events: [], nextCursor: null });
    expect(fold.current).toBe(true);
  });

  it.each([
    ["an empty page that goes on", { events: [], nextCursor: cursorAt(2) }, "pageStalled"],
    ["a page that goes on where it began", { events: [event(1)], nextCursor: cursorAt(0) }, "pageStalled"],
    ["a page that does not say where it ends", { events: [event(1)] }, "pageStalled"],
    ["a page that goes on at a number", { events: [event(1)], nextCursor: 2 }, "pageStalled"],
    ["no events", { nextCursor: null }, "pageFailed"],
    ["no page", null, "pageFailed"],
    ["an event without params", { events: [{ method: "item/started" }], nextCursor: null }, "pageFailed"],
    [
      "an event without a cursor",
      { events: [{ method: "item/started", params: { sessionId: SESSION } }], nextCursor: null },
      "pageFailed",
    ],
    [
      "an event of another session",
      { events: [{ ...event(1), params: { ...event(1).params, sessionId: "other" } }], nextCursor: null },
      "pageFailed",
    ],
  ])("stays where the host answers %s, and delivery goes on", async (_, answer, kind) => {
    const { asked, errors, fold, follower, live, gap, items } = follow();
    gap(0, 3);
    live(3);
    await asked[0]!.answer(answer);
    const after = cursorAt(0);
    expect(errors).toEqual([{ kind, sessionId: SESSION, after, next: cursorAt(3) }]);
    expect(follower.recovering).toBe(false);
    expect(fold.current).toBe(false);
    expect(fold.resumeCursor).toBe(after);
    expect(items()).toContain("i3");
    expect(live(4)).toEqual(["applied"]);
  });

  it("stays where the host answers an error, and is filled when it is tried again", async () => {
    const { asked, errors, fold, follower, live, gap } = follow();
    const cause = new Error("viewTruncated");
    gap(0, 3);
    await asked[0]!.refuse(cause);
    expect(errors).toMatchObject([{ kind: "pageFailed", cause }]);
    const later = durable(4, { modelId: "new", providerId: null, source: "user" });
    follower.receive("session/modelChanged", later);
    expect(gap(0, 3)).toBe("ignoredStale");
    expect(asked).toHaveLength(1);

    const again = follower.retry();
    await Promise.resolve();
    const earlier = durable(2, { modelId: "old", providerId: null, source: "user" });
    await asked[1]!.answer({
      events: [{ method: "session/modelChanged", params: earlier }],
      nextCursor: cursorAt(2),
    });
    await asked[2]!.answer({ events: [event(3)], nextCursor: cursorAt(3) });
    // Up to the head: what was folded since is gone through again, so that the later state stands.
    await asked[3]!.answer({ events: [{ method: "session/modelChanged", params: later }], nextCursor: null });
    expect(await again).toBeUndefined();
    expect(fold.state.states.effectiveModel?.value).toMatchObject({ modelId: "new" });
    expect(fold.current).toBe(true);
    expect(live(5)).toEqual(["applied"]);
    expect(await follower.retry()).toBeUndefined();
    expect(asked).toHaveLength(4);
  });

  it("stays where the pager throws", async () => {
    const { errors, follower, gap } = follow({
      page: () => {
        throw new Error("not today");
      },
    });
    gap(0, 3);
    await follower.settled();
    expect(errors).toMatchObject([{ kind: "pageFailed" }]);
  });

  it("stays where there is no connection, and when it is lost", async () => {
    const { asked, errors, fold, follower, live, gap, pager, items } = follow();
    gap(0, 3);
    live(3, 4);
    follower.disconnected();
    expect(errors).toMatchObject([{ kind: "noConnection" }]);
    expect(items()).toEqual(["i3", "i4"]);
    expect(await follower.retry()).toMatchObject({ kind: "noConnection", next: cursorAt(3) });
    // A page that comes too late changes nothing.
    await asked[0]!.answer(page(1, 3, null));
    expect(items()).toEqual(["i3", "i4"]);
    expect(asked).toHaveLength(1);
    follower.connected(pager);
    const again = follower.retry();
    await Promise.resolve();
    await asked[1]!.answer(page(1, 4, null));
    expect(await again).toBeUndefined();
    expect(fold.current).toBe(true);
  });

  it("keeps the frames of other sessions and approvals that wait in their order", async () => {
    const { asked, fold, follower, gap } = follow();
    gap(0, 3);
    const request = durable(2, { approvalId: "a1", itemId: "i1" });
    expect(word(follower.receive("approval/request", request))).toBe("held");
    expect(word(follower.receive("item/started", { ...request, sessionId: "other" }))).toBe("foreignSession");
    expect(word(follower.receive("usage/changed", undefined))).toBe("notFolded");
    await asked[0]!.answer({
      events: [{ method: "approval/requested", params: request }, event(3)],
      nextCursor: null,
    });
    expect(fold.state.approvals.get("a1")).toMatchObject({ state: "pending" });
  });
});

describe("a new anchor", () => {
  it("replaces what was known, but for requests that wait", async () => {
    const { asked, fold, live, gap, items, follower } = follow({ recovery: "reanchor" });
    live(1);
    follower.receive("approval/requested", durable(2, { approvalId: "a1" }));
    gap(2, 9);
    live(9);
    expect(asked[0]!.params).toEqual({
      sessionId: SESSION,
      anchor: "latestCompaction",
      limit: kit.PAGE_LIMIT,
    });
    const resolvedAnchor = { boundaryCursor: cursorAt(6) };
    await asked[0]!.answer({ ...(page(7, 8, 8) as object), resolvedAnchor });
    expect(items()).toEqual(["i1"]);
    await asked[1]!.answer(page(9, 10, null));
    expect(items()).toEqual(["i7", "i8", "i9", "i10"]);
    expect(fold.state.approvals.get("a1")?.state).toBe("pending");
    expect(fold.current).toBe(true);
    expect(live(10, 11)).toEqual(["ignoredDuplicate", "applied"]);
  });

  it("leaves what was known where there is none", async () => {
    const { asked, errors, fold, live, gap, items } = follow({ recovery: "reanchor" });
    live(1);
    gap(1, 9);
    live(9);
    await asked[0]!.refuse(new Error("noBoundary"));
    expect(errors).toMatchObject([{ kind: "pageFailed" }]);
    expect(items()).toEqual(["i1", "i9"]);
    expect(fold.current).toBe(false);
  });

  it("may be the start of the view", async () => {
    const { asked, follower, live, items } = follow();
    live(7);
    const read = follower.pageFromStart();
    await Promise.resolve();
    expect(asked[0]!.params).toEqual({ sessionId: SESSION, limit: kit.PAGE_LIMIT });
    expect(live(8)).toEqual(["held"]);
    await asked[0]!.answer(page(1, 7, null));
    expect(await read).toBeUndefined();
    expect(items()).toEqual(["i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8"]);
    const again = follower.pageFromStart();
    await Promise.resolve();
    await asked[1]!.answer(null);
    expect(await again).toEqual({
      kind: "pageFailed",
      sessionId: SESSION,
      after: undefined,
      next: undefined,
    });
    expect(items()).toHaveLength(8);
  });
});

/** Plays the host's frames of a recording with holes; its pages are answered as they were recorded. */
async function recorded(folder: string, recovery: kit.GapRecovery) {
  const transcript = loadTranscript(folder);
  const frames = transcript.lines.map(({ raw }) => JSON.parse(raw) as Params);
  const pages = frames.flatMap(({ result }) =>
    Array.isArray((result as Params | undefined)?.["events"])
      ? [result as Awaited<ReturnType<kit.Pager>>]
      : [],
  );
  const fold = new kit.SessionFold(sessionOf(transcript) ?? "");
  const errors: kit.GapError[] = [];
  const follower = new kit.ViewFollower(fold, {
    recovery,
    page: async () => pages.shift()!,
    onGapError: (error) => errors.push(error),
  });
  for (const { method, params } of hostFrames(transcript)) follower.receive(method, params);
  await follower.settled();
  expect(errors).toEqual([]);
  expect(pages).toEqual([]);
  expect(fold.current).toBe(true);
  const last = hostFrames(transcript).at(-1)?.params["viewCursor"];
  expect(fold.state.head).toBe(last);
  return [...fold.state.items.values()].map(({ item }) => item.text ?? item.kind);
}

describe("the golden sessions with holes", () => {
  it("are spliced", async () => {
    const texts = await recorded(`${OWN_TRANSCRIPTS}/gap-splice-fill`, "splice");
    expect(texts).toHaveLength(5);
    expect(texts.at(-1)).toBe("One pond of two can feed the drip lines.");
  });

  it("are anchored anew", async () => {
    const texts = await recorded(`${OWN_TRANSCRIPTS}/gap-reanchor`, "reanchor");
    expect(texts).toEqual(["Sorted up to 2021.", "All notes are sorted by pond."]);
  });
});

describe.skipIf(!hasReference)("the protocol's recordings with holes", () => {
  it("are spliced, in order", async () => {
    const texts = await recorded(`${REFERENCE_TRANSCRIPTS}/gap-recovery-splice-fill`, "splice");
    expect(texts.map((text) => /\d+/.exec(text)?.[0])).toEqual(["5", "6", "7", "8", "9", "10", "11", "12"]);
  });

  it("are anchored anew", async () => {
    expect(await recorded(`${REFERENCE_TRANSCRIPTS}/gap-recovery-reanchor`, "reanchor")).toHaveLength(1);
  });
});
