// Ids of commands by number, as a client mints them: one after the other in the order of their time.

/** The id of a number: a UUIDv7. */
export function commandId(n) {
  return `0192f5c8-7a1e-7000-8000-${n.toString(16).padStart(12, "0")}`;
}
