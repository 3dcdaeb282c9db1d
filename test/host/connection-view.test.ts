/** The view of a session from any place on: subscriptions, pages, and joining with or without a cursor. */
import { describe, expect, it } from "vitest";
import type { SessionResumeResult, ViewPageResult } from "../../generated/msp/experimental/types.js";
import { joinSession, SessionFold } from "../../src/client/fold/index.js";
import { snapshotOf } from "../../src/client/fold/serve-snapshot.js";
import { eventually } from "../support/command-scene.js";
import { type Seen, TestClient, testHost } from "../support/host.js";

interface Event {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const isKept = ({ kind, params }: Seen) => kind === "notification" && "sourceRange" in params;
const cursorOf = ({ params }: Event) => String(params["viewCursor"]);

/** Does something of everything in a session. */
async function busy(client: TestClient, sessionId: string): Promise<void> {
  const command = (method: string, params: object) => client.command(method, { sessionId, ...params });
  const start = (text: string, more = {}) =>
    command("turn/start", { input: [{ type: "text", text }], ...more });
  const first = await start("hello\nworld");
  await client.ended(String(first["turnId"]));
  await command("session/rename", { name: "a name" });
  await command("session/setReasoningEffort", { reasoningEffort: "high" });
  const second = await start("/approve 2\n/ask\n/tool work");
  const { params } = await client.until(({ method }) => method === "approval/requested");
  const { approvalId } = params;
  for (const sourceIndex of [0, 1])
    await command("approval/decide", {
      ...{ approvalId, choiceId: "allow" },
      requirementId: { approvalId, sourceIndex },
    });
  const asked = await client.until(({ method }) => method === "userInput/requested");
  await command("userInput/answer", {
    userInputId: asked.params["userInputId"],
    answers: [{ questionId: "choice", selectedLabel: "first" }],
  });
  await client.ended(String(second["turnId"]));
  await command("session/compact", {});
  await client.until(
    ({ method, params }) =>
      method === "item/completed" && (params["item"] as { kind: string }).kind === "compaction",
  );
  await command("goal/set", { objective: "/hang" });
  const goal = await client.until(
    ({ method, params }) =>
      method === "turn/started" &&
      params["turnId"] !== second["turnId"] &&
      params["turnId"] !== first["turnId"],
  );
  await start("heard", { ifBusy: "steer" });
  const queued = await start("never");
  const later = await start("/fail");
  await command("turn/unqueue", { turnId: queued["turnId"] });
  await command("turn/interrupt", { turnId: goal.params["turnId"] });
  await client.ended(String(later["turnId"]));
  const last = await start("/hang");
  await client.until(
    ({ method, params }) => method === "turn/started" && params["turnId"] === last["turnId"],
  );
}

/** What a client shows that has folded so far. */
function shown(fold: SessionFold) {
  const base = {
    viewCursor: "",
    approvalMode: { mode: "promptUnmatched", source: "startup", lastCommandId: null } as const,
    tokenUsage: { outputTokens: 0, promptTokens: 0, totalTokens: 0 },
  };
  return snapshotOf(fold, base).state;
}

function folded(sessionId: string, events: readonly Event[], into = new SessionFold(sessionId)): SessionFold {
  for (const { method, params } of events) expect(into.apply(method, params).kind).not.toBe("unrecognised");
  return into;
}

async function pages(
  client: TestClient,
  sessionId: string,
  limit: number,
  direction: "forward" | "backward",
): Promise<Event[]> {
  const events: Event[] = [];
  let cursor: string | null | undefined;
  do {
    const page: ViewPageResult = (await client.peer.request("view/page", {
      ...{ sessionId, limit, direction },
      ...(cursor === undefined ? {} : { cursor }),
    })) as never;
    expect(page.events.length).toBeLessThanOrEqual(limit);
    const found = page.events as unknown as Event[];
    if (direction === "forward") events.push(...found);
    else events.unshift(...found);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return events;
}

describe("a session that does everything", () => {
  it("is the same by pages, by pushes, by snapshots and by suffixes, from every cursor", async () => {
    const { host, errors } = testHost();
    const client = await TestClient.of(host);
    const watcher = await TestClient.of(host);
    const sessionId = await client.start();
    const joins: SessionResumeResult[] = [];
    let over = false;
    // Joins again and again while things happen.
    const joining = (async () => {
      while (!over) {
        joins.push((await watcher.command("session/resume", { sessionId })) as never);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await busy(client, sessionId);
    over = true;
    await joining;
    const events = await pages(client, sessionId, 7, "forward");
    expect(events.length).toBeGreaterThan(30);
    // Pages are what was pushed and is kept.
    expect(client.seen.filter(isKept).map(({ method, params }) => ({ method, params }))).toEqual(events);
    expect(await pages(client, sessionId, 5, "backward")).toEqual(events);
    expect(await pages(client, sessionId, 1_000, "forward")).toEqual(events);
    // What a session begins with is told by no event.
    const beginning = joins[0]!;
    expect(beginning.viewCursor).toBe(`v:${sessionId}:0`);
    const begun = () => {
      const fold = new SessionFold(sessionId);
      joinSession(fold, beginning);
      return fold;
    };
    const whole = shown(folded(sessionId, events, begun()));
    // The comparison sees one event that is missing.
    const lost = events.toSpliced(
      events.findIndex(({ method }) => method === "item/completed"),
      1,
    );
    expect(lost).toHaveLength(events.length - 1);
    expect(shown(folded(sessionId, lost, begun()))).not.toEqual(whole);

    // A snapshot, and what came after it.
    let distinct = 0;
    const at = new Set<string>();
    for (const join of joins) {
      if (at.has(join.viewCursor)) continue;
      at.add(join.viewCursor);
      distinct++;
      const fold = new SessionFold(sessionId);
      expect(joinSession(fold, join)).toEqual({ kind: "seeded", from: "snapshot" });
      const place = events.findIndex((event) => cursorOf(event) === join.viewCursor);
      // Texts that were being streamed are in a snapshot as far as they were told; their end replaces them.
      expect(shown(folded(sessionId, events.slice(place + 1), fold)), join.viewCursor).toEqual(whole);
    }
    expect(distinct).toBeGreaterThan(5);

    // A suffix, after every cursor.
    for (const [i, cursor] of [beginning.viewCursor, ...events.map(cursorOf)].entries()) {
      const joiner = await TestClient.of(host);
      const result = (await joiner.command("session/resume", {
        sessionId,
        cursor,
      })) as never as SessionResumeResult;
      expect(result.history).toMatchObject({ mode: "none", noneReason: "cursorSuffix" });
      const suffix = events.slice(i);
      if (suffix.length > 0)
        await joiner.until(({ params }) => params["viewCursor"] === cursorOf(events.at(-1)!));
      expect(joiner.seen.filter(isKept).map(({ method, params }) => ({ method, params }))).toEqual(suffix);
      expect(shown(folded(sessionId, suffix, folded(sessionId, events.slice(0, i), begun())))).toEqual(whole);
      await joiner.close();
    }
    expect(errors).toEqual([]);
    await host.close();
  });
});

describe("a subscription", () => {
  it("begins where it is told to, begins anew, and ends", async () => {
    const { host } = testHost();
    const client = await TestClient.of(host);
    const sessionId = await client.start();
    const effort = (reasoningEffort: string) =>
      client.command("session/setReasoningEffort", { sessionId, reasoningEffort });
    const told = () =>
      client.all("session/reasoningEffortChanged").map(({ reasoningEffort }) => reasoningEffort);
    const untilTold = (count: number) => client.until(() => told().length >= count);
    await effort("low");
    await effort("high");
    await untilTold(2);
    expect(await client.ask("view/unsubscribe", { sessionId })).toEqual({ result: {} });
    await effort("max");
    // An ack comes before its events: they are waited for, so that the subscription begins after them.
    await eventually(async () => (await pages(client, sessionId, 10, "forward")).length === 3);
    await client.ask("view/subscribe", { sessionId });
    await effort("none");
    await untilTold(3);
    expect(told()).toEqual(["low", "high", "none"]);
    const [first] = client.all("session/reasoningEffortChanged");
    const { result } = (await client.ask("view/subscribe", {
      sessionId,
      after: first!["viewCursor"],
    })) as { result: { viewCursor: string } };
    await untilTold(6);
    expect(told().slice(3)).toEqual(["high", "max", "none"]);
    expect(client.all("session/reasoningEffortChanged").at(-1)!["viewCursor"]).toBe(result.viewCursor);
    await host.close();
  });

  it("is refused where its cursor is nobody's, or its events are not kept any more", async () => {
    const { host } = testHost({ limits: { retainedEvents: 4 } });
    const client = await TestClient.of(host);
    const sessionId = await client.start();
    const another = await client.start();
    const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"];
    for (const reasoningEffort of efforts)
      await client.command("session/setReasoningEffort", { sessionId, reasoningEffort });
    await client.until(() => client.all("session/reasoningEffortChanged").length === efforts.length);
    const cursors = client.all("session/reasoningEffortChanged").map(({ viewCursor }) => String(viewCursor));
    const ask = (method: string, params: object) =>
      client.ask(method, {
        sessionId,
        ...(method === "session/resume" ? { commandId: undefined } : {}),
        ...params,
      });
    const missing = {
      error: { code: -32011, data: { kind: "notFound", reason: "missingAnchor", retryable: false } },
    };
    for (const cursor of [
      "nothing",
      "",
      `v:${another}:1`,
      `v:${sessionId}:999`,
      `${cursors[0]}x`,
      `v:${sessionId}:-1`,
    ]) {
      expect(await ask("view/subscribe", { after: cursor }), cursor).toMatchObject(missing);
      expect(await ask("view/page", { cursor, limit: 1 }), cursor).toMatchObject(missing);
      await expect(client.command("session/resume", { sessionId, cursor }), cursor).rejects.toMatchObject({
        code: -32011,
      });
    }
    const outcome = await ask("view/subscribe", { after: cursors[0] });
    expect(outcome).toMatchObject({ error: { code: -32040, data: { kind: "viewTruncated" } } });
    await expect(client.command("session/resume", { sessionId, cursor: cursors[0] })).rejects.toMatchObject({
      code: -32040,
    });
    const { earliestCursor } = (outcome as never as { error: { data: { earliestCursor: string } } }).error
      .data;
    expect(await ask("view/page", { limit: 100 })).toMatchObject({
      error: { data: { kind: "viewTruncated", earliestCursor } },
    });
    // From the earliest one on it goes on; and a snapshot needs none of what is gone.
    const { result } = (await ask("view/page", { cursor: earliestCursor, limit: 100 })) as never as {
      result: ViewPageResult;
    };
    expect(result.events.map(({ params }) => (params as { viewCursor: string }).viewCursor)).toEqual(
      cursors.slice(cursors.indexOf(earliestCursor) + 1),
    );
    expect(result.events.length).toBeGreaterThanOrEqual(4);
    expect(result.events.length).toBeLessThan(efforts.length);
    const join = (await client.command("session/resume", { sessionId })) as never as SessionResumeResult;
    const fold = new SessionFold(sessionId);
    joinSession(fold, join);
    expect(shown(fold).reasoningEffort).toMatchObject({ reasoningEffort: "ultra" });
    await host.close();
  });

  it("is of one session for each, whatever the letter case of its id", async () => {
    const { host } = testHost();
    const client = await TestClient.of(host);
    const sessionId = await client.start();
    await client.ask("view/subscribe", { sessionId: sessionId.toUpperCase() });
    await client.command("session/setReasoningEffort", { sessionId, reasoningEffort: "low" });
    await client.until(({ method }) => method === "session/reasoningEffortChanged");
    await client.ask("model/list", {});
    expect(client.all("session/reasoningEffortChanged")).toMatchObject([{ sessionId }]);
    await host.close();
  });
});
