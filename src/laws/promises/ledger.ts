/** What is promised of the ledger of commands (section 6). */
import { excluded, laws, type PromiseRow, row, tests } from "./row.js";

/** See the top of the file. */
export const ledgerPromises: readonly PromiseRow[] = [
  row(
    "6-one-ledger",
    "What a host knows of commands is in the log of their session.",
    laws("command-histories", "store-laws"),
  ),
  row(
    "6.1-exactly-once",
    "A command has one effect, however often it is sent.",
    laws("exactly-one-effect", "duplicates-at-once"),
  ),
  row("6.1-identical-ack", "A duplicate gets the first ack, value for value.", laws("replay-identity")),
  row("6.1-durable-dedupe", "A duplicate is known as one after a crash.", laws("dedupe-after-crash")),
  row("6.1-payload-identity", "Another payload under an id is a conflict.", laws("conflict-payload")),
  row("6.1-rejection-replay", "A rejected command gets its rejection again.", laws("rejection-replay")),
  row("6.2-intake-first", "What was acked is durable.", laws("ack-implies-durable")),
  row("6.2-unknown-admits", "An id that nobody knows is admitted.", laws("unanswered-is-safe")),
  row(
    "6.2-unsettled-alive",
    "A command that is under way gets its ack.",
    laws("late-joiner", "duplicates-at-once"),
  ),
  row(
    "6.2-late-rejection",
    "An ack may be followed by a rejection, a rejection by nothing else.",
    laws("deferred-launch-failure", "abandoned-is-stable"),
  ),
  row(
    "6.2-abandoned",
    "What was taken in and not settled is settled by recovery; its old ack is not repeated.",
    laws("abandoned-settlement", "abandoned-is-stable"),
  ),
  row("6.2-queued-kept", "What waited keeps its ack over a restart.", laws("queued-ack-survives")),
  row(
    "6.2-conflict-always",
    "Another payload is a conflict whatever became of the first.",
    laws("conflict-payload", "conflict-changes-nothing"),
  ),
  row("6.2-late-joiners", "Who joins late sees what is pending.", laws("late-joiner")),
  row(
    "6.2-client-invents-nothing",
    "A client learns the end of a command from its host.",
    tests("client/pending/law.test.ts"),
  ),
  row("6.3-host-lifetime", "Stops are remembered while the host lives.", laws("carrier-less-replay")),
  row(
    "6.3-after-restart",
    "After a restart a stop with a target does nothing more.",
    laws("carrier-less-after-restart"),
  ),
  row(
    "6.3-resolved-once",
    "A stop without a target that is sent again is for the turn that it was for.",
    laws("carrier-less-replay"),
  ),
  row("6.4-durability-said", "The handshake says whether sessions outlive the host.", laws("handshake")),
  row(
    "6.4-unknown-durability",
    "A client takes a word that it does not know for ephemeral.",
    tests("client/handshake.test.ts", "client/host-lost.test.ts"),
  ),
  row("6.4-within-life", "An ephemeral host keeps everything while it lives.", laws("ephemeral-within-life")),
  row(
    "6.4-nothing-survives",
    "An ephemeral host claims nothing of the one before it.",
    laws("ephemeral-claims-nothing"),
  ),
  row(
    "6.4-withheld",
    "An ephemeral host serves no method that needs a store.",
    laws("ephemeral-claims-nothing"),
  ),
  row(
    "6.5-scope",
    "An id belongs to its session.",
    excluded("no source says how far an id reaches: hosts may differ"),
  ),
  row("6.5-method", "The method belongs to the payload.", laws("conflict-method")),
  row("6.5-unknown-members", "Members that nobody knows are no part of the payload.", laws("payload-blind")),
  row(
    "6.5-order",
    "The order of members, white space and escapes do not count; the order of a list does.",
    laws("payload-blind", "payload-sharp"),
  ),
  row(
    "6.5-numbers",
    "Numbers count by their value.",
    tests("host/payloads.test.ts", "host/commands/payload-on-the-wire.test.ts"),
  ),
  row(
    "6.5-null",
    "Null where it is allowed is the absent member; elsewhere it is refused.",
    laws("payload-normalised", "invalid-refused"),
  ),
  row(
    "6.5-defaults",
    "A default is the absent member, and what is trimmed counts trimmed.",
    laws("payload-normalised"),
  ),
  row(
    "6.5-order-of-checks",
    "Checks have one order; the id comes after the session.",
    tests("host/admission.test.ts"),
  ),
  row(
    "6.5-leaves-nothing",
    "What fails before the id is looked up leaves no row.",
    laws("transient-errors-leave-nothing", "server-mints-none"),
  ),
  row(
    "6.5-conflict-overwrites-nothing",
    "A conflict leaves the first row as it is.",
    laws("conflict-changes-nothing"),
  ),
  row(
    "6.5-joins",
    "A duplicate of what is being admitted gets its answer.",
    laws("duplicates-at-once", "duplicates-across-connections", "duplicates-across-reconnect"),
  ),
  row(
    "6.5-recomputed",
    "Other typed errors are found anew each time.",
    laws("transient-errors-leave-nothing"),
  ),
  row(
    "6.5-retention",
    "Rows are kept as long as the log.",
    tests("host/commands/restart.test.ts", "ledger/stores/laws.test.ts"),
  ),
  row(
    "6.6-another-record",
    "The first result is repeated whatever command an id comes with.",
    excluded("a rule of another protocol; not of this one"),
  ),
];
