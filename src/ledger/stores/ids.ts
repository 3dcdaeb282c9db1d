/** What every store holds its callers to: ids that are safe in a path, entries that are safe on a line. */
import type { EntryText } from "../store.js";

const ID = /^[A-Za-z0-9_-]{1,128}$/;

/** Throws a TypeError where an id is not 1 to 128 letters, digits, `_` and `-`: it may become the name of a folder. */
export function checkId(id: string): void {
  if (!ID.test(id)) throw new TypeError(`not an id of a log: ${JSON.stringify(id).slice(0, 200)}`);
}

/** Whether a name could be the id of a log. */
export function isId(name: string): boolean {
  return ID.test(name);
}

/**
 * Throws a TypeError where an entry could not be read back: more than one line, a NUL, or half of a surrogate pair.
 * JSON.stringify makes none of these.
 */
export function checkEntries(entries: readonly EntryText[]): void {
  for (const entry of entries) {
    if (entry === "" || entry.includes("\n") || entry.includes("\0") || !isWellFormed(entry))
      throw new TypeError("an entry of a log is well-formed JSON text on one line");
  }
}

function isWellFormed(text: string): boolean {
  const own = text as string & { isWellFormed?: () => boolean };
  // Safari before 16.4 lacks it; the memory store is for browsers too.
  return (
    own.isWellFormed?.() ??
    !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text)
  );
}
