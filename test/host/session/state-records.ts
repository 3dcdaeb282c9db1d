/** Records of a log, as short as they can be, and the state that they make. */
import type { SessionRecord, ViewEvent } from "../../../src/host/session/records.js";
import type { SessionState } from "../../../src/host/session/state.js";
import { NOW, Stage, TIME } from "./decide/stage.js";

/** An id. */
export const A = "01a19b7c-a6bc-7000-8000-00000000000a";
/** Another one. */
export const B = "01a19b7c-a6bc-7000-8000-00000000000b";
/** A third one. */
export const C = "01a19b7c-a6bc-7000-8000-00000000000c";
/** What is submitted. */
export const payload = { input: [{ type: "text", text: "Prune" }] };

/** An event of the view. */
export function event(method: ViewEvent["method"], params: object, more: object = {}): SessionRecord {
  return { type: "event", method, params, at: NOW, ...more } as SessionRecord;
}
/** A command is taken in. */
export const received = (id: string, method = "turn/start"): SessionRecord => ({
  type: "received",
  id,
  method,
  signature: "s",
  payload,
  answer: { ack: {} },
  at: NOW,
});
/** A command has its outcome. */
export const settled = (id: string): SessionRecord => ({ type: "settled", id, outcome: "accepted", at: NOW });
/** A turn is asked for. */
export const turn = (turnId: string, place: "now" | "first" | "last", more: object = {}): SessionRecord => ({
  type: "turn",
  turnId,
  commandId: turnId,
  kind: "submit",
  place,
  at: NOW,
  ...more,
});
/** A turn has started. */
export const startedTurn = (turnId: string) => event("turn/started", { turnId, commandId: turnId });
/** A turn has ended. */
export const completed = (turnId: string, more: object = {}) =>
  event("turn/completed", { turnId, terminal: "completed", ...more });
/** Something is told of an item of the turn A. */
export const told = (item: object, method: ViewEvent["method"] = "item/started") =>
  event(method, { item: { revision: 1, status: "inProgress", turnId: A, recordedAt: TIME, ...item } });

/** The state of a session with some records. */
export function folded(...records: readonly SessionRecord[]): SessionState {
  const stage = new Stage();
  stage.apply(records);
  return stage.state;
}
