/** What keeps doors from being made. */

/** Why there are none. */
export type DoorErrorKind =
  /** The bundle is not made of the generated modules of one surface. */
  | "malformedBundle"
  /** Two methods would have one name at a door, or a method the name of something else. */
  | "nameTaken"
  /** Doors that anybody may go through, and that not only this machine reaches. */
  | "unguarded"
  /** A table of tokens that is none. */
  | "malformedTokens"
  /** The address cannot be had. */
  | "addressUnavailable";

const IS_DOOR_ERROR = Symbol.for("mspkit.doorError");

/** Doors that cannot be made. Told by `kind`. */
export class DoorError extends Error {
  /** Told by this mark and not by its class, since a program may hold two copies of this module. */
  readonly [IS_DOOR_ERROR] = true;
  readonly kind: DoorErrorKind;

  constructor(kind: DoorErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DoorError";
    this.kind = kind;
  }
}

/** Whether a value is a {@link DoorError}. */
export function isDoorError(value: unknown): value is DoorError {
  return typeof value === "object" && value !== null && IS_DOOR_ERROR in value;
}
