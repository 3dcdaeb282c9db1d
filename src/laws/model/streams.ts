/**
 * What was seen of each session, as streams in which nothing is missing between the first event and the last: what one
 * connection heard between two points at which it may have missed something, and what was paged from the beginning.
 */
import type { History, JsonObject, Operation, Told } from "./history.js";

/** An event of a session. */
export interface StreamEvent {
  /** When it was heard, or its page came. */
  readonly moment: number;
  readonly method: string;
  readonly params: JsonObject;
}

/** Events in the order of the host. */
export interface Stream {
  /** In small letters. */
  readonly sessionId: string;
  readonly events: StreamEvent[];
  /** Whether it begins with the session. */
  readonly whole: boolean;
  /** For pages that were read to the end: when the last one was asked for. */
  readUntil?: number;
}

/** What makes a connection hear a session anew, or no more. */
const TURNING_POINTS: ReadonlySet<string> = new Set([
  "session/resume",
  "session/leave",
  "view/subscribe",
  "view/unsubscribe",
]);

/** See the top of the file. Sessions of other trials are left out. */
export function streamsOf(history: History): readonly Stream[] {
  const sessions = new Set([...history.sessions].map((sessionId) => sessionId.toLowerCase()));
  const streams = [...pagedStreams(history, sessions)];
  const heard = new Map<string, Stream>();
  const seen = new Map<Stream, Set<string>>();
  const births = birthsOf(history);
  /** Who listens: a connection, as it was made, and how often it began to listen. */
  const incarnations = new Map<string, number>();
  const bump = (key: string) => incarnations.set(key, (incarnations.get(key) ?? 0) + 1);
  for (const entry of inOrder(history)) {
    const { life, connection } = entry;
    const connected = `${life} ${connection}`;
    if ("what" in entry) {
      bump(connected);
      continue;
    }
    const sessionId = String(entry.params["sessionId"]).toLowerCase();
    if (!("kind" in entry)) {
      if (TURNING_POINTS.has(entry.method)) bump(`${connected} ${sessionId}`);
      continue;
    }
    if (!sessions.has(sessionId)) continue;
    const listens = `${connected} ${sessionId}`;
    if (entry.method === "view/gap") bump(listens);
    const times = incarnations.get(listens) ?? 0;
    const key = `${connected} ${incarnations.get(connected) ?? 0} ${sessionId} ${times}`;
    let stream = heard.get(key);
    if (stream === undefined) {
      stream = { sessionId, events: [], whole: times === 0 && births.get(sessionId) === connected };
      heard.set(key, stream);
      seen.set(stream, new Set());
      streams.push(stream);
    }
    const { moment, method, params } = entry;
    const { viewCursor } = params;
    const known = seen.get(stream);
    // One that is sent again, from a cursor on, is the same event.
    if (typeof viewCursor === "string") {
      const name = `${method} ${viewCursor}`;
      if (known?.has(name)) continue;
      known?.add(name);
    }
    stream.events.push({ moment, method, params });
  }
  return streams;
}

type Entry =
  | Told
  | Operation
  | {
      readonly what: "connected";
      readonly moment: number;
      readonly life: number;
      readonly connection: number;
    };

/** What was told, sent and connected, in the order of moments. */
function inOrder({ told, operations, happenings }: History): readonly Entry[] {
  const connected = happenings.flatMap(({ what, moment, life, connection }): Entry[] =>
    what === "connected" && connection !== undefined ? [{ what, moment, life, connection }] : [],
  );
  const momentOf = (entry: Entry) => ("sent" in entry ? entry.sent : entry.moment);
  const lists: (readonly Entry[])[] = [connected, operations, told];
  const places = lists.map(() => 0);
  const all: Entry[] = [];
  for (;;) {
    let next = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const [i, list] of lists.entries()) {
      const entry = list[places[i] as number];
      if (entry === undefined || momentOf(entry) >= least) continue;
      least = momentOf(entry);
      next = i;
    }
    if (next === -1) return all;
    all.push(lists[next]?.[places[next] as number] as Entry);
    places[next] = (places[next] as number) + 1;
  }
}

/** Which connection heard each session from its beginning: the one that began it, where nobody else asked for that too. */
function birthsOf({ operations }: History): ReadonlyMap<string, string> {
  const asked = new Map<string, Operation[]>();
  for (const operation of operations) {
    if (operation.method !== "session/start") continue;
    const id = String(operation.params["commandId"]).toLowerCase();
    const found = asked.get(id);
    if (found === undefined) asked.set(id, [operation]);
    else found.push(operation);
  }
  const births = new Map<string, string>();
  for (const [first, ...others] of asked.values()) {
    if (first?.outcome === undefined || others.length > 0 || !("result" in first.outcome)) continue;
    const { sessionId } = (first.outcome.result["session"] ?? {}) as JsonObject;
    if (typeof sessionId === "string")
      births.set(sessionId.toLowerCase(), `${first.life} ${first.connection}`);
  }
  return births;
}

/** Streams that were read as pages, each following the one before, from the beginning on. */
function pagedStreams({ operations }: History, sessions: ReadonlySet<string>): readonly Stream[] {
  const streams: Stream[] = [];
  const open = new Map<string, { readonly stream: Stream; next: unknown }>();
  for (const { method, params, outcome, answered, sent, connection, life } of operations) {
    if (method !== "view/page" || outcome === undefined || !("result" in outcome)) continue;
    const { cursor, anchor, direction } = params;
    if (anchor !== undefined || (direction ?? "forward") !== "forward") continue;
    const sessionId = String(params["sessionId"]).toLowerCase();
    if (!sessions.has(sessionId)) continue;
    const key = `${life} ${connection} ${sessionId}`;
    let reading = open.get(key);
    if (cursor === undefined) {
      reading = { stream: { sessionId, events: [], whole: true }, next: undefined };
      open.set(key, reading);
      streams.push(reading.stream);
    } else if (reading === undefined || reading.next !== cursor) continue;
    const { events, nextCursor } = outcome.result;
    for (const event of (Array.isArray(events) ? events : []) as readonly JsonObject[])
      reading.stream.events.push({
        moment: answered ?? sent,
        method: String(event["method"]),
        params: (event["params"] ?? {}) as JsonObject,
      });
    reading.next = nextCursor;
    if (nextCursor !== null && nextCursor !== undefined) continue;
    reading.stream.readUntil = sent;
    open.delete(key);
  }
  return streams;
}
