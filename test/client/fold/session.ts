/** What the tests of the fold speak of: frames of one session, and what of a view can be compared. */

import type { FoldedItem, FoldOutcome, SessionView } from "../../../src/client/fold/index.js";
import * as client from "../../../src/client/fold/index.js";
import * as served from "../../../src/client/fold/serve-snapshot.js";
import type { Transcript } from "../../../src/transcripts/index.js";

/** The fold as a module, so that a poisoned one can take its place. */
export type FoldModule = typeof import("../../../src/client/fold/index.js") &
  typeof import("../../../src/client/fold/serve-snapshot.js");

/** The fold as it is. */
export const kit: FoldModule = { ...client, ...served };

/** The session of the tests. */
export const SESSION = "s1";

/** Params of a frame. */
export type Params = Readonly<Record<string, unknown>>;

/** A frame of the host as a fold gets it. */
export interface Frame {
  readonly method: string;
  readonly params: Params;
}

/** A stored event, one that is not stored, or a request that repeats an event. */
export type EventKind = "durable" | "ephemeral" | "request";

/** A frame of a view. */
export interface ViewEvent extends Frame {
  readonly kind: EventKind;
  readonly cursor: string;
}

/** A cursor of the session. */
export function cursorAt(n: number | string): string {
  return `v:${SESSION}:${n}`;
}

/** The params of a durable event, with its place in the view. */
export function durable(n: number | string, members: object): Params {
  const at = { id: `r${n}`, sequence: 1 };
  const sourceRange = { stream: { kind: "session", id: SESSION }, first: at, last: at };
  return { sessionId: SESSION, viewCursor: cursorAt(n), sourceRange, ...members };
}

/** The params of an event that is not stored. */
export function ephemeral(n: number | string, members: object): Params {
  return { sessionId: SESSION, viewCursor: cursorAt(n), ...members };
}

/** The frames of a recording that a fold gets, replies to the client aside. */
export function hostFrames(transcript: Transcript): (Frame & { readonly line: number })[] {
  return transcript.lines.flatMap(({ dir, raw, line }) => {
    const { method, params = {} } = JSON.parse(raw) as { method?: string; params?: Params };
    return dir === "server" && method !== undefined ? [{ method, params, line }] : [];
  });
}

/** The results that a recording answers to calls of a method. */
export function resultsOf(transcript: Transcript, called: string): Params[] {
  const frames = transcript.lines.map(({ raw }) => JSON.parse(raw) as Params);
  const ids = frames.filter(({ method }) => method === called).map(({ id }) => id);
  return frames.flatMap(({ id, method, result }) =>
    method === undefined && ids.includes(id) && result !== undefined ? [result as Params] : [],
  );
}

/** The session that a recording is about: the one its host frames name; undefined where there is none. */
export function sessionOf(transcript: Transcript): string | undefined {
  const named = hostFrames(transcript).flatMap(({ params }) => {
    const { sessionId } = params;
    return typeof sessionId === "string" ? [sessionId] : [];
  });
  return named[0];
}

/** An outcome as one word. */
export function word(outcome: FoldOutcome | { readonly kind: "held" }): string {
  return "why" in outcome ? `${outcome.kind}:${outcome.why}` : outcome.kind;
}

/** A view as plain values. */
export function plain({ shownItem }: Pick<FoldModule, "shownItem">, view: SessionView) {
  const entries = <T>(map: ReadonlyMap<string, T>) => Object.fromEntries(map);
  const states = Object.entries(view.states).map(([family, state]) => [family, state?.value ?? null]);
  return {
    items: [...view.items.values()].map((item: FoldedItem) => shownItem(item)),
    turns: entries(view.turns),
    approvals: entries(view.approvals),
    userInputs: entries(view.userInputs),
    states: Object.fromEntries(states) as Readonly<Record<string, unknown>>,
    turnCount: view.turnCount,
  };
}

/** A value without the ids of the records behind events. */
export function withoutRecordIds<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, function (this: unknown, key, inner: unknown) {
      const inRange = typeof this === "object" && this !== null && "sequence" in this;
      return key === "id" && inRange ? undefined : inner;
    }),
  ) as T;
}
