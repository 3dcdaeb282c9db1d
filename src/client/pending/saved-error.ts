/**
 * What can be wrong with the saved form of pending entries, as data.
 */
import { ClientError, isClientError } from "../errors.js";

/** Why entries cannot be saved or restored. */
export type SavedPendingFault =
  /** What was to be restored is not what `save` writes. */
  | "invalidSavedState"
  /** An input that JSON has no form for, or that it would change. */
  | "unsavableInput";

/** Entries that cannot be saved or restored. Told by `kind`. */
export class SavedPendingError extends ClientError {
  readonly kind: SavedPendingFault;
  /** The place in the saved form, as a JSON Pointer. */
  readonly where: string;
  /** The reason, without the place. */
  readonly why: string;

  constructor(kind: SavedPendingFault, where: string, why: string, options?: ErrorOptions) {
    super(`saved pending commands, at ${JSON.stringify(where)}: ${why}`, options);
    this.name = "SavedPendingError";
    this.kind = kind;
    this.where = where;
    this.why = why;
  }
}

/** Whether a value is a {@link SavedPendingError}. */
export function isSavedPendingError(value: unknown): value is SavedPendingError {
  return isClientError(value) && "where" in value && "why" in value;
}
