/**
 * What can be asked without changing anything.
 */
import { type ProtocolError, protocolError } from "../../generated/msp/experimental/server.js";
import type {
  Item,
  MethodParams,
  MethodResults,
  ModelCatalogEntry,
  Session,
  SessionHistory,
  SessionReadResult,
  TaskListEntry,
  ViewPageParams,
  ViewPageResult,
  ViewSnapshot,
} from "../../generated/msp/experimental/types.js";
import type { AgentModel } from "./agents/agent.js";
import type { LiveSession } from "./live-session.js";
import { cursorOf, type SessionState } from "./session/state.js";
import type { SessionViewLog } from "./session/view.js";

/** What `approval/listPending` answers. */
export function listPending(session: LiveSession): MethodResults["approval/listPending"] {
  const result: MethodResults["approval/listPending"] = { approvals: [], userInputs: [] };
  for (const { method, params } of session.view.openRequests) {
    if (method === "approval/request") result.approvals.push(params as never);
    else result.userInputs.push(params as never);
  }
  return result;
}

/** What `task/list` answers: tool calls that are under way. */
export function listTasks(session: LiveSession): MethodResults["task/list"] {
  const tasks = [...session.state.items.values()].flatMap((item): TaskListEntry[] => {
    if (item.kind !== "toolCall") return [];
    const { itemId, tool, background, recordedAt } = item;
    return [
      {
        taskId: itemId,
        kind: item.kind,
        status: "inProgress",
        executionMode: background === true ? "background" : "foreground",
        ...(tool === undefined ? {} : { tool }),
        ...(recordedAt === undefined ? {} : { startedAt: recordedAt }),
      },
    ];
  });
  return { tasks };
}

/** What `item/readOutput` answers: this host keeps whole outputs in their items, and no others. */
export function readOutput(
  session: LiveSession,
  { itemId, outputRef, sessionId }: MethodParams["item/readOutput"],
): ProtocolError {
  if (!session.view.hasItem(itemId))
    return protocolError("notFound", { sessionId, itemId }, "there is no such item");
  return protocolError("outputUnavailable", { availability: "missing", itemId, outputRef });
}

/** What `model/list` answers. `session` where the question was about one. */
export function listModels(
  models: readonly AgentModel[],
  session: LiveSession | undefined,
): MethodResults["model/list"] {
  const active = session?.state.model ?? undefined;
  const entries = models.map(
    ({ modelId, providerId, displayName }, i): ModelCatalogEntry => ({
      modelId,
      providerId,
      displayLabel: displayName,
      isActive: active === undefined ? i === 0 : active.modelId === modelId,
      isDefault: i === 0,
      contextLimit: null,
      outputLimit: null,
      cost: null,
      description: null,
      profileId: null,
      releaseDate: null,
    }),
  );
  return {
    models: entries,
    profileId: null,
    providerId: active?.providerId ?? models[0]?.providerId ?? "none",
    source: "bundledCatalog",
  };
}

/** A page of a view. */
export function page(
  view: SessionViewLog,
  { cursor, anchor, direction = "forward", limit }: ViewPageParams,
  frameBytes: number,
): ViewPageResult | ProtocolError {
  const { sessionId } = view;
  let from: number;
  let resolved: ViewPageResult["resolvedAnchor"];
  if (anchor !== undefined) {
    if (cursor !== undefined)
      return protocolError("invalidParams", {}, "cursor and anchor must not both be there");
    const boundary = view.boundary;
    if (boundary === undefined)
      return protocolError("noBoundary", { anchor, latestBoundaryCursor: null }, "nothing was compacted yet");
    if (boundary < view.first)
      return protocolError("boundaryPruned", { anchor: null, latestBoundaryCursor: null });
    from = boundary;
    resolved = { boundaryCursor: cursorOf(sessionId, boundary) };
  } else if (cursor === undefined) from = direction === "forward" ? 0 : view.ordinal + 1;
  else {
    const ordinal = ordinalAt(view, cursor);
    if (typeof ordinal !== "number") return ordinal;
    from = ordinal;
  }
  const forward = direction === "forward";
  if (forward && from + 1 < view.first) return truncated(view);
  const events: ViewPageResult["events"] = [];
  const step = forward ? 1 : -1;
  // A page is one frame: it ends early rather than that it cannot be sent.
  let room = frameBytes - 4_096;
  let at = forward ? from + 1 : from - 1;
  for (; events.length < limit; at += step) {
    const event = view.event(at);
    if (event === undefined) break;
    const size = Buffer.byteLength(JSON.stringify(event.params)) + event.method.length + 64;
    if (size > room) {
      if (events.length > 0) break;
      const { viewCursor } = event.params;
      return protocolError("pageEventTooLarge", { sessionId, viewCursor, limitBytes: frameBytes });
    }
    room -= size;
    events.push({ method: event.method, params: event.params });
  }
  if (!forward) events.reverse();
  const more = forward ? at <= view.ordinal : at >= view.first;
  const last = forward ? events.at(-1) : events[0];
  return {
    events,
    nextCursor: more && last !== undefined ? last.params.viewCursor : null,
    ...(resolved === undefined ? {} : { resolvedAnchor: resolved }),
  };
}

/** The number of the event that a cursor is after; an error where there is no such place, or it is not kept. */
export function ordinalAt(view: SessionViewLog, cursor: string): number | ProtocolError {
  const place = view.place(cursor);
  if (place.kind === "at") return place.ordinal;
  if (place.kind === "truncated") return truncated(view);
  return protocolError("notFound", { reason: "missingAnchor", sessionId: view.sessionId });
}

/** The error of a cursor whose events are not kept any more. */
function truncated(view: SessionViewLog): ProtocolError {
  const { sessionId, first } = view;
  return protocolError("viewTruncated", { sessionId, earliestCursor: cursorOf(sessionId, first - 1) });
}

/** History as a client asked for it: by its preference, as far as it fits into a frame. */
export function historyOf(
  view: SessionViewLog,
  how: { readonly exclude: boolean; readonly preference: string; readonly frameBytes: number },
): SessionHistory {
  if (how.exclude) return none("excluded");
  const snapshot = view.snapshot();
  const inline = how.preference === "inline" || how.preference === "anchored";
  const history: SessionHistory = inline
    ? { mode: "inline", items: snapshot.state.items, snapshot: null }
    : { mode: "snapshot", items: null, snapshot };
  if (fits(history, how.frameBytes)) return history;
  const elided = elide(snapshot);
  return fits(elided, how.frameBytes) ? elided : none("historyBudget");
}

/** No history, and why. */
export function none(noneReason: NonNullable<SessionHistory["noneReason"]>): SessionHistory {
  return { mode: "none", items: null, snapshot: null, noneReason };
}

/** A snapshot without its items: what waits and what is set matters more than what was said. */
function elide(snapshot: ViewSnapshot): SessionHistory {
  const state = { ...snapshot.state, items: [] as Item[] };
  return { mode: "snapshot", items: null, snapshot: { ...snapshot, state } };
}

function fits(history: SessionHistory, frameBytes: number): boolean {
  return Buffer.byteLength(JSON.stringify(history)) + 16_384 < frameBytes;
}

/** What a session's reply says beside its history. */
export function standing(
  state: SessionState,
  view: SessionViewLog,
): Pick<SessionReadResult, "pendingRequests" | "lastTurn"> {
  const { lastTurn } = state;
  return { pendingRequests: view.pendingRequests, ...(lastTurn === undefined ? {} : { lastTurn }) };
}

/** The row of a session that nobody has loaded here. */
export function notLoaded(view: SessionViewLog, path: string): Session {
  return { ...view.row(path), status: "notLoaded", activeTurnId: null };
}
