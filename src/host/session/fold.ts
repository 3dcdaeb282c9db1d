/**
 * From the text of a log to what is folded from it.
 */
import type { EntryText } from "../../ledger/store.js";
import type { SessionRecord } from "./records.js";

/** What a log is folded into. */
export interface Fold {
  /** Takes the next record. `position`: that of its entry; 0 where the entry was durable before this holder. */
  apply(record: SessionRecord, position: number): unknown;
}

/** The records of an entry. */
export function recordsOf(entry: EntryText): readonly SessionRecord[] {
  return JSON.parse(entry) as SessionRecord[];
}

/** Folds a log as it was found: positions begin anew with each holder, and what was found is durable. */
export function foldEntries(entries: Iterable<EntryText>, ...folds: readonly Fold[]): void {
  for (const entry of entries)
    for (const record of recordsOf(entry)) for (const fold of folds) fold.apply(record, 0);
}
