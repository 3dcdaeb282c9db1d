// Turns that wait for the running one. A client that repeats its queued commands whenever another turn begins or ends
// (as the official Python client does) meets them here: each such repetition is a line, with its answer. The running
// turn waits for an approval, so that the end that makes the client repeat cannot come before it has read the ack.
import { Approval, ONCE_OR_ABORT } from "./asks.mjs";
import { open } from "./turns.mjs";

const HELD = "A turn runs and waits for an approval, whose request the client has received.";
const REPEATS = "At the end of another turn the client repeats the command that it knows to be queued";

/** A turn that runs until its approval is decided. */
function hold(session, text, command) {
  const turn = session.run(text);
  const approval = new Approval(turn, {
    tool: "shell",
    args: { command },
    subject: { kind: "shell", toolName: "shell", command },
    choices: ONCE_OR_ABORT,
  });
  approval.tell();
  approval.ask();
  approval.receipt();
  const end = () => {
    approval.decide("allow_once");
    approval.resolve();
    approval.item.finish("completed", { visibleOutput: "done\n", truncated: false });
    turn.completed();
  };
  return { turn, end };
}

/** The scenarios by name. */
export const queue = {
  "queued-launch": (rec) => {
    const session = open(rec);
    const { end } = hold(session, "Wash the crates.", "wash --all crates");
    rec.shows(HELD);
    const request = session.submit("Then stack them by the press.", { ifBusy: "queue" });
    session.ackQueued(request);
    rec.shows(
      "A turn submitted meanwhile is queued: admitted, with the id that it will run under, but not begun.",
    );
    end();
    const next = session.launch(request);
    rec.shows("The running turn ends, and at that boundary the queued one begins.");
    session.ackQueued(session.again(request));
    rec.shows(`${REPEATS}; the answer is the first ack, \`queued\` still, although the turn runs by now.`);
    next.input();
    next.streamed(["Forty crates,", " five stacks of eight."]);
    next.completed();
    rec.shows("The turn goes the way of any other.");
  },

  "queued-reject": (rec) => {
    const session = open(rec);
    const { end } = hold(session, "Sharpen the saws.", "sharpen --set orchard");
    rec.shows(HELD);
    const request = session.submit("Then cut back the hedge.", { ifBusy: "queue" });
    session.ackQueued(request);
    rec.shows("A second turn is queued.");
    const failure = "the queued turn could not be launched: no model answers";
    end();
    session.queued(request).launchFailed(failure);
    rec.shows(
      "The running turn ends. The queued one cannot be launched: its one event is a failed end with the error `launchError`, without a beginning.",
    );
    const { commandId } = request.params;
    rec.error(session.again(request), "commandRejected", failure, {
      commandId,
      reason: "deferred_start_failed",
    });
    rec.shows(`${REPEATS}, and learns that it was rejected in the end, although it had been admitted.`);
  },

  reclaim: (rec) => {
    const session = open(rec);
    const turn = session.run("Press the windfalls.");
    const answer = turn.opened();
    answer.delta("Pressing");
    rec.shows("A turn runs.");
    const request = session.submit("Then bottle the juice.", { ifBusy: "queue" });
    session.ackQueued(request);
    rec.shows("A second turn is queued.");
    const { commandId: turnId } = request.params;
    session.ack(session.command("turn/unqueue", { turnId }), { turnId });
    rec.shows("It is taken back: the ack promises that it will not begin.");
    rec.emit("turn/unqueued", { ...session.stored(), turnId, commandId: request.params.commandId });
    rec.shows(
      "Its end is told in the session's stream under the command that queued it. It never gets a beginning or a terminal.",
    );
    answer.delta(": ninety litres.");
    answer.finish("completed");
    turn.completed();
    rec.shows("The running turn is untouched, and nothing follows it.");
    session.ackQueued(session.again(request));
    rec.shows(
      "Repeated, the command that had queued the turn still gets its first ack, and still nothing begins.",
    );
  },

  "reclaim-too-late": (rec) => {
    const session = open(rec);
    const turn = session.run("Weigh the harvest.");
    rec.shows("A turn runs.");
    session.reject(session.command("turn/unqueue", { turnId: turn.turnId }), "turn_already_started");
    rec.shows("A turn that has begun cannot be taken back; the attempt does not cancel it.");
    turn.message("Four tonnes and a bit.");
    turn.completed();
    rec.shows("It runs to its end.");
  },
};
