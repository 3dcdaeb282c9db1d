// Sessions and single turns: what is told, and in which order.
import { Session, WORKSPACE } from "./session.mjs";

/** What opens most scenarios: the handshake, and a session. */
export function open(rec, { durability, ...options } = {}) {
  rec.handshake({ durability });
  rec.shows("The handshake: a request, its answer, and the notification that opens the connection.");
  const session = Session.start(rec, options);
  rec.shows("A new session is announced before the request that started it is answered.");
  return session;
}

/** The scenarios by name. */
export const turns = {
  "session-start": (rec) => {
    rec.handshake();
    rec.shows("The handshake.");
    Session.start(rec, { sessionId: rec.id(), approvalMode: "promptUnmatched" });
    rec.shows(
      "A session under an id of the client's choice: announced, then answered with the same row and with the place in its view from which events follow. No event bears that cursor.",
    );
  },

  "session-id-conflict": (rec) => {
    const session = open(rec, { sessionId: rec.id() });
    const again = rec.request("session/start", {
      commandId: rec.id(),
      sessionId: session.sessionId,
      workspaceRoot: WORKSPACE,
    });
    session.reject(again, "session_id_conflict");
    rec.shows(
      "An id that the client chooses never selects a session that is there: another command is rejected.",
    );
  },

  "text-turn": (rec) => {
    const session = open(rec);
    const request = session.submit("Which apple trees need pruning before the frost?");
    session.ackStarted(request);
    rec.shows("The ack tells that the turn was admitted and runs; the turn has the id of the command.");
    const turn = session.launch(request);
    rec.shows("The turn begins: the first record of its own stream.");
    turn.input();
    rec.shows("The input comes back as an item, complete at revision 1, with the id of its command.");
    const answer = turn.opened();
    for (const part of [
      "The three by the west wall 🍎",
      " first; they carry",
      " last year’s water shoots.",
    ]) {
      answer.delta(part);
    }
    rec.shows(
      "An answer that streams is opened without records, and its deltas have none either: they are passing events, with cursors between those of stored ones.",
    );
    answer.finish("completed");
    rec.shows("The finished item is whole, at a higher revision; its text is the deltas in a row.");
    turn.completed("completed", { timeToFirstTokenMs: 60 });
    rec.shows("The turn ends once, after the last of its items.");
  },

  "two-turns": (rec) => {
    const session = open(rec);
    for (const [text, answer] of [
      ["Name the oldest tree in the orchard.", "The Bramley by the gate, planted in 1931."],
      ["And the youngest?", "A Discovery, grafted this spring."],
    ]) {
      const turn = session.run(text);
      turn.streamed([answer]);
      turn.completed();
      rec.shows("A turn from its submission to its end. The view of the session goes on where it was.");
    }
  },

  "cancel-mid-turn": (rec) => {
    const session = open(rec);
    const turn = session.run("Count the fruit on every tree, row by row.");
    const answer = turn.opened("commentary");
    answer.delta("Starting with the first row: ");
    const tool = turn.tool("shell", { command: "count-fruit --row 1" });
    tool.delta("tree 1: 212\n", { field: "output", target: "visibleOutput" });
    rec.shows("A turn with a message that still streams and a tool call that still runs.");
    const cancel = session.command("turn/cancel", { turnId: turn.turnId });
    session.ack(cancel, { turnId: turn.turnId });
    rec.shows("The ack means that the cancellation was admitted, not that the turn has ended.");
    answer.finish("cancelled");
    tool.finish("cancelled", { truncated: false });
    rec.shows("Every open item gets its end first, with what it has so far.");
    turn.completed("cancelled", { reason: "cancelled by the client" });
    rec.shows("Only then is the turn over. It has no error: being cancelled is not a failure.");
  },

  "interrupt-retract": (rec) => {
    const session = open(rec);
    const request = session.submit("Spray the whole orchard with copper.");
    session.ackStarted(request);
    const turn = session.launch(request);
    const message = turn.input();
    rec.shows("A turn begins; the agent has said nothing yet.");
    const { turnId } = turn;
    session.ack(session.command("turn/interrupt", { turnId, retract: true }), { turnId });
    turn.completed("cancelled", { reason: "interrupted by the client" });
    rec.shows("The interrupt stops the turn like any other.");
    rec.emit("turn/retracted", {
      ...session.stored(),
      turnId,
      commandId: request.params.commandId,
      outcome: "accepted",
    });
    message.update("completed", { retracted: true });
    rec.shows(
      "Since no output had been committed, the input is withdrawn: told under the id of the command that submitted it, and the item comes again at a higher revision with the mark.",
    );
  },

  steer: (rec) => {
    const session = open(rec);
    const turn = session.run("Draw up a watering plan for June.");
    const answer = turn.opened("commentary");
    answer.delta("Working from the soil map");
    rec.shows("A turn runs.");
    const request = session.submit("Leave out the pear rows, they are drip-fed.", { ifBusy: "steer" });
    session.ack(request, { turnId: turn.turnId, startedNewTurn: false, disposition: "steered" });
    rec.shows("A steer joins the running turn: its ack names that turn, and no turn begins.");
    turn.input(request, { steered: true });
    rec.shows("It shows as an item of that turn with its own command id and the mark `steered`.");
    answer.delta(", pears left out.");
    answer.finish("completed");
    turn.message("Plan for June: apples on Mondays, plums on Thursdays.");
    turn.completed();
    rec.shows("The one turn goes on and ends once.");
  },

  "steer-expected-turn": (rec) => {
    const session = open(rec);
    const turn = session.run("List the grafts that took.");
    rec.shows("A turn runs.");
    const steer = (expectedTurnId, text) =>
      session.command("turn/steer", { expectedTurnId, input: [{ type: "text", text }] });
    const request = steer(turn.turnId, "Only those of this spring.");
    session.ack(request, { turnId: turn.turnId });
    turn.input(request, { steered: true });
    rec.shows("`turn/steer` names the turn it is meant for, and joins it.");
    turn.message("Eleven of fourteen took; the three failures are all on the quince stock.");
    turn.completed();
    rec.shows("The turn ends.");
    session.reject(steer(turn.turnId, "Add the rootstock of each."), "turn_not_running");
    rec.shows(
      "A steer that comes too late is rejected; it becomes neither a new turn nor part of another one.",
    );
  },

  "interrupt-nothing": (rec) => {
    const session = open(rec);
    const turn = session.run("Is the gate shut?");
    turn.message("It is.");
    turn.completed();
    rec.shows("A turn runs and ends.");
    session.reject(session.command("turn/interrupt", { turnId: turn.turnId }), "already_terminal");
    rec.shows("Stopping what is over is rejected: no ack for an effect that cannot be.");
  },
};
