/** A state from records that are at hand. */
import type { SessionRecord } from "../../../src/host/session/records.js";
import { SessionState } from "../../../src/host/session/state.js";

/** Folds a log from its beginning: a list of the records of each entry. */
export function foldLog(entries: Iterable<readonly SessionRecord[]>): SessionState {
  const state = new SessionState();
  let position = 0;
  for (const records of entries) {
    position++;
    for (const record of records) state.apply(record, position);
  }
  return state;
}
