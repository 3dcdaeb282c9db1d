/** The model of turns, and whether a history fits it: from acks, and from what was told and paged of each session. */
import type { rejections } from "../../../generated/msp/experimental/tables.js";
import type { Fault, History, JsonObject } from "./history.js";
import { type Stream, type StreamEvent, streamsOf } from "./streams.js";
import { type TurnCommand, turnCommands } from "./turn-commands.js";

/** What is known of one session, over all its streams. */
interface Seen {
  /** Places of starts and of ends of each turn; and when the first end was heard. */
  readonly starts: Map<string, Set<string>>;
  readonly ends: Map<string, { readonly places: Set<string>; readonly methods: Set<string>; first: number }>;
  /** Turns, and messages of the user, of each command. */
  readonly turnsOf: Map<string, Set<string>>;
  readonly messagesOf: Map<string, Map<string, string>>;
  /** The moment up to which everything was read; 0 for never. */
  readUntil: number;
}

/** What a history breaks of what is promised of turns. */
export function checkTurns(history: History): readonly Fault[] {
  const commands = turnCommands(history);
  const launched = launchable(commands);
  const sessions = new Map<string, Seen>();
  for (const sessionId of history.sessions)
    sessions.set(sessionId.toLowerCase(), {
      starts: new Map(),
      ends: new Map(),
      turnsOf: new Map(),
      messagesOf: new Map(),
      readUntil: 0,
    });
  const faults: Fault[] = [];
  for (const stream of streamsOf(history)) {
    const seen = sessions.get(stream.sessionId);
    if (seen === undefined) continue;
    seen.readUntil = Math.max(seen.readUntil, stream.readUntil ?? 0);
    for (const event of stream.events) note(event, seen);
    faults.push(...checkStream(stream, launched));
  }
  for (const seen of sessions.values()) faults.push(...checkSeen(seen));
  for (const command of commands.values()) {
    const seen = sessions.get(command.sessionId);
    if (seen === undefined) continue;
    faults.push(...checkAck(command, seen), ...checkEffect(command, seen));
    if (history.settled) faults.push(...checkSettled(command, seen));
  }
  return faults;
}

const idOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value.toLowerCase() : undefined;

function itemOf(params: JsonObject): JsonObject | undefined {
  const { item } = params;
  return typeof item === "object" && item !== null ? (item as JsonObject) : undefined;
}

/** Takes an event in. Events of one method and one cursor are one, whoever heard them. */
function note({ moment, method, params }: StreamEvent, seen: Seen): void {
  const turnId = idOf(params["turnId"]);
  const commandId = idOf(params["commandId"]);
  const place = `${method} ${String(params["viewCursor"])}`;
  if (method === "turn/started" && turnId !== undefined) {
    setOf(seen.starts, turnId).add(place);
    if (commandId !== undefined) setOf(seen.turnsOf, commandId).add(turnId);
  } else if (isEnd(method) && turnId !== undefined) {
    const end = seen.ends.get(turnId) ?? { places: new Set(), methods: new Set(), first: moment };
    end.places.add(place);
    end.methods.add(method);
    end.first = Math.min(end.first, moment);
    seen.ends.set(turnId, end);
  }
  const item = itemOf(params);
  const of = idOf(item?.["commandId"]);
  if (item?.["kind"] !== "userMessage" || of === undefined) return;
  let messages = seen.messagesOf.get(of);
  if (messages === undefined) seen.messagesOf.set(of, (messages = new Map()));
  messages.set(String(item["itemId"]), idOf(item["turnId"]) ?? "");
}

const isEnd = (method: string): boolean => method === "turn/completed" || method === "turn/unqueued";

function setOf<K>(map: Map<K, Set<string>>, key: K): Set<string> {
  let set = map.get(key);
  if (set === undefined) map.set(key, (set = new Set()));
  return set;
}

/** Turns that are launched in the order of their admission, by session and turn. Those that replace go first. */
function launchable(commands: ReadonlyMap<string, TurnCommand>): ReadonlyMap<string, TurnCommand> {
  const turns = new Map<string, TurnCommand>();
  for (const command of commands.values()) {
    const { ack, sessionId } = command;
    if (ack?.method !== "turn/start" || ack.params["ifBusy"] === "replace") continue;
    const { disposition } = ack.result;
    if (disposition === "started" || disposition === "queued")
      turns.set(`${sessionId} ${idOf(ack.result["turnId"])}`, command);
  }
  return turns;
}

/** What a stream breaks by its order. */
function* checkStream(
  { sessionId, events, whole }: Stream,
  launched: ReadonlyMap<string, TurnCommand>,
): Iterable<Fault> {
  const started = new Set<string>();
  const ended = new Set<string>();
  const items = new Set<unknown>();
  let running: string | undefined;
  let latest: TurnCommand | undefined;
  /** A launch: nothing that was sent after this turn's ack may have been launched before. */
  const outOfOrder = (turnId: string): Fault | undefined => {
    const command = launched.get(`${sessionId} ${turnId}`);
    if (command?.ack === undefined) return undefined;
    const before = latest;
    if (before === undefined || command.sent > before.sent) latest = command;
    if (before === undefined || command.ack.answered >= before.sent) return undefined;
    return fault("queue-order", "a turn was launched after one that was admitted later", {
      turnId,
      before: before.ack?.result["turnId"],
    });
  };
  for (const { method, params } of events) {
    const turnId = idOf(params["turnId"]);
    if (method === "turn/started" && turnId !== undefined) {
      if (started.has(turnId)) yield fault("one-end", "a turn started twice", params);
      else if (ended.has(turnId)) yield fault("one-end", "a turn started after its end", params);
      if (running !== undefined && running !== turnId)
        yield fault("queue-order", "a turn started while another ran", { running, ...params });
      const late = started.has(turnId) ? undefined : outOfOrder(turnId);
      if (late !== undefined) yield late;
      started.add(turnId);
      running = turnId;
    } else if (method === "turn/completed" && turnId !== undefined) {
      if (ended.has(turnId)) yield fault("one-end", "a turn ended twice", params);
      else if (!started.has(turnId)) {
        const { kind } = (params["error"] ?? {}) as JsonObject;
        if (kind === "launchError") {
          const late = outOfOrder(turnId);
          if (late !== undefined) yield late;
        } else if (whole && (params["terminal"] === "completed" || kind !== undefined))
          yield fault("one-end", "a turn is over that never started", params);
      }
      ended.add(turnId);
      if (running === turnId) running = undefined;
    } else if (method === "turn/unqueued" && turnId !== undefined) {
      if (ended.has(turnId)) yield fault("one-end", "a turn ended twice", params);
      if (started.has(turnId))
        yield fault("unqueue-no-cancel", "a turn that had started was taken from the queue", params);
      ended.add(turnId);
    }
    const item = itemOf(params);
    if (item === undefined || items.has(item["itemId"])) continue;
    items.add(item["itemId"]);
    const of = idOf(item["turnId"]);
    if (of === undefined || (item["kind"] !== "userMessage" && item["kind"] !== "agentMessage")) continue;
    const steered = item["steered"] === true;
    if (ended.has(of))
      yield fault(steered ? "steer-stays" : "one-end", "a message belongs to a turn that had ended", {
        item,
      });
    else if (running !== undefined && running !== of)
      yield fault(
        steered ? "steer-stays" : "turn-identity",
        "a message belongs to a turn that does not run",
        {
          running,
          item,
        },
      );
  }
}

/** What several streams break together. */
function* checkSeen({ starts, ends }: Seen): Iterable<Fault> {
  for (const [turnId, places] of starts)
    if (places.size > 1) yield fault("one-end", "a turn started twice", { turnId, places: [...places] });
  for (const [turnId, { places }] of ends)
    if (places.size > 1) yield fault("one-end", "a turn ended twice", { turnId, places: [...places] });
}

/** What an ack breaks by what it says. */
function* checkAck({ commandId, sent, ack }: TurnCommand, seen: Seen): Iterable<Fault> {
  if (ack === undefined) return;
  const { method, params, result } = ack;
  const named = idOf(result["turnId"]);
  const overBefore = (turnId: string | undefined): boolean =>
    turnId !== undefined && (seen.ends.get(turnId)?.first ?? Number.POSITIVE_INFINITY) < sent;
  if (method === "turn/start") {
    const { disposition, startedNewTurn } = result;
    if (startedNewTurn !== (disposition === "started"))
      yield fault("turn-identity", "startedNewTurn does not say what the disposition says", result);
    if (disposition === "started" && named !== commandId)
      yield fault("turn-identity", "a fresh turn has another id than its command", result);
    if (disposition === "steered" && overBefore(named))
      yield fault("steer-stays", "a steer was taken in by a turn that had ended", result);
  } else if (method === "turn/steer") {
    const target = idOf(params["expectedTurnId"]);
    if (named !== target)
      yield fault("turn-identity", "the ack of a steer does not name the turn that it is for", {
        target,
        ...result,
      });
    if (overBefore(target))
      yield fault("steer-stays", "a steer was taken in by a turn that had ended", result);
  } else if (method === "turn/interrupt" || method === "turn/cancel") {
    const target = idOf(params["turnId"]);
    if (target === undefined) return;
    if (named !== target)
      yield fault("late-cancel", "what is to stop one turn is acked for another", { target, ...result });
    if (overBefore(target))
      yield fault("late-cancel", "to stop a turn that had ended is acked", { target, ...result });
  } else if (method === "turn/unqueue") {
    const target = idOf(params["turnId"]) ?? "";
    if (seen.starts.has(target))
      yield fault("unqueue-no-cancel", "a turn that was taken from the queue started", { target });
    if (seen.ends.get(target)?.methods.has("turn/completed"))
      yield fault("unqueue-no-cancel", "a turn that was taken from the queue was completed", { target });
  }
}

/** Reasons that say nothing of what the command itself has done. */
const SILENT: ReadonlySet<string> = new Set([
  "command_id_conflict",
  "abandoned",
  "deferred_start_failed",
] satisfies (keyof typeof rejections)[]);

/** What a command breaks by its effects. */
function* checkEffect({ commandId, lives, ack, reasons, method }: TurnCommand, seen: Seen): Iterable<Fault> {
  const turns = seen.turnsOf.get(commandId) ?? new Set();
  const messages = seen.messagesOf.get(commandId) ?? new Map<string, string>();
  const asked = ack?.method ?? method;
  if (asked !== "turn/start" && asked !== "turn/steer") return;
  const twice = lives.size > 1 ? "dedupe-after-crash" : "exactly-one-effect";
  if (turns.size > 1)
    yield fault(twice, "a command began more than one turn", { commandId, turns: [...turns] });
  if (messages.size > 1)
    yield fault(twice, "a command brought about more than one message", {
      commandId,
      messages: [...messages.keys()],
    });
  const steer = asked === "turn/steer" || ack?.result["disposition"] === "steered";
  if (ack === undefined) {
    const [reason] = reasons;
    if (steer && messages.size > 0 && reason !== undefined && !SILENT.has(reason))
      yield fault("steer-stays", "a steer that was rejected is on the view", { commandId, reason });
    return;
  }
  const named = idOf(ack.result["turnId"]);
  for (const turnId of messages.values())
    if (turnId !== "" && turnId !== named)
      yield fault(
        steer ? "steer-stays" : "turn-identity",
        "a message is in another turn than its ack named",
        {
          turnId,
          named,
        },
      );
  for (const turnId of turns)
    if (turnId !== named)
      yield fault("turn-identity", "another turn began than the ack had named", { turnId, named });
}

/** What a command breaks by what has not come, where all is over and all was read. */
function* checkSettled({ commandId, ack }: TurnCommand, seen: Seen): Iterable<Fault> {
  if (ack?.method !== "turn/start" || ack.answered > seen.readUntil) return;
  const { disposition } = ack.result;
  const named = idOf(ack.result["turnId"]);
  if (named === undefined || (disposition !== "started" && disposition !== "queued")) return;
  if (!seen.ends.has(named)) yield fault("one-end", "a turn that was acked has no end", { commandId, named });
}

function fault(law: string, what: string, details: unknown): Fault {
  return { law, what, details };
}
