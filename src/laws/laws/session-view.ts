/** What the view of a session says of its turns: read from the beginning, so that it does not matter who listened. */
import { LawBroken } from "../broken.js";
import { isAck, type JsonObject } from "../model/history.js";
import type { Trial } from "../trial.js";

/** An event of a view. */
export interface ViewEvent {
  readonly method: string;
  readonly params: JsonObject;
}

const PAGE = 200;
const MOST_PAGES = 100;

/** See the top of the file. */
export class SessionView {
  /** In their order, where the host serves pages; else what was heard, and what a snapshot has beside it. */
  readonly events: readonly ViewEvent[];

  constructor(events: readonly ViewEvent[]) {
    this.events = events;
  }

  /** Starts of turns that a command has brought about. */
  startsOf(commandId: string): readonly ViewEvent[] {
    return this.events.filter(
      ({ method, params }) => method === "turn/started" && same(params["commandId"], commandId),
    );
  }

  /** Ends of a turn, whether it ran or not. */
  endsOf(turnId: string): readonly ViewEvent[] {
    return this.events.filter(({ method, params }) => isEnd(method) && same(params["turnId"], turnId));
  }

  /** Ids of the messages of the user that a command has brought about. */
  messagesOf(commandId: string): readonly string[] {
    const ids = new Set<string>();
    for (const { params } of this.events) {
      const item = itemOf(params);
      if (item["kind"] === "userMessage" && same(item["commandId"], commandId))
        ids.add(String(item["itemId"]));
    }
    return [...ids];
  }

  /** Turns in the order in which they were launched, whether that went well or not. */
  launches(): readonly string[] {
    const turns = new Set<string>();
    for (const { method, params } of this.events)
      if (method === "turn/started" || method === "turn/completed")
        turns.add(String(params["turnId"]).toLowerCase());
    return [...turns];
  }
}

/** Whether an event is the end of a turn. */
export function isEnd(method: string): boolean {
  return method === "turn/completed" || method === "turn/unqueued";
}

/** Whether two ids are one, whatever their letter case. */
export function same(id: unknown, other: string): boolean {
  return typeof id === "string" && id.toLowerCase() === other.toLowerCase();
}

/** The item of an event; empty where it has none. */
export function itemOf(params: JsonObject): JsonObject {
  const { item } = params;
  return typeof item === "object" && item !== null ? (item as JsonObject) : {};
}

/** Reads the view of a loaded session; through pages where the host serves them, else through a snapshot. */
export async function viewOf(trial: Trial, sessionId: string, by = 0): Promise<SessionView> {
  if (trial.can("serves:view/page")) return new SessionView(await paged(trial, sessionId, by));
  const events = heard(trial, sessionId);
  if (!trial.can("serves:session/resume")) return new SessionView(events);
  const { lastTurn, ...resumed } = await trial.resume(sessionId, {}, by);
  // Those that were heard have their place already.
  const known = new Set(events.map(({ params }) => itemOf(params)["itemId"]));
  for (const item of itemsOf(resumed))
    if (!known.has(item["itemId"])) events.push({ method: "item/completed", params: { sessionId, item } });
  const last = (lastTurn ?? {}) as JsonObject;
  const turnId = String(last["turnId"] ?? "");
  if (turnId !== "" && new SessionView(events).endsOf(turnId).length === 0)
    events.push({ method: "turn/completed", params: { sessionId, ...last } });
  return new SessionView(events);
}

/** The folded state that a resume gives; undefined where it gives none. */
export function snapshotOf(resumed: JsonObject): JsonObject | undefined {
  const { snapshot } = (resumed["history"] ?? {}) as JsonObject;
  const { state } = (snapshot ?? {}) as JsonObject;
  return (state ?? undefined) as JsonObject | undefined;
}

/** The turns that wait, as a snapshot has them; undefined where a resume gives none. */
export function queuedIn(resumed: JsonObject): readonly string[] | undefined {
  const queued = snapshotOf(resumed)?.["queuedTurns"] as readonly JsonObject[] | undefined;
  return queued?.map(({ turnId }) => String(turnId).toLowerCase());
}

function itemsOf(resumed: JsonObject): readonly JsonObject[] {
  const { items } = (resumed["history"] ?? {}) as JsonObject;
  return ((snapshotOf(resumed)?.["items"] ?? items ?? []) as readonly JsonObject[] | null) ?? [];
}

async function paged(trial: Trial, sessionId: string, by: number): Promise<ViewEvent[]> {
  const events: ViewEvent[] = [];
  let cursor: unknown;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const params = { sessionId, limit: PAGE, ...(typeof cursor === "string" ? { cursor } : {}) };
    const outcome = await trial.ask("view/page", params, { by });
    if (!isAck(outcome))
      throw new LawBroken("a view cannot be paged", { error: outcome.error }, "page-equals-push");
    events.push(...((outcome.result["events"] ?? []) as readonly ViewEvent[]));
    cursor = outcome.result["nextCursor"];
    if (typeof cursor !== "string") return events;
  }
  throw new LawBroken("the pages of a view have no end", undefined, "page-equals-push");
}

/** What was heard of a session, each event once. */
function heard(trial: Trial, sessionId: string): ViewEvent[] {
  const events: ViewEvent[] = [];
  const seen = new Set<string>();
  for (const { method, params } of trial.history.told) {
    if (!same(params["sessionId"], sessionId)) continue;
    const { viewCursor } = params;
    const key = `${method} ${String(viewCursor)}`;
    if (typeof viewCursor === "string" && seen.has(key)) continue;
    seen.add(key);
    events.push({ method, params });
  }
  return events;
}
