/** What is promised of errors, stability and tolerance (sections 7 and 8). */
import { excluded, laws, type PromiseRow, row, tests } from "./row.js";

/** See the top of the file. */
export const errorPromises: readonly PromiseRow[] = [
  row("7-typed", "A failure is one typed error.", laws("valid-accepted", "answered-once")),
  row("7.1-shape", "An error has a code and a text; its data has a kind.", laws("valid-messages")),
  row("7.1-branch-by-kind", "Who decides by an error decides by its kind.", tests("client/commands.test.ts")),
  row(
    "7.1-retryable",
    "What the data says of a retry goes before the row.",
    tests("client/commands.test.ts"),
  ),
  row(
    "7.2-rows",
    "The code of an error is that of its kind, and its data has the members of it.",
    laws("invalid-refused", "valid-accepted", "valid-messages"),
  ),
  row("7.2-parse-error", "A line that is no JSON is parseError.", laws("invalid-refused")),
  row("7.2-invalid-request", "JSON that is no message is invalidRequest.", laws("invalid-refused")),
  row(
    "7.2-handshake-order",
    "Before the handshake it is notInitialized, at a second one alreadyInitialized.",
    laws("invalid-refused"),
  ),
  row(
    "7.2-method-not-found",
    "A method that is not served is methodNotFound.",
    laws("invalid-refused", "valid-accepted"),
  ),
  row(
    "7.2-invalid-params",
    "Params that are not valid are invalidParams, and nothing comes of them.",
    laws("invalid-refused"),
  ),
  row(
    "7.2-internal",
    "Valid params are never answered as a fault of the host.",
    laws("valid-accepted", "open-values"),
  ),
  row(
    "7.2-overloaded",
    "Overloaded and backpressured admit nothing and may be tried again.",
    tests("host/faults.test.ts", "host/admission.test.ts"),
  ),
  row(
    "7.2-capability",
    "What needs a capability is capabilityRequired without it.",
    tests("host/connection.test.ts", "host/admission.test.ts"),
  ),
  row(
    "7.2-sessions",
    "Each way in which a session is not there has its own error.",
    tests("host/admission.test.ts", "host/crash/two-hosts.test.ts"),
  ),
  row(
    "7.2-view",
    "Cursors that are unknown or truncated have their own errors.",
    tests("host/connection-view.test.ts", "host/session/corners.test.ts"),
  ),
  row(
    "7.2-approvals",
    "Approvals and questions that are unknown, settled or answered wrongly have their own errors.",
    tests("host/session/schedules.test.ts", "host/admission.test.ts"),
  ),
  row(
    "7.2-others",
    "Skills, plugins, marketplaces and uploads that there are not have their own errors.",
    laws("valid-accepted"),
  ),
  row(
    "7.2-experimental-rows",
    "Errors of the experimental surface are for who asked for it.",
    excluded("no host of this project serves a method that answers them"),
  ),
  row(
    "7.3-reasons",
    "Reasons are an open vocabulary; each rejection has one.",
    laws("rejection-replay", "valid-messages"),
  ),
  row(
    "7.3-protocols-words",
    "Conflict, abandoned and deferred launch have the protocol's words.",
    laws("conflict-payload", "abandoned-settlement", "deferred-launch-failure"),
  ),
  row(
    "7.3-targets",
    "What is missing or over is rejected in the protocol's words.",
    laws("late-cancel", "unqueue-no-cancel"),
  ),
  row("8-echo", "The handshake says whether the experimental surface is open.", laws("handshake")),
  row(
    "8-gate",
    "Without opt-in what is experimental is refused by its descriptor, before its value is looked at.",
    laws("experimental-gate"),
  ),
  row("8-ordinary", "With opt-in it is checked as any other.", laws("experimental-ordinary")),
  row("8-stripped", "Without opt-in nothing experimental is told.", laws("experimental-stripped")),
  row(
    "8-unknown-members",
    "Members that nobody knows are ignored; strict methods refuse them.",
    laws("unknown-members", "payload-blind"),
  ),
  row(
    "8-kept-by-clients",
    "Clients keep what they do not know.",
    tests("client/fold/rules.test.ts", "client/fold/snapshot.test.ts"),
  ),
  row("8-null-refused", "Null is refused where the protocol says so.", laws("invalid-refused")),
  row(
    "8-null-tolerated",
    "Null is absence where the protocol says so.",
    laws("payload-normalised", "valid-accepted"),
  ),
  row("8-grants", "A capability is granted where it was asked for, or is everybody's.", laws("handshake")),
  row(
    "8-ids-and-batches",
    "A request id is a text or a whole number; there are no batches.",
    laws("invalid-refused", "frames"),
  ),
  row(
    "8-client-name",
    "The name of a client is of small letters, digits and underscores.",
    laws("handshake"),
  ),
  row(
    "8-receipts",
    "A request to the user is answered by a receipt; deciding is a command.",
    laws("valid-messages", "late-joiner"),
  ),
  row(
    "8-view-is-one",
    "The view is the same by pushes, by pages, and by snapshots, and a cursor names one event.",
    laws("page-equals-push", "snapshot-and-suffix", "cursors-unique"),
  ),
  row("8-hosts-live-on", "No line of a client ends a host.", laws("stays-alive")),
];
