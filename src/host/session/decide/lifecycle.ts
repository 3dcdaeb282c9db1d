/**
 * The life of a turn as its host sees it: launched, started, ended, and what comes next. Every turn that was promised
 * has one end, whatever its agent does.
 */
import type { TurnCompletedParams, TurnError } from "../../../../generated/msp/experimental/types.js";
import type { TurnEnd } from "../../agents/agent.js";
import type { Decision, Draft } from "../decision.js";
import { userMessage } from "../decision.js";
import { ABANDONED } from "../records.js";
import { keyOf, type Turn } from "../state.js";
import { abandonApprovals } from "./approvals.js";
import { closeItems } from "./items.js";
import { abandonUserInputs } from "./user-inputs.js";
import { startShell } from "./work.js";

type Terminal = Pick<TurnCompletedParams, "terminal" | "reason" | "error">;

/** What a launch came to: the turn is started. One that was asked to stop meanwhile ends without having started. */
export function started(draft: Draft, turnId: string): Decision {
  const { active } = draft.state;
  if (active?.turnId !== turnId || active.started) return draft.done();
  if (active.phase === "stopping") return ended(draft, turnId, undefined);
  const { commandId, payload, steers } = active;
  draft.runEvent("turn/started", { turnId, commandId }, turnId);
  if (payload !== undefined) {
    const item = userMessage(draft, { commandId, turnId, payload, steered: false });
    draft.runEvent("item/completed", { item }, turnId);
    const shell = payload["userShell"] as { readonly commandText: string } | undefined;
    if (shell !== undefined) startShell(draft, commandId, shell.commandText, null);
  }
  for (const item of steers) draft.runEvent("item/completed", { item }, turnId);
  draft.effects.push({ type: "run", turnId });
  return draft.done();
}

/** What a launch came to: nothing. The turn ends as failed and was never started. */
export function launchFailed(
  draft: Draft,
  turnId: string,
  { message, retryable, quota }: TurnError,
): Decision {
  const { active } = draft.state;
  if (active?.turnId !== turnId || active.started) return draft.done();
  if (active.phase === "stopping") return ended(draft, turnId, undefined);
  const error: TurnError = {
    kind: "launchError",
    message,
    retryable,
    ...(quota === undefined ? {} : { quota }),
  };
  complete(draft, active, { terminal: "failed", reason: message, error });
  // The ack of a turn that waited said that it would run. One that said `started` is told by the turn's end alone.
  if (active.deferred)
    draft.settle(active.commandId, "rejected", { rejection: { reason: "deferred_start_failed", message } });
  else draft.settle(active.commandId, "accepted");
  next(draft);
  return draft.done();
}

/** A turn is over: as its agent says, or as cancelled where it was asked to stop. */
export function ended(draft: Draft, turnId: string, end: TurnEnd | undefined): Decision {
  const { active } = draft.state;
  if (active?.turnId !== turnId) return draft.done();
  if (active.phase === "stopping")
    finish(draft, active, { terminal: "cancelled", reason: active.stopReason ?? "stopped" });
  else if (end?.terminal === "failed")
    finish(draft, active, { terminal: "failed", reason: end.error.message, error: end.error });
  else finish(draft, active, { terminal: "completed" });
  draft.settle(active.commandId, "accepted");
  next(draft);
  return draft.done();
}

/** A turn is over, with everything that it had open. */
export function finish(draft: Draft, turn: Turn, terminal: Terminal): void {
  abandonApprovals(draft);
  abandonUserInputs(draft);
  for (const item of draft.context.streaming) {
    if (draft.state.said.has(item.itemId)) continue;
    const held = draft.state.items.get(item.itemId);
    const status = terminal.terminal === "failed" ? "failed" : "cancelled";
    const revision = (held ?? item).revision + 1;
    const closed = { ...held, ...item, revision, recordedAt: draft.time, status };
    draft.runEvent("item/completed", { item: closed }, turn.turnId);
  }
  closeItems(draft, turn.turnId, terminal.terminal === "failed" ? "failed" : "cancelled");
  complete(draft, turn, terminal);
  if (turn.retract) retract(draft, turn);
}

function complete(draft: Draft, { turnId, started, startedAt, steers }: Turn, terminal: Terminal): void {
  // What was sent into a turn that never started was accepted: it is shown, although nobody reads it any more.
  if (!started) for (const item of steers) draft.runEvent("item/completed", { item }, turnId);
  const duration = startedAt === undefined ? {} : { durationMs: Math.max(0, draft.at - startedAt) };
  draft.runEvent("turn/completed", { turnId, ...terminal, ...duration }, turnId);
}

/** Withdraws the user's message, if the agent has said nothing to it. */
function retract(draft: Draft, { turnId, commandId, kind, spoke }: Turn): void {
  const { items } = draft.state;
  const message = [...items.values()].find(
    (item) => item.kind === "userMessage" && item.turnId === turnId && item.commandId === commandId,
  );
  // That of a turn which never started was not shown yet: it is withdrawn all the same.
  const accepted = !spoke && kind === "submit";
  draft.event("turn/retracted", { turnId, commandId, outcome: accepted ? "accepted" : "declined" });
  if (!accepted || message === undefined) return;
  const item = { ...message, revision: message.revision + 1, recordedAt: draft.time, retracted: true };
  // The turn's own stream has ended with it.
  draft.event("item/updated", { item });
}

/** Launches the first turn that waits. Called where none runs any more. */
export function next(draft: Draft): void {
  const [first] = draft.state.queue;
  if (first === undefined || draft.context.leaving) return;
  draft.records.push({ type: "launching", turnId: first.turnId, at: draft.at });
  draft.effects.push({ type: "launch", turnId: first.turnId });
}

/** A compaction has ended. */
export function compacted(
  draft: Draft,
  { itemId, commandId }: { readonly itemId: string; readonly commandId: string },
  result:
    | { readonly tokensBefore: number; readonly tokensAfter: number }
    | "noop"
    | { readonly failure: string },
): Decision {
  const held = draft.state.items.get(itemId);
  if (held !== undefined) {
    const failed = typeof result === "object" && "failure" in result;
    const item = {
      ...held,
      revision: held.revision + 1,
      recordedAt: draft.time,
      status: failed ? "failed" : "completed",
    };
    if (result === "noop") Object.assign(item, { outcome: "noop" });
    else if (failed) Object.assign(item, { outcome: "failed", failureReason: result.failure });
    else Object.assign(item, { outcome: "compacted", ...result });
    draft.event("item/completed", { item });
  }
  draft.settle(commandId, "accepted");
  return draft.done();
}

/** A command of the user's shell has ended. */
export function shellEnded(
  draft: Draft,
  itemId: string,
  { exitCode, output }: { readonly exitCode: number | undefined; readonly output: string },
): Decision {
  const held = draft.state.items.get(itemId);
  if (held === undefined) return draft.done();
  const status = exitCode === 0 ? "completed" : "failed";
  const item = {
    ...held,
    revision: held.revision + 1,
    recordedAt: draft.time,
    status,
    visibleOutput: output,
  };
  draft.event("item/completed", { item: exitCode === undefined ? item : { ...item, exitCode } });
  return draft.done();
}

/**
 * What a session needs when it is loaded: whatever was under way when its last holder went away is closed. Turns that
 * waited keep their place and their ack.
 */
export function recovered(draft: Draft, epoch: number): Decision {
  const { state } = draft;
  const { active } = state;
  draft.records.push({ type: "resumed", epoch, at: draft.at });
  const waits = active?.deferred && !active.started && active.phase === "launching";
  if (waits) draft.records.push({ type: "requeued", turnId: active.turnId, at: draft.at });
  const kept = new Set([...(waits ? [active] : []), ...state.queue].map(({ commandId }) => keyOf(commandId)));
  abandonApprovals(draft);
  abandonUserInputs(draft);
  closeItems(draft, undefined, "cancelled");
  if (active !== undefined && !waits) {
    complete(draft, active, { terminal: "failed", reason: "crash" });
    // That was admitted, and what it withdraws outlives the host.
    if (active.retract) retract(draft, active);
  }
  for (const id of state.ledger.open) {
    if (kept.has(id)) continue;
    draft.records.push({ type: "settled", id, outcome: "rejected", answer: ABANDONED, at: draft.at });
  }
  if (waits) {
    draft.records.push({ type: "launching", turnId: active.turnId, at: draft.at });
    draft.effects.push({ type: "launch", turnId: active.turnId });
  } else next(draft);
  return draft.done();
}
