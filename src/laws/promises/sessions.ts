/** What is promised of commands about sessions (section 5). */
import { excluded, laws, type PromiseRow, row, tests } from "./row.js";

const ELSEWHERE = "the embedded host does not serve it, and no host of this project can be asked";

/** See the top of the file. */
export const sessionPromises: readonly PromiseRow[] = [
  row(
    "5-start-mints",
    "A session without an id of the client's gets one of the host's.",
    laws("valid-accepted"),
  ),
  row(
    "5-start-conflict",
    "An id that is taken is rejected as session_id_conflict.",
    laws("rejection-replay"),
  ),
  row(
    "5-start-roots",
    "Roots are absolute, and folders that are there; null is refused.",
    laws("invalid-refused"),
  ),
  row(
    "5-start-profile",
    "A permission profile that the host does not know is rejected before anything is written.",
    laws("valid-accepted"),
  ),
  row(
    "5-start-told-first",
    "A session is told before its answer.",
    tests("host/turns.test.ts", "transcripts/replay/replay.test.ts"),
  ),
  row(
    "5-start-replay",
    "A start that is sent again gives the same session.",
    laws("replay-identity", "duplicates-at-once"),
  ),
  row(
    "5-resume-attaches",
    "To resume a session is to listen to it, with its history.",
    laws("snapshot-and-suffix", "late-joiner"),
  ),
  row("5-resume-cursor", "After a cursor comes what was told after it.", laws("snapshot-and-suffix")),
  row(
    "5-resume-unknown-cursor",
    "A cursor that nobody knows is notFound with missingAnchor.",
    tests("host/connection-view.test.ts"),
  ),
  row(
    "5-resume-truncated",
    "A cursor before what is kept is viewTruncated.",
    tests("host/connection-view.test.ts"),
  ),
  row("5-resume-asks-again", "What waits for the user is asked again.", laws("late-joiner")),
  row(
    "5-fork",
    "To fork at a turn that there is not, or that runs, is refused.",
    tests("host/admission.test.ts", "host/commands/replay.test.ts"),
  ),
  row(
    "5-leave",
    "A session that was left is told as closed, and what came of it is told.",
    tests("host/commands/leaving.test.ts"),
  ),
  row(
    "5-leave-again",
    "To leave again is accepted again and tells the same.",
    tests("host/commands/leaving.test.ts"),
  ),
  row(
    "5-rename",
    "A name is taken; an ephemeral host has no such method.",
    laws("valid-accepted", "ephemeral-claims-nothing"),
  ),
  row(
    "5-compact",
    "A compaction is an item with its end; without history it is a noop.",
    laws("valid-messages"),
  ),
  row(
    "5-model",
    "A model that cannot be had is rejected, one that can be is told.",
    laws("open-values", "valid-accepted"),
  ),
  row(
    "5-mode",
    "A mode is told with what came of it; above the ceiling it is rejected.",
    tests("host/approval-modes.test.ts"),
  ),
  row("5-effort", "An effort is durable when it is acked.", laws("dedupe-after-crash")),
  row("5-recap", "A recap settles once.", excluded(ELSEWHERE)),
  row("5-upload", "Uploads are remembered while the host lives.", excluded(ELSEWHERE)),
  row(
    "5-approval",
    "A decision has to name the current requirement and an offered choice.",
    tests("host/admission.test.ts", "host/session/schedules.test.ts"),
  ),
  row(
    "5-approval-late",
    "Who decides too late is told so; the winner's repeat gets its ack.",
    tests("host/commands/replay.test.ts", "host/session/schedules.test.ts"),
  ),
  row("5-question", "An answer has to fit its question.", tests("host/session/schedules.test.ts")),
  row("5-subagents", "Commands to subagents are identical when they are repeated.", excluded(ELSEWHERE)),
  row("5-workflows", "Commands to workflows are identical when they are repeated.", excluded(ELSEWHERE)),
  row(
    "5-one-writer",
    "A session has one host at a time.",
    laws("settle-once", "epochs-rise", "recovery-spares-the-living", "store-laws"),
  ),
  row(
    "5-which-error",
    "No such session, not loaded, elsewhere: each has its own error.",
    tests("host/admission.test.ts", "host/crash/two-hosts.test.ts"),
  ),
];
