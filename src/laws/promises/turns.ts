/** What is promised of turns and goals (sections 3 and 4). */
import { excluded, laws, type PromiseRow, row, tests } from "./row.js";

/** See the top of the file. */
export const turnPromises: readonly PromiseRow[] = [
  row(
    "3-one-way-in",
    "Turns are begun, steered, stopped and taken back by commands.",
    laws("command-histories"),
  ),
  row(
    "3.1-input",
    "Input is a list of parts and not empty, unless a shell command is there.",
    laws("invalid-refused"),
  ),
  row("3.1-parts", "A part is of a known type and has the members of it.", laws("invalid-refused")),
  row("3.1-mention", "A structured mention is refused.", laws("invalid-refused")),
  row(
    "3.1-text-joined",
    "Texts are joined in their order.",
    excluded("what an agent is given cannot be seen from outside"),
  ),
  row(
    "3.1-image",
    "A picture has a type and base64 that is not empty; width and height come together.",
    laws("invalid-refused", "valid-accepted"),
  ),
  row(
    "3.1-skill",
    "A skill is for the start of a turn, alone or with pictures, and must be known.",
    laws("valid-accepted"),
  ),
  row("3.1-video", "A video names an upload that there is.", laws("valid-accepted")),
  row("3.1-roots", "New roots are refused with a steer and as null.", laws("invalid-refused")),
  row(
    "3.1-shell",
    "A shell command needs its capability.",
    tests("host/admission.test.ts", "host/connection.test.ts"),
  ),
  row("3.1-budget", "A token budget is a whole number from 1 on.", laws("experimental-ordinary")),
  row("3.1-display-text", "The text for display is shown as it was sent.", laws("frames")),
  row(
    "3.1-too-large",
    "What is larger than a frame may be is inputTooLarge.",
    tests("wire/peer.test.ts", "wire/msp.test.ts"),
  ),
  row(
    "3.1-effort-of-a-turn",
    "An effort at the start of a turn is for that turn.",
    excluded("no model of a host can be looked into"),
  ),
  row(
    "3.1-capability-first",
    "A capability is looked at before the session.",
    tests("host/admission.test.ts"),
  ),
  row("3.2-idle-starts", "Where nothing runs a turn starts.", laws("turn-identity")),
  row("3.2-busy-queues", "Where a turn runs the next one waits.", laws("turn-identity", "queue-order")),
  row(
    "3.2-busy-steers",
    "Where a turn runs and a steer is asked for it joins that turn.",
    laws("turn-identity", "steer-stays"),
  ),
  row(
    "3.2-replace",
    "A turn that replaces another runs after that one was stopped.",
    laws("turn-identity", "command-histories"),
  ),
  row(
    "3.2-started-is-started",
    "An ack says startedNewTurn exactly where its disposition is started.",
    laws("turn-identity"),
  ),
  row("3.3-exact-target", "A steer is for the turn that it names, or is rejected.", laws("steer-stays")),
  row("3.3-target-form", "A target that is no UUID is invalid.", laws("invalid-refused")),
  row("3.3-ack-names-turn", "The ack of a steer names the running turn.", laws("steer-stays")),
  row(
    "3.3-steered-item",
    "A steer is shown as a message with its command id, marked as steered.",
    laws("steer-stays"),
  ),
  row("3.3-durable-ack", "A steer is acked when it is durable.", laws("ack-implies-durable")),
  row(
    "3.3-rejected-steer",
    "A rejected steer that is sent again gets its rejection, not a conflict.",
    laws("steer-stays", "rejection-replay"),
  ),
  row(
    "3.4-order-of-a-turn",
    "Ack, start, the user's message, items, end: in this order.",
    laws("turn-identity", "one-end"),
  ),
  row("3.4-queued-after", "A turn that waited starts after the end of the one before.", laws("queue-order")),
  row(
    "3.4-two-exits",
    "A turn that never runs ends by turn/unqueued, or by turn/completed as failed.",
    laws("one-end", "deferred-launch-failure"),
  ),
  row("3.4-steer-starts-nothing", "A steer has no start of its own.", laws("steer-stays")),
  row(
    "3.4-launch-failure",
    "A launch that failed is launchError, and the command is rejected from then on.",
    laws("deferred-launch-failure"),
  ),
  row(
    "3.4-failures-on-the-view",
    "What goes wrong within a turn is its end, not an error of a request.",
    laws("one-end"),
  ),
  row(
    "3.4-end-of-a-turn",
    "A turn has one end; it has an error where it failed and its host lived.",
    laws("one-end", "valid-messages"),
  ),
  row("3.4-orphan", "A turn whose host died has an end afterwards.", laws("abandoned-settlement")),
  row(
    "3.5-snapshot",
    "A snapshot has the running turn, and those that wait in the order of their launch.",
    laws("late-joiner", "queue-order"),
  ),
  row(
    "3.5-admission-order",
    "Turns are launched in the order in which the host admitted them.",
    laws("queue-order"),
  ),
  row(
    "3.5-saturation",
    "A queue that is full is backpressured.",
    tests("host/turns-many.test.ts", "host/faults.test.ts"),
  ),
  row(
    "3.5-queue-survives",
    "A turn that waits survives a restart with its ack.",
    laws("queued-ack-survives"),
  ),
  row("3.6-never-launched", "A turn that was taken back never starts.", laws("unqueue-no-cancel")),
  row("3.6-late", "Too late to take back: rejected, and the turn goes on.", laws("unqueue-no-cancel")),
  row(
    "3.6-old-ack",
    "The command that queued a turn still gets its ack after the turn was taken back.",
    laws("unqueue-no-cancel", "command-histories"),
  ),
  row(
    "3.6-told",
    "The event turn/unqueued names the turn and the command that queued it.",
    laws("unqueue-no-cancel"),
  ),
  row(
    "3.7-lanes",
    "An interrupt overtakes commands, a cancel waits among them.",
    tests("host/session/schedules.test.ts"),
  ),
  row(
    "3.7-current-turn",
    "A stop without a target is for the turn that runs.",
    laws("carrier-less-replay", "late-cancel"),
  ),
  row(
    "3.7-ack-is-admission",
    "The ack of a stop says that it was admitted; the end of the turn says that it is over.",
    laws("late-cancel", "one-end"),
  ),
  row(
    "3.7-open-items",
    "Open items are closed before their turn ends.",
    tests("host/turns.test.ts", "host/session/schedules.test.ts"),
  ),
  row(
    "3.7-retract",
    "An interrupt may withdraw the message, too; paired with nothing it is rejected.",
    tests("host/turns.test.ts", "host/session/schedules.test.ts"),
  ),
  row("3.7-nothing-runs", "To stop what does not run is rejected.", laws("late-cancel")),
  row(
    "3.7-goal-pauses",
    "To interrupt the turn of a goal pauses the goal.",
    tests("host/session/schedules.test.ts"),
  ),
  row(
    "3.7-question-interrupts",
    "To interrupt at a question settles it and ends the turn.",
    laws("valid-messages"),
  ),
  row("3.8-fresh-turn-id", "A fresh turn has the id of its command.", laws("turn-identity")),
  row("3.8-opaque", "Clients read the turn id from the ack.", tests("client/session.test.ts")),
  row(
    "4-trimmed",
    "A goal is its text without the white space at its ends; nothing left is invalid.",
    laws("payload-normalised", "invalid-refused"),
  ),
  row(
    "4-strict",
    "Goal commands without a text refuse other members.",
    laws("payload-strict", "unknown-members"),
  ),
  row(
    "4-missing-goal",
    "Where there is no goal the others are rejected as missing_goal.",
    laws("rejection-replay"),
  ),
  row(
    "4-wakes",
    "A goal that is unfinished wakes a turn where nothing runs.",
    tests("host/session/schedules.test.ts", "transcripts/replay/replay.test.ts"),
  ),
  row("4-busy", "Where a turn runs the ack names it.", tests("host/session/schedules.test.ts")),
  row(
    "4-pause-wakes-nothing",
    "To pause or clear a goal wakes no turn.",
    tests("host/session/schedules.test.ts"),
  ),
  row(
    "4-own-turn-id",
    "A turn that a goal wakes has an id of its own, and names the command.",
    tests("host/session/schedules.test.ts"),
  ),
  row(
    "4-whole-goal",
    "A change tells the whole goal, and only where something changed.",
    tests("host/session/schedules.test.ts"),
  ),
  row(
    "4-replay",
    "A goal that is set again under its id wakes one turn in all.",
    laws("exactly-one-effect", "replay-identity"),
  ),
];
