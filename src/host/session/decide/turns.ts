/**
 * Turns as clients ask for them: start, steer, interrupt, cancel, unqueue.
 */
import { protocolError } from "../../../../generated/msp/experimental/server.js";
import type { TurnInputPart } from "../../../../generated/msp/experimental/types.js";
import { type Command, type Decision, type Draft, promptOf, userMessage } from "../decision.js";
import { keyOf, type Turn } from "../state.js";

/** Decides `turn/start`. */
export function startTurn(draft: Draft, command: Command): Decision {
  const { state, context } = draft;
  const { spelt, payload } = command;
  const roots = payload["workspaceRoots"];
  if (payload["ifBusy"] === "steer" && state.active !== undefined && state.active.phase !== "stopping") {
    steerInto(draft, state.active, command);
    return draft.accept(command, {
      turnId: state.active.turnId,
      startedNewTurn: false,
      disposition: "steered",
    });
  }
  const busy = state.active !== undefined || state.queue.length > 0;
  if (busy && state.queue.length >= context.maxQueuedTurns)
    return draft.refuse(
      protocolError("backpressured", { capacity: context.maxQueuedTurns }, "too many turns wait"),
    );
  const replaces = busy && payload["ifBusy"] === "replace";
  const place = busy ? (replaces ? "first" : "last") : "now";
  draft.records.push({
    type: "turn",
    turnId: spelt,
    commandId: spelt,
    kind: "submit",
    place,
    ...(Array.isArray(roots) ? { workspaceRoots: roots as string[] } : {}),
    at: draft.at,
  });
  if (place === "now") draft.effects.push({ type: "launch", turnId: spelt });
  if (replaces && state.active !== undefined) stop(draft, state.active, "replaced by a later turn");
  const ack = { turnId: spelt, startedNewTurn: !busy, disposition: busy ? "queued" : "started" };
  return draft.accept(command, ack, { open: true });
}

/** Decides `turn/steer`: the turn that it names must be the one that runs. */
export function steerTurn(draft: Draft, command: Command): Decision {
  const { active } = draft.state;
  const expected = String(command.payload["expectedTurnId"]);
  if (active === undefined || active.phase === "stopping" || keyOf(active.turnId) !== keyOf(expected)) {
    const running = active === undefined ? undefined : { details: { turnId: active.turnId } };
    return draft.reject(command, "turn_not_running", running);
  }
  steerInto(draft, active, command);
  return draft.accept(command, { turnId: active.turnId });
}

function steerInto(draft: Draft, turn: Turn, { spelt, payload }: Command): void {
  const { turnId } = turn;
  const item = userMessage(draft, { commandId: spelt, turnId, payload, steered: true });
  if (turn.started) draft.runEvent("item/completed", { item }, turnId);
  else draft.records.push({ type: "steer", turnId, item, at: draft.at });
  const input = (payload["input"] ?? []) as readonly TurnInputPart[];
  draft.effects.push({ type: "steer", turnId, steer: { commandId: spelt, text: promptOf(input), input } });
}

/** Decides `turn/interrupt` and `turn/cancel`: the turn that is named, or the one that runs. */
export function stopTurn(draft: Draft, command: Command): Decision {
  const { state } = draft;
  const target = command.payload["turnId"] as string | undefined;
  const { active } = state;
  if (active === undefined || (target !== undefined && keyOf(active.turnId) !== keyOf(target))) {
    const over = target !== undefined && state.ended.has(keyOf(target));
    return draft.reject(command, over ? "already_terminal" : "missing_run");
  }
  const how = command.method === "turn/cancel" ? "cancelled" : "interrupted";
  stop(draft, active, `${how} by the client`, command.payload["retract"] === true);
  return draft.accept(command, { turnId: active.turnId });
}

/**
 * Asks a turn to stop. A goal whose turn is stopped is paused.
 * @param reason what the turn's end says to people
 */
export function stop(draft: Draft, turn: Turn, reason: string, retract = false): void {
  const { goal } = draft.state;
  if (turn.phase !== "stopping" || (retract && !turn.retract)) {
    draft.records.push({ type: "stopping", turnId: turn.turnId, retract, reason, at: draft.at });
    draft.effects.push({ type: "stop", turnId: turn.turnId });
  }
  if (turn.kind === "goal" && goal !== null && goal.status === "active")
    draft.event("session/goalChanged", { goal: { ...goal, status: "paused" } });
}

/** Decides `turn/unqueue`. Too late, it is rejected and touches nothing. */
export function unqueueTurn(draft: Draft, command: Command): Decision {
  const { state } = draft;
  const target = String(command.payload["turnId"]);
  const turn = state.turn(target);
  if (turn?.phase !== "queued") {
    const how = state.ended.get(keyOf(target));
    const started = turn !== undefined || (how !== undefined && how !== "unqueued");
    return draft.reject(command, started ? "turn_already_started" : "missing_run");
  }
  const { turnId, commandId } = turn;
  draft.settle(commandId, "accepted");
  draft.event("turn/unqueued", { turnId, commandId });
  return draft.accept(command, { turnId });
}
