/** What the cases of laws of commands have in common. */
import fc from "fast-check";

/**
 * Which kind of command a case is about, counted round over those that the host serves. Small numbers are not preferred,
 * as fast-check has it elsewhere: every kind is tried as often.
 */
export const anyKind = fc.noBias(fc.nat({ max: 999 }));
