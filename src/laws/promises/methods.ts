/** What is promised of commands as such, and of methods (sections 1 and 2). */
import { excluded, laws, type PromiseRow, row, tests } from "./row.js";

/** See the top of the file. */
export const methodPromises: readonly PromiseRow[] = [
  row("1-id-required", "A command without a commandId is invalid.", laws("command-id-required")),
  row(
    "1-id-is-the-clients",
    "The host makes no id up for a command that has none.",
    laws("server-mints-none"),
  ),
  row(
    "1-effects-on-the-view",
    "What a command did is told as events of the view, not by its answer alone.",
    laws("exactly-one-effect", "snapshot-and-suffix"),
  ),
  row(
    "1-ack-envelope",
    "An ack repeats the id, has the status accepted, and the members of its method.",
    laws("valid-messages", "command-histories"),
  ),
  row("1-noop-of-compact", "Compaction alone may be acked as noop.", tests("host/session/schedules.test.ts")),
  row(
    "1-rejection-envelope",
    "A durable rejection is commandRejected with the id and a reason.",
    laws("rejection-replay", "valid-messages"),
  ),
  row(
    "1-unknown-reason-final",
    "A client takes a reason that it does not know for final.",
    tests("client/pending/pending-command-set.test.ts"),
  ),
  row(
    "1-loaded-session",
    "The session of a command has to be loaded on the host that is asked.",
    laws("settle-once", "ephemeral-claims-nothing"),
  ),
  row(
    "1-session-elsewhere",
    "A session that another host has is answered sessionInUse.",
    laws("settle-once"),
  ),
  row(
    "1-duplicate-unlabelled",
    "A duplicate gets the same members with the same values.",
    laws("replay-identity"),
  ),
  row(
    "1-retry-identity",
    "A retry has a new request id, the same command id and the same payload.",
    tests("client/commands.test.ts"),
  ),
  row(
    "1-text-for-people",
    "Nobody decides by the text of a message.",
    excluded("texts are free; no law reads them"),
  ),
  row("1.1-version-seven", "An id that is no UUID of version 7 is invalid.", laws("command-id-format")),
  row(
    "1.1-other-uuids",
    "Ids of turns may be of any version; what is no UUID is invalid.",
    laws("invalid-refused", "valid-accepted"),
  ),
  row(
    "1.1-letter-case",
    "An id in another letter case is the same id, and is repeated as it was sent.",
    laws("command-id-letter-case"),
  ),
  row(
    "2-commands-by-schema",
    "What is a command is read from the schema: its params require a commandId.",
    tests("host/commands/list.test.ts", "schema/msp.test.ts"),
  ),
  row("2-unknown-method", "A method that there is not is methodNotFound.", laws("invalid-refused")),
  row(
    "2.1-results",
    "The result of each method has the members of its schema.",
    laws("valid-messages", "valid-accepted"),
  ),
  row(
    "2.1-required-params",
    "A required member of params that is missing is refused.",
    laws("invalid-refused"),
  ),
  row("2.1-acks-without-echo", "Acks that have no commandId are acks all the same.", laws("replay-identity")),
  row(
    "2.1-stop-names-turn",
    "The ack of a stop names its turn, also where the command did not.",
    laws("carrier-less-replay", "valid-messages"),
  ),
  row("2.1-stop-all", "To stop all tasks is accepted when none runs.", tests("host/commands/replay.test.ts")),
  row(
    "2.2-queries",
    "What only asks needs no id and changes nothing.",
    laws("valid-accepted", "answered-once"),
  ),
  row(
    "2.3-actions",
    "What changes something without an id is not sent again by itself.",
    tests("client/commands.test.ts"),
  ),
  row(
    "2.4-closed-words",
    "A word that a closed vocabulary does not have is refused.",
    laws("invalid-refused"),
  ),
  row(
    "2.4-open-words",
    "A word that an open vocabulary does not have yet does no harm.",
    laws("open-values"),
  ),
];
