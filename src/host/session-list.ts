/**
 * The list of a store's sessions: the latest first, page by page. A session is looked at when its page is asked for.
 */
import { type ProtocolError, protocolError } from "../../generated/msp/experimental/server.js";
import type { MethodParams, MethodResults, Session } from "../../generated/msp/experimental/types.js";
import { notLoaded } from "./queries.js";
import { keyOf } from "./session/state.js";
import type { Sessions } from "./sessions.js";

/** Rows of a page, where the client does not say. */
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** Rows of sessions by the time of their last change, the latest first. */
export async function listSessions(
  sessions: Sessions,
  params: MethodParams["session/list"],
): Promise<MethodResults["session/list"] | ProtocolError> {
  const { cursor, limit = DEFAULT_LIMIT, workspaceRoot, updatedAfter, filter } = params;
  const at = cursor == null ? undefined : placeOf(cursor);
  if (cursor != null && at === undefined) return protocolError("notFound", { reason: "missingAnchor" });
  const since = updatedAfter === undefined ? undefined : Date.parse(updatedAfter);
  if (Number.isNaN(since)) return protocolError("invalidParams", {}, "updatedAfter must be a time");
  const logs = [...(await sessions.list())].sort(
    (a, b) => b.updatedAtMs - a.updatedAtMs || (a.id < b.id ? -1 : 1),
  );
  const rows: Session[] = [];
  let next: string | null = null;
  let last: { readonly id: string; readonly updatedAtMs: number } | undefined;
  for (const log of logs) {
    if (at !== undefined && !isAfter(log, at)) continue;
    if (rows.length === Math.min(limit, MAX_LIMIT)) {
      next = last === undefined ? null : `l:${last.updatedAtMs}:${last.id}`;
      break;
    }
    const row = await rowOf(sessions, log.id);
    last = log;
    if (row === undefined) continue;
    if (workspaceRoot !== undefined && row.workspaceRoot !== workspaceRoot) continue;
    if (since !== undefined && Date.parse(row.updatedAt) <= since) continue;
    if (filter !== undefined && !passes(row, filter)) continue;
    rows.push(row);
  }
  return { sessions: rows, nextCursor: next, ...(filter === undefined ? {} : { appliedFilter: filter }) };
}

async function rowOf(sessions: Sessions, key: string): Promise<Session | undefined> {
  const live = sessions.get(key);
  if (live !== undefined) return live.view.row(live.path);
  try {
    const stored = await sessions.look(key);
    return stored === undefined ? undefined : notLoaded(stored.view, "");
  } catch {
    // One session that cannot be read does not hide the others; asking for it by its id tells what is wrong.
    return undefined;
  }
}

type Filter = NonNullable<MethodParams["session/list"]["filter"]>;

interface ListPlace {
  readonly updatedAtMs: number;
  readonly id: string;
}

function placeOf(cursor: string): ListPlace | undefined {
  const match = /^l:(\d+(?:\.\d+)?):([a-z0-9_-]+)$/i.exec(cursor);
  return match === null ? undefined : { updatedAtMs: Number(match[1]), id: match[2]! };
}

function isAfter(log: ListPlace, at: ListPlace): boolean {
  return log.updatedAtMs < at.updatedAtMs || (log.updatedAtMs === at.updatedAtMs && log.id > at.id);
}

function passes(row: Session, { sessionId, branch, text }: Filter): boolean {
  if (sessionId !== undefined && !sessionId.anyOf.some((id) => keyOf(id) === keyOf(row.sessionId)))
    return false;
  if (branch !== undefined && !branch.anyOf.includes(row.branch ?? null)) return false;
  if (text === undefined) return true;
  const fields = row as unknown as Readonly<Record<string, unknown>>;
  const words = text.fields.map((field) => String(fields[field] ?? "").toLowerCase()).join("\n");
  const has = (term: string) => words.includes(term.toLowerCase());
  return (text.allOf ?? []).every(has) && (text.anyOf === undefined || text.anyOf.some(has));
}
