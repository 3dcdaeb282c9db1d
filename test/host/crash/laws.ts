/**
 * What must hold of commands when a host has died, whatever it was doing: told from the log that survived, from what
 * clients heard before and after, and from what was done outside.
 */
import { methods } from "../../../generated/msp/experimental/tables.js";
import type { SessionRecord } from "../../../src/host/session/records.js";
import type { Sent, Survivors } from "../../support/crash-world.js";
import type { Outcome } from "../../support/host.js";

/** How a command stood in the log when its host had died. */
export type Stand =
  /** It is not there. */
  | { readonly kind: "absent" }
  /** It was taken in, and its outcome is not there. */
  | { readonly kind: "pending" }
  /** It was taken in, and its turn waits: it keeps its ack. */
  | { readonly kind: "kept"; readonly answer: unknown }
  | { readonly kind: "settled"; readonly answer: unknown };

/** Whether a command keeps a record that outlives its host. */
export function isDurable(method: string): boolean {
  return (methods as Readonly<Record<string, { record?: string }>>)[method]?.record === "durable";
}

/** The records of the log that a command belongs to. */
export function logOf({ method, params }: Sent, { sessions, commands }: Survivors): readonly SessionRecord[] {
  const sessionId = params["sessionId"] as string | undefined;
  const ofNone = method === "session/start" || sessionId === undefined;
  return (ofNone ? commands.get(params.commandId) : sessions.get(sessionId)) ?? [];
}

/** How a command stands in a log, worked out without the host's own fold. */
export function standOf(sent: Sent, survivors: Survivors): Stand {
  const id = sent.params.commandId;
  let received: Extract<SessionRecord, { type: "received" }> | undefined;
  let settled: Extract<SessionRecord, { type: "settled" }> | undefined;
  let waits = false;
  for (const record of logOf(sent, survivors)) {
    if (record.type === "received" && record.id === id) received = record;
    else if (record.type === "withdrawn" && record.id === id) received = undefined;
    else if (record.type === "settled" && record.id === id) settled ??= record;
    else if (record.type === "turn" && record.commandId === id) waits = record.place !== "now";
    else if (record.type === "stopping" && record.turnId === id) waits = false;
    else if (record.type === "event" && record.method === "turn/started" && record.params.turnId === id)
      waits = false;
  }
  if (received === undefined) return { kind: "absent" };
  const answer = settled?.answer ?? received.answer;
  if (settled !== undefined) return { kind: "settled", answer };
  return waits ? { kind: "kept", answer } : { kind: "pending" };
}

/** An outcome in the form of answers that are kept: without the words for people. */
export function answerOf(outcome: Outcome | undefined): unknown {
  if (outcome === undefined) return undefined;
  if ("result" in outcome) return { ack: outcome.result };
  const { kind, commandId: _, reason, retryable, ...data } = outcome.error.data;
  if (kind !== "commandRejected") return { error: kind };
  return {
    rejection: {
      reason,
      ...(retryable === undefined ? {} : { retryable }),
      ...(Object.keys(data).length === 0 ? {} : { data }),
    },
  };
}

/** Whether an outcome is one that is kept, and so binds whoever answers next: an ack, or a rejection. */
export function isKept(outcome: Outcome): boolean {
  return "result" in outcome || outcome.error.data["kind"] === "commandRejected";
}

const withoutMessage = (answer: unknown): unknown => {
  const { rejection } = answer as { rejection?: { message?: string; data?: object } };
  if (rejection === undefined) return answer;
  const { message: _, data = {}, ...rest } = rejection;
  return { rejection: Object.keys(data).length === 0 ? rest : { ...rest, data } };
};

const ABANDONED = { rejection: { reason: "abandoned", retryable: false } };
const LAUNCH_FAILED = { rejection: { reason: "deferred_start_failed" } };

/** Says what does not hold. */
export type Complain = (law: string, details: object) => void;

const same = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

/**
 * What a command may be answered by the host that follows, by what its client heard and what survived.
 * @param between whether a host was between the two, which may have recovered and told nobody
 */
export function checkReplay(
  sent: Sent,
  survivors: Survivors,
  replayed: Outcome,
  between: boolean,
  complain: Complain,
): Stand["kind"] {
  const { method, outcome } = sent;
  const stand = standOf(sent, survivors);
  const [before, after] = [answerOf(outcome), answerOf(replayed)];
  const details = { method, id: sent.params.commandId, stand, before, after };
  const wasAnswered = outcome !== undefined && isKept(outcome);
  if (wasAnswered && stand.kind === "absent") complain("what was answered is in the log", details);
  const isAbandoned = same(after, ABANDONED);
  // A session that was begun is begun on: nothing is lost by it.
  const repeats = method === "session/start";
  if (stand.kind === "pending" && !repeats && !isAbandoned)
    complain("what was not settled is answered as abandoned", details);
  if (isAbandoned && stand.kind !== "pending" && !same((stand as { answer?: unknown }).answer, ABANDONED))
    complain("nothing else is answered as abandoned", details);
  if (stand.kind === "settled" && !same(after, withoutMessage(stand.answer)))
    complain("what was settled is answered as it was settled", details);
  const turned = same(after, LAUNCH_FAILED) || (between && isAbandoned);
  if (stand.kind === "settled" && wasAnswered && !same(before, after) && !turned)
    complain("an answer is repeated value for value", details);
  // It is launched when its session is loaded; the launch may have failed by the time of the replay.
  if (stand.kind === "kept" && !same(after, stand.answer) && !same(after, LAUNCH_FAILED))
    complain("a turn that waits keeps its ack", details);
  if (stand.kind === "pending" && repeats && wasAnswered && !same(before, after))
    complain("an answer is repeated value for value", details);
  return stand.kind;
}

/** What a command may be answered once more, after an answer of the same host or of one before it. */
export function checkRepeat(sent: Sent, first: Outcome, again: Outcome, complain: Complain): void {
  const [before, after] = [answerOf(first), answerOf(again)];
  const turned = sent.method === "turn/start" && "result" in first && same(after, LAUNCH_FAILED);
  if (!same(before, after) && !turned)
    complain("an answer is repeated value for value", {
      method: sent.method,
      params: sent.params,
      before,
      after,
    });
}

/** What happened at most once, by its name: in the logs of sessions, and outside. */
export function effectsOf(
  { sessions }: Survivors,
  outside: ReadonlyMap<string, number>,
): Map<string, number> {
  const effects = new Map(outside);
  const add = (...words: unknown[]) => {
    const name = words.join(" ");
    effects.set(name, (effects.get(name) ?? 0) + 1);
  };
  for (const [sessionId, records] of sessions) {
    for (const record of records) {
      if (record.type === "session") add("session", record.commandId);
      else if (record.type === "received") add("received", sessionId, record.id);
      else if (record.type === "turn") add("turn", record.commandId);
      else if (record.type === "steer") add("held", record.item.commandId);
      else if (record.type === "event") addEvent(record, sessionId, add);
    }
  }
  return effects;
}

function addEvent(
  record: Extract<SessionRecord, { type: "event" }>,
  sessionId: string,
  add: (...words: unknown[]) => void,
): void {
  switch (record.method) {
    case "turn/started":
      add("started", record.params.commandId);
      break;
    case "turn/completed":
    case "turn/unqueued":
      add("ended", record.params.turnId);
      break;
    case "turn/retracted":
      add("retracted", record.params.turnId);
      break;
    case "item/started": {
      const { kind, commandId } = record.params.item;
      if (commandId !== undefined) add(kind, commandId);
      break;
    }
    case "item/completed": {
      const { itemId, kind, commandId } = record.params.item;
      if (kind === "userMessage") add("message", commandId);
      add("completed", itemId);
      break;
    }
    case "approval/resolved":
      add("resolved", record.params.approvalId);
      break;
    case "userInput/settled":
      add("answered", record.params.userInputId);
      break;
    case "session/nameChanged":
      add("named", sessionId, record.params.name);
      break;
  }
}

/** What must hold of everything when nothing runs any more. `final`: the last answer of each command. */
export function checkEffects(
  final: readonly (readonly [Sent, Outcome])[],
  survivors: Survivors,
  outside: ReadonlyMap<string, number>,
  complain: Complain,
): void {
  const effects = effectsOf(survivors, outside);
  for (const [effect, times] of effects) if (times > 1) complain("nothing happens twice", { effect, times });
  for (const [sessionId, records] of survivors.sessions) {
    for (const record of records)
      if (record.type === "turn" && effects.get(`ended ${record.turnId}`) !== 1)
        complain("every turn has one end", { sessionId, turnId: record.turnId });
  }
  for (const [{ method, params }, outcome] of final) {
    if (!("result" in outcome)) continue;
    const { commandId } = params;
    const { disposition } = outcome.result;
    const done: Readonly<Record<string, string>> = {
      "turn/start": disposition === "steered" ? `message ${commandId}` : `ended ${commandId}`,
      "turn/steer": `message ${commandId}`,
      "skill/import": `import ${commandId}`,
      "computerUseSetup/start": `setup ${commandId}`,
      "session/start": `session ${commandId}`,
      "session/fork": `session ${commandId}`,
    };
    const effect = done[method];
    if (effect !== undefined && effects.get(effect) !== 1)
      complain("what was accepted has happened", { method, commandId, effect });
  }
}
