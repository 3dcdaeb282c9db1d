// Ids of commands by number, as a client mints them: one after the other in the order of their time.

/** The id of a number: a UUIDv7, one piece of text as a message has it, and not two that are put together when it is read. */
export function commandId(n) {
  return JSON.parse(`"0192f5c8-7a1e-7000-8000-${n.toString(16).padStart(12, "0")}"`);
}
