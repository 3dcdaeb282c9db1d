/** All queries, by their method. */
import type {
  LogEvent,
  MethodName,
  MethodParams,
  MethodResults,
} from "../../generated/workspace/stable/types.js";
import type { CommandName } from "./commands/command.js";
import { eventOf, feedbackOf, ruleOf, runStateOf } from "./records.js";
import { rejected } from "./rejections.js";
import type { Kind, Reader, Stored } from "./storage/storage.js";

/** A method of the bundle that changes nothing. */
export type QueryName = Exclude<MethodName, CommandName>;

/** Answers a query. Throws a rejection. */
export type QueryHandler<M extends QueryName> = (
  reader: Reader,
  params: MethodParams[M],
) => Promise<MethodResults[M]>;

/** How many there are on a page where it is not said. */
const PAGE = 50;

/** A handler for every query of the bundle: a missing one does not compile. */
export const queries: { readonly [M in QueryName]: QueryHandler<M> } = {
  "event/list": async (reader, { type, ...page }) => {
    const { rows, next } = await pageOf(reader, "event", page, { group: type });
    return { events: rows.map(eventOf), ...next };
  },
  "event/read": async (reader, { eventId }): Promise<{ event: LogEvent }> => ({
    event: eventOf(await found(reader, "event", eventId)),
  }),
  "rule/list": async (reader, { state, ...page }) => {
    const { rows, next } = await pageOf(reader, "rule", page, { state });
    return { rules: rows.map(ruleOf), ...next };
  },
  "rule/read": async (reader, { ruleId }) => ({ rule: ruleOf(await found(reader, "rule", ruleId)) }),
  "run/list": async (reader, { status, ruleId, ...page }) => {
    const { rows, next } = await pageOf(reader, "run", page, { group: ruleId, state: status });
    return { runs: rows.map((row) => runStateOf(row).run), ...next };
  },
  "run/read": async (reader, { runId }) => ({ run: runStateOf(await found(reader, "run", runId)).run }),
  "feedback/list": async (reader, { runId, ...page }) => {
    const { rows, next } = await pageOf(reader, "feedback", page, { group: runId });
    return { feedback: rows.map(feedbackOf), ...next };
  },
};

/** A page, and where the next one begins if there is one. */
async function pageOf(
  reader: Reader,
  kind: Kind,
  { after, limit = PAGE }: { readonly after?: number; readonly limit?: number },
  { group, state }: { readonly group?: string | undefined; readonly state?: string | undefined },
): Promise<{ readonly rows: readonly Stored[]; readonly next: { nextAfter?: number } }> {
  const found = await reader.list(kind, {
    ...(after === undefined ? {} : { after }),
    ...(group === undefined ? {} : { group }),
    ...(state === undefined ? {} : { state }),
    limit: limit + 1,
  });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last !== undefined ? { nextAfter: last.position } : {} };
}

async function found(reader: Reader, kind: "event" | "rule" | "run", id: string): Promise<Stored> {
  const stored = await reader.get(kind, id);
  if (stored === undefined) throw rejected(`${kind}_not_found`, `there is no ${kind} ${id}`);
  return stored;
}
