/**
 * The error of a host that a command got for an answer.
 */

/** The reason by which a restarted host closes an intake that no settlement followed before it died. */
const ABANDONED = "abandoned";

/** The code of an error, and `kind` and `reason` of its data. An `MspError` is one. */
export interface CommandError {
  readonly code: number;
  readonly kind: string;
  /** A missing one counts as the empty word. */
  readonly reason?: string | undefined;
}

/** Whether a durable rejection is that of an intake which a restarted host found without a settlement. */
export function isAbandoned({ reason }: CommandError): boolean {
  return reason === ABANDONED;
}
