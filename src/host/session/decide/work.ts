/**
 * Work beside turns: compaction, the user's shell, tool calls that are under way, and leaving.
 */
import type { Item } from "../../../../generated/msp/experimental/types.js";
import type { Command, Decision, Draft } from "../decision.js";
import { keyOf } from "../state.js";
import { abandonApprovals } from "./approvals.js";
import { stop } from "./turns.js";
import { abandonUserInputs } from "./user-inputs.js";

/** Decides `session/compact`: it takes its time, and is settled when its item has ended. */
export function compact(draft: Draft, command: Command): Decision {
  const { state, context } = draft;
  const target = command.payload["turnId"] as string | undefined;
  if (target !== undefined && state.turn(target) === undefined && !state.ended.has(keyOf(target)))
    return draft.reject(command, "missing_run");
  if (!context.canCompact) return draft.reject(command, "compaction_unavailable");
  if (state.active !== undefined || openOf(draft, "compaction").length > 0)
    return draft.reject(command, "run_active");
  if (state.turnCount <= state.compactedThrough)
    return draft.accept(command, { reason: "no_compactable_history" }, { status: "noop" });
  const itemId = context.mintId();
  draft.event("item/started", {
    item: {
      itemId,
      kind: "compaction",
      turnId: state.lastTurn?.turnId ?? null,
      revision: 1,
      status: "inProgress",
      recordedAt: draft.time,
      trigger: "manual",
      commandId: command.spelt,
    },
  });
  draft.effects.push({ type: "compact", itemId, commandId: command.spelt });
  return draft.accept(command, {}, { open: true });
}

/** Decides `session/userShell`: one at a time. */
export function userShell(draft: Draft, command: Command): Decision {
  const commandText = String(command.payload["commandText"]);
  if (openOf(draft, "userShell").length > 0) return draft.reject(command, "runtime_busy");
  startShell(draft, command.spelt, commandText, null);
  return draft.accept(command);
}

/** Begins a command of the user's shell, as an item. */
export function startShell(
  draft: Draft,
  commandId: string,
  commandText: string,
  turnId: string | null,
): void {
  const itemId = draft.context.mintId();
  draft.event("item/started", {
    item: {
      itemId,
      kind: "userShell",
      turnId,
      revision: 1,
      status: "inProgress",
      recordedAt: draft.time,
      commandText,
      commandId,
    },
  });
  draft.effects.push({ type: "shell", itemId, commandText });
}

/** Decides `task/background`: a tool call goes on while its turn does other things, or ends. */
export function backgroundTask(draft: Draft, command: Command): Decision {
  const task = taskOf(draft, command);
  if (typeof task === "string") return draft.reject(command, task);
  draft.event("item/updated", {
    item: { ...task, revision: task.revision + 1, recordedAt: draft.time, background: true },
  });
  draft.effects.push({ type: "task", itemId: task.itemId, action: "background" });
  return draft.accept(command, { taskId: task.itemId });
}

/** Decides `task/stop`. */
export function stopTask(draft: Draft, command: Command): Decision {
  const task = taskOf(draft, command);
  if (typeof task === "string") return draft.reject(command, task);
  cancelTask(draft, task);
  return draft.accept(command, { taskId: task.itemId });
}

/** Decides `task/stopAll`: also where there is nothing to stop. */
export function stopAllTasks(draft: Draft, command: Command): Decision {
  for (const task of openOf(draft, "toolCall")) cancelTask(draft, task);
  return draft.accept(command);
}

function taskOf(draft: Draft, command: Command): Item | "already_terminal" | "missing_run" {
  const taskId = String(command.payload["taskId"]);
  const item = draft.state.items.get(taskId);
  if (item?.kind === "toolCall") return item;
  return draft.state.finished.has(taskId) ? "already_terminal" : "missing_run";
}

function cancelTask(draft: Draft, task: Item): void {
  abandonApprovals(draft, task.itemId);
  abandonUserInputs(draft, task.itemId);
  draft.event("item/completed", {
    item: { ...task, revision: task.revision + 1, recordedAt: draft.time, status: "cancelled" },
  });
  draft.effects.push({ type: "task", itemId: task.itemId, action: "stop" });
}

/** The open items of a kind. */
export function openOf(draft: Draft, kind: Item["kind"]): Item[] {
  return [...draft.state.items.values()].filter((item) => item.kind === kind);
}

/** Decides `session/leave`: the session is given up when nothing runs any more. */
export function leave(draft: Draft, command: Command): Decision {
  const { active } = draft.state;
  if (active !== undefined && command.payload["stop"] === true) stop(draft, active, "the session was left");
  draft.effects.push({ type: "leave", commandId: command.spelt });
  return draft.accept(command);
}
