/**
 * The laws of the view: what a client that joins at any place sees is what one that was there from the beginning sees;
 * pages give the events; cursors are places.
 */

import { isProtocolError } from "../../../generated/msp/experimental/server.js";
import type { Item, SourceRange } from "../../../generated/msp/experimental/types.js";
import { definitions } from "../../../generated/msp/experimental/validators.js";
import { type JoinResult, joinSession, SessionFold } from "../../../src/client/fold/index.js";
import { historyOf, page, standing } from "../../../src/host/queries.js";
import type { SessionRecord } from "../../../src/host/session/records.js";
import { cursorOf, SessionState } from "../../../src/host/session/state.js";
import { SessionViewLog, type ToldEvent } from "../../../src/host/session/view.js";
import type { Random } from "../../../src/laws/random.js";
import { type Counts, hold, same } from "./law.js";

const FRAME = 10_000_000;

/** What is read of a view. A mutant replaces some of it. */
export const READ = {
  page: (view: SessionViewLog, params: Parameters<typeof page>[1]) => page(view, params, FRAME),
  join: (state: SessionState, view: SessionViewLog): JoinResult => ({
    session: view.row(""),
    viewCursor: view.head,
    history: historyOf(view, { exclude: false, preference: "snapshot", frameBytes: FRAME }),
    ...standing(state, view),
  }),
  place: (view: SessionViewLog, cursor: string) => view.place(cursor),
};

/** What is read of a view. */
export type Read = typeof READ;

/** A view with its session, after each entry of a log. */
interface Told {
  readonly events: readonly ToldEvent[];
  /** What was answered to who joined after the event of a number. */
  readonly joins: ReadonlyMap<number, JoinResult>;
  readonly view: SessionViewLog;
}

/** Tells a log as a host would. */
export function tell(
  sessionId: string,
  log: readonly (readonly SessionRecord[])[],
  read: Read = READ,
  retained = 1_000_000,
): Told {
  const state = new SessionState();
  const view = new SessionViewLog(sessionId, retained);
  const events: ToldEvent[] = [];
  const joins = new Map<number, JoinResult>();
  for (const [i, records] of log.entries()) {
    for (const record of records) {
      state.apply(record, i + 1);
      const event = view.apply(record);
      if (event !== undefined) events.push(event);
    }
    joins.set(view.ordinal, structuredClone(read.join(state, view)));
  }
  return { events, joins, view };
}

/** What a fold shows, as far as a snapshot can say it. */
export function shown(fold: SessionFold): Readonly<Record<string, unknown>> {
  const { items, turns, activeTurnId, turnCount, approvals, userInputs, states, gap } = fold.state;
  return {
    items: [...items.values()].map(({ item }) => item),
    active: [activeTurnId, turns.get(activeTurnId ?? "")?.commandId],
    turnCount,
    pending: [
      ...[...approvals.values()].flatMap(({ approvalId, state }) => (state === "pending" ? approvalId : [])),
      ...[...userInputs.values()].flatMap(({ userInputId, state }) =>
        state === "pending" ? userInputId : [],
      ),
    ],
    states: Object.fromEntries(
      Object.entries(states).flatMap(([family, held]) =>
        // What no event has told yet is no difference: only a snapshot says what a session began with.
        held === undefined || UNTOLD.includes(family) ? [] : [[family, held.value]],
      ),
    ),
    gap,
  };
}

const UNTOLD = ["tokenUsage", "branch", "todoList", "contextUsage", "approvalMode", "effectiveModel", "goal"];

/** Snapshots at every cursor and the events after it are the fold from the beginning. */
export function joinsAnywhere({ events, joins }: Told, sessionId: string, counts: Counts): void {
  const whole = new SessionFold(sessionId);
  for (const { method, params } of events) whole.apply(method, params);
  const expected = shown(whole);
  const started = new Set<string | undefined>(
    events.flatMap(({ method, params }) => (method === "turn/started" ? [turnOf(params)] : [])),
  );
  const last = whole.state.states;
  for (const [ordinal, join] of joins) {
    same("a snapshot is one of the schema's", definitions.ViewSnapshot(join.history.snapshot), null);
    const late = new SessionFold(sessionId);
    same("a snapshot is one that the client reads", joinSession(late, join).kind, "seeded");
    same("a snapshot names the cursor of its last event", late.state.head, cursorOf(sessionId, ordinal));
    for (const { method, params } of events.slice(ordinal)) late.apply(method, params);
    if (ordinal > 0)
      for (const [name, value] of Object.entries(shown(late))) {
        // Only a snapshot tells of a turn that is being launched.
        const untold = name === "active" && !started.has(late.state.activeTurnId);
        if (!untold) same(`who joins late sees the same: ${name}`, value, expected[name]);
        else same("who joins late sees no turn that is over", expected[name], [undefined, undefined]);
      }
    for (const family of ["approvalMode", "effectiveModel", "goal", "name", "reasoningEffort"] as const)
      if (last[family] !== undefined)
        same("who joins late knows the same", late.state.states[family]?.value, last[family].value);
    counts.met("a join");
  }
}

function turnOf(params: object): string {
  return (params as { readonly turnId: string }).turnId;
}

/** Pages in either direction, of any size, give the events. */
export function pagesGiveEvents(told: Told, random: Random, counts: Counts, read: Read = READ): void {
  const { events, view } = told;
  const { sessionId, first, ordinal } = view;
  const kept = events.slice(first - 1);
  for (const direction of ["forward", "backward"] as const) {
    const limit = random.int(1, 17);
    const found: unknown[] = [];
    let cursor: string | null | undefined =
      direction === "forward" ? cursorOf(sessionId, first - 1) : undefined;
    for (let pages = 0; cursor !== null; pages++) {
      hold("pages come to an end", pages <= kept.length, { direction, limit });
      const answer = read.page(view, {
        sessionId,
        direction,
        limit,
        ...(cursor === undefined ? {} : { cursor }),
      });
      hold("a page is given", !isProtocolError(answer), answer);
      same("a page is one of the schema's", definitions.ViewPageResult(answer), null);
      hold("a page is as long as was asked", answer.events.length <= limit, answer.events.length);
      if (direction === "forward") found.push(...answer.events);
      else found.unshift(...answer.events);
      cursor = answer.nextCursor;
      counts.met("a page");
    }
    same(
      `pages ${direction} give the events`,
      found,
      kept.map(({ method, params }) => ({ method, params })),
    );
  }
  if (first === 1 && ordinal > 0) {
    const answer = read.page(view, { sessionId, limit: 1_000_000 });
    hold("a page is given", !isProtocolError(answer), answer);
    same("the first page begins with the first event", answer.events[0]?.params, events[0]?.params);
  }
}

/** Every cursor is a place of its own: truncated before what is kept, exact after, and unknown beyond the head. */
export function cursorsArePlaces(told: Told, counts: Counts, read: Read = READ): void {
  const { events, view } = told;
  const { sessionId, first } = view;
  const cursors = events.map(({ params }) => params.viewCursor);
  same("cursors are unique", new Set(cursors).size, cursors.length);
  for (const [i, cursor] of [cursorOf(sessionId, 0), ...cursors].entries()) {
    // A cursor points after its event: with the event before the first that is kept, nothing is missing.
    const place = i < first - 1 ? { kind: "truncated" } : { kind: "at", ordinal: i };
    same("a cursor is its event's place", read.place(view, cursor), place);
    same("what was told between events is at its event", read.place(view, `${cursor}.3`), place);
    const answer = read.page(view, { sessionId, cursor, limit: 3 });
    if (place.kind === "truncated") {
      hold("what is not kept is told to be truncated", isProtocolError(answer), answer);
      const { kind, data } = answer;
      same(
        "what is truncated says what is kept",
        [kind, data["earliestCursor"]],
        ["viewTruncated", cursorOf(sessionId, first - 1)],
      );
      counts.met("a cursor that is truncated");
      continue;
    }
    hold("a page is given", !isProtocolError(answer), answer);
    const next = events.slice(i, i + 3).map(({ params }) => params);
    same(
      "a page begins after its cursor",
      answer.events.map(({ params }) => params),
      next,
    );
    counts.met("a cursor");
  }
  const others = [
    cursorOf(sessionId, events.length + 1),
    `v:${sessionId}:`,
    `v:${sessionId}:1e1`,
    `v:${sessionId}:-1`,
    `w:${sessionId}:1`,
    "v:01a19b7c-a6bc-7000-8000-00000000000f:1",
    "",
  ];
  for (const cursor of others)
    same("no other text is a place", read.place(view, cursor), { kind: "unknown" });
}

/** Each stream numbers its records without holes; an item's range goes from its first record to its last. */
export function rangesHaveNoHoles({ events }: Told, counts: Counts): void {
  const streams = new Map<string, number>();
  const firsts = new Map<string, SourceRange["first"]>();
  for (const { method, params } of events) {
    const { first, last, stream } = params.sourceRange as SourceRange;
    const key = `${stream.kind} ${stream.id}`;
    const next = (streams.get(key) ?? 0) + 1;
    same(`a stream has no holes: ${stream.kind} ${method}`, last.sequence, next);
    streams.set(key, next);
    const item = (params as { readonly item?: Item }).item;
    const itemId = item?.itemId;
    const begins = itemId === undefined ? last : (firsts.get(itemId) ?? last);
    const retracted = method === "item/updated" && item?.retracted === true;
    same("a range begins with the first record of its item", first, retracted ? last : begins);
    if (itemId !== undefined && !firsts.has(itemId)) firsts.set(itemId, first);
    if (itemId !== undefined && begins !== last) counts.met("an item of several records");
    counts.met(`a record of ${stream.kind}`);
  }
}
