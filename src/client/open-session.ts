/**
 * Makes sessions. It is loaded when the first one is opened: a program that only sends commands does without the fold
 * and the pending set.
 */
import { PendingCommandSet } from "./pending/index.js";
import { readSavedSession, type SavedSession } from "./saved-session.js";
import { Session } from "./session.js";
import type { SessionHost, SessionOptions } from "./session-types.js";
import type { TurnInput } from "./submissions.js";

/** A session that knows nothing yet. */
export function newSession(host: SessionHost, sessionId: string, options?: SessionOptions): Session {
  return new Session(host, sessionId, options);
}

/**
 * A session with what was in flight before this program's restart, and the cursor to go on from.
 * @throws SavedSessionError, SavedPendingError, or SessionDiscardedError for what died with an ephemeral host
 */
export function savedSession(
  host: SessionHost,
  sessionId: string,
  saved: SavedSession,
  options?: SessionOptions,
): { readonly session: Session; readonly cursor: string | undefined } {
  const { cursor, pending } = readSavedSession(saved);
  const set = PendingCommandSet.restore<TurnInput>(pending, host);
  return { session: new Session(host, sessionId, options, set), cursor };
}
