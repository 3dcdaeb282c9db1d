// Commands: repeated, contradicted, refused.
import { Session } from "./session.mjs";
import { open } from "./turns.mjs";

/** The scenarios by name. */
export const commands = {
  "replayed-command": (rec) => {
    const session = open(rec);
    const turn = session.run("Order two bags of bone meal.");
    const answer = turn.opened();
    answer.delta("Ordered");
    rec.shows("A command is admitted and its turn runs.");
    session.ackStarted(session.again(turn.request));
    rec.shows(
      "The same command id and payload under a new request id, while the turn runs: the ack has the same members with the same values, and nothing else happens.",
    );
    answer.delta(": two bags, for Friday.");
    answer.finish("completed");
    turn.completed();
    rec.shows("The one turn goes on and ends.");
    session.ackStarted(session.again(turn.request));
    rec.shows("Once more when all is over: still the first ack, word for word, and no second turn.");
  },

  "command-conflict": (rec) => {
    const session = open(rec);
    const turn = session.run("Move the beehives to the south slope.");
    rec.shows("A command is admitted and its turn runs.");
    const { commandId } = turn.request.params;
    session.reject(
      session.submit("Move the beehives to the barn.", {}, { commandId }),
      "command_id_conflict",
    );
    rec.shows("The same command id with another payload is rejected, and has no effect.");
    turn.message("All six hives stand on the south slope.");
    turn.completed();
    rec.shows("The first command is untouched.");
    session.ackStarted(session.again(turn.request));
    rec.shows("Nor has the conflict taken its place: repeated, it gets its own ack.");
  },

  "backpressured-retry": (rec) => {
    const session = open(rec);
    const request = session.submit("Look up the frost dates.");
    rec.error(request, "backpressured", "the queue of commands is full", { capacity: 4, retryable: true });
    rec.shows("Nothing was admitted, so the id stays free, and the error says that trying again is right.");
    const again = session.again(request);
    session.ackStarted(again);
    rec.shows(
      "The same command, sent again under a new request id, is admitted as if it were the first time.",
    );
    const turn = session.launch(again);
    turn.input();
    turn.message("Last frost on 24 April, first on 19 October.");
    turn.completed();
    rec.shows("It has one effect.");
  },

  "capability-required": (rec) => {
    const session = open(rec);
    const request = session.command("session/userShell", { commandText: "ls seedlings" });
    rec.error(request, "capabilityRequired", "session/userShell needs the capability userShell", {
      capability: "userShell",
      retryable: false,
    });
    rec.shows(
      "A method that stands behind a capability is refused where that was not granted, and the data names it.",
    );
  },

  "usershell-without-grant": (rec) => {
    rec.handshake();
    rec.shows("The handshake, in which nothing was asked for.");
    const request = new Session(rec).command("session/userShell", { commandText: "ls seedlings" });
    rec.error(request, "capabilityRequired", "session/userShell needs the capability userShell", {
      capability: "userShell",
      retryable: false,
    });
    rec.shows("The missing grant is told before anything else is looked at: no session was opened here.");
  },

  "unknown-method": (rec) => {
    rec.handshake();
    rec.shows("The handshake.");
    const request = rec.request("orchard/prune", { row: 3 });
    rec.error(request, "methodNotFound", "no such method: orchard/prune", { retryable: false });
    rec.shows("A method that the protocol does not have is refused under its own code.");
  },

  "experimental-required": (rec) => {
    const session = open(rec);
    const listed = rec.request("permissionProfile/list", { sessionId: session.sessionId });
    rec.error(listed, "methodNotFound", "permissionProfile/list is experimental", {
      kind: "experimentalRequired",
      descriptor: "permissionProfile/list",
      retryable: false,
    });
    rec.shows(
      "An experimental method, called without having opted in: the code of an unknown one, with a kind that tells why.",
    );
    const request = session.submit("Plan the harvest.", { tokenBudget: 20_000 });
    rec.error(request, "invalidParams", "turn/start.tokenBudget is experimental", {
      kind: "experimentalRequired",
      descriptor: "turn/start.tokenBudget",
      retryable: false,
    });
    rec.shows("An experimental member of a stable method: the code of wrong params, whatever the value.");
  },
};
