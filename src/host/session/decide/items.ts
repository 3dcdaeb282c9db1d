/**
 * Items of a turn, as an agent says them and as records hold them.
 */
import type { Item } from "../../../../generated/msp/experimental/types.js";
import type { AgentEvent, AgentItem } from "../../agents/agent.js";
import type { Decision, Draft } from "../decision.js";

/** Kinds whose text is streamed: open, they are told and are no record. */
const STREAMED: ReadonlySet<string> = new Set(["agentMessage", "reasoning"]);

/** Whether an item is no record before it is completed. */
export function isStreamed(item: AgentItem): boolean {
  return STREAMED.has(item.kind);
}

/** The whole item of what an agent said; `held` is what is known of it. */
export function itemOf(
  turnId: string | null,
  said: AgentItem,
  held: Item | undefined,
  status: string,
  time: string | undefined,
): Item {
  return {
    ...held,
    ...said,
    turnId: held?.turnId ?? turnId,
    revision: (held?.revision ?? 0) + 1,
    status: said.status ?? status,
    ...(time === undefined ? {} : { recordedAt: time }),
  };
}

/**
 * Adds streamed text to a member of an item that is held; a place below a member (`summary.0`) is told and not held.
 */
export function addText(item: Item, field: string, delta: string): void {
  const members = item as unknown as Record<string, unknown>;
  if (!field.includes(".")) members[field] = `${members[field] ?? ""}${delta}`;
}

/** The open item of a question; it is started where it is not open yet. */
export function openItem(draft: Draft, turnId: string, said: AgentItem): Item {
  const held = draft.state.items.get(said.itemId);
  if (held !== undefined) return held;
  const item = itemOf(turnId, said, undefined, "inProgress", draft.time);
  draft.event("item/started", { item });
  return item;
}

/**
 * Records what an agent said of its turn. Said of an item that is over, or that nobody started where it should have
 * been, it is dropped.
 * @param streamed the item as it was told so far, where it is streamed
 */
export function agentSaid(
  draft: Draft,
  turnId: string,
  event: Exclude<AgentEvent, { readonly type: "itemDelta" }>,
  streamed?: Item,
): Decision {
  const { state } = draft;
  if (event.type === "event") {
    const { method, params } = event;
    const all = {
      ...(method === "session/todoListChanged" || method === "session/branchChanged" ? {} : { turnId }),
      ...params,
    };
    if (method.startsWith("turn/")) draft.runEvent(method, all as never, turnId);
    else draft.event(method, all as never);
    return draft.done();
  }
  const { item: said } = event;
  if (state.finished.has(said.itemId) || state.said.has(said.itemId)) return draft.done();
  const kept = state.items.get(said.itemId);
  const held =
    kept === undefined || streamed === undefined
      ? (kept ?? streamed)
      : { ...kept, ...streamed, revision: kept.revision };
  if (event.type === "itemStarted") {
    if (held === undefined)
      told(draft, "item/started", itemOf(turnId, said, undefined, "inProgress", draft.time));
  } else if (event.type === "itemUpdated") {
    if (held !== undefined) told(draft, "item/updated", itemOf(turnId, said, held, held.status, draft.time));
  } else told(draft, "item/completed", completed(turnId, said, held, draft.time));
  return draft.done();
}

function completed(turnId: string, said: AgentItem, held: Item | undefined, time: string): Item {
  const { status: _open, ...rest } = held ?? { status: undefined };
  const item = itemOf(turnId, said, held === undefined ? undefined : (rest as Item), "completed", time);
  return item.status === "inProgress" ? { ...item, status: "completed" } : item;
}

function told(draft: Draft, how: "item/started" | "item/updated" | "item/completed", item: Item): void {
  // Whatever an agent calls it: with its last status an item is over.
  const method = item.status === "inProgress" ? how : "item/completed";
  // Tool calls are told on the session's stream, since they may outlive their turn; what is said, on the turn's.
  if (isStreamed(item) && typeof item.turnId === "string") draft.runEvent(method, { item }, item.turnId);
  else draft.event(method, { item });
}

/** Closes the items of a turn that is over, but those that are streamed. What runs in the background goes on. */
export function closeItems(draft: Draft, turnId: string | undefined, status: "cancelled" | "failed"): void {
  const streaming = new Set(draft.context.streaming.map(({ itemId }) => itemId));
  for (const item of draft.state.items.values()) {
    if (item.status !== "inProgress" || streaming.has(item.itemId)) continue;
    if (
      turnId !== undefined &&
      (item.turnId !== turnId || item.background === true || item.kind === "compaction")
    )
      continue;
    const outcome = item.kind === "compaction" ? { outcome: "cancelled" } : {};
    const output = item.visibleOutput === undefined ? draft.context.outputs.get(item.itemId) : undefined;
    const shown = output === undefined ? {} : { visibleOutput: output, truncated: false };
    told(draft, "item/completed", {
      ...item,
      revision: item.revision + 1,
      recordedAt: draft.time,
      status,
      ...outcome,
      ...shown,
    });
  }
}
