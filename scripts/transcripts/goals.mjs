// Goals of a session.
import { open } from "./turns.mjs";

/** The scenarios by name. */
export const goals = {
  "goal-replayed": (rec) => {
    const session = open(rec);
    const objective = "Every tree is pruned before the frost.";
    const request = session.command("goal/set", { objective });
    const turnId = rec.id();
    session.ack(request, { turnId });
    rec.shows(
      "A goal is set while nothing runs: the ack names the turn that it wakes, under an id of the host's own.",
    );
    rec.emit("session/goalChanged", {
      ...session.stored(),
      goal: { objective, status: "active", percentComplete: 0 },
    });
    const turn = session.launch(request, turnId);
    rec.shows(
      "The goal is told as a whole. Then the turn begins, with the id of the command beside its own.",
    );
    session.ack(session.again(request), { turnId });
    rec.shows("The same command again: the same ack, and neither a second goal change nor a second turn.");
    turn.message("The first row is done.");
    turn.completed();
    rec.shows("The one turn ends.");
  },
};
