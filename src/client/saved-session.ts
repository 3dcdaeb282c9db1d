/**
 * What a program keeps of a session over its own restart.
 */
import { ClientError } from "./errors.js";
import type { SavedPending } from "./pending/saved.js";

/** A session as a JSON value, of a format that the number names. */
export interface SavedSession {
  readonly format: 1;
  readonly sessionId: string;
  /** Where to resume; undefined where nothing was seen. */
  readonly cursor?: string;
  /** What was in flight, with the ids under which it is sent again. */
  readonly pending: SavedPending;
}

/** A value that is no saved session. */
export class SavedSessionError extends ClientError {
  readonly kind = "invalidSavedSession";
  /** JSON Pointer to what is wrong. */
  readonly where: string;

  constructor(where: string, why: string) {
    super(`${where === "" ? "the value" : where} ${why}`);
    this.name = "SavedSessionError";
    this.where = where;
  }
}

/** A saved session, checked but for what is pending, which its own reader checks. */
export function readSavedSession(value: unknown): SavedSession {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new SavedSessionError("", "is no saved session");
  const { format, sessionId, cursor, pending, ...more } = value as Readonly<Record<string, unknown>>;
  if (format !== 1) throw new SavedSessionError("/format", "is not 1");
  if (typeof sessionId !== "string") throw new SavedSessionError("/sessionId", "is no text");
  if (cursor !== undefined && typeof cursor !== "string")
    throw new SavedSessionError("/cursor", "is no text");
  if (pending === undefined) throw new SavedSessionError("/pending", "is not there");
  const [name] = Object.keys(more);
  if (name !== undefined) throw new SavedSessionError(`/${name}`, "is not a member of a saved session");
  return { format, sessionId, ...(cursor === undefined ? {} : { cursor }), pending: pending as SavedPending };
}
