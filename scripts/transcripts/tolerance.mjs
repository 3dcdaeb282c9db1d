// What either side has to put up with.
import { Item, Session } from "./session.mjs";
import { open } from "./turns.mjs";

/** The scenarios by name. */
export const tolerance = {
  "framing-tolerance": (rec) => {
    rec.clientTail = "\r";
    rec.handshake();
    rec.shows(
      "A client that ends its lines with CR LF: the CR is no part of the frame. The host never sends one.",
    );
    const session = Session.start(rec, { memberOfTomorrow: { any: ["thing"] } });
    rec.shows("A member of params that the host does not know is ignored.");
    const request = session.submit("Ring the lunch bell.", {}, { more: { another: 1 } });
    session.ackStarted(request);
    const turn = session.launch(request);
    turn.input();
    turn.message("Rung.");
    turn.completed();
    rec.shows("So it goes for a whole turn.");
  },

  "unknown-vocabulary": (rec) => {
    const session = open(rec);
    const turn = session.run("Scan the old oak.");
    rec.shows("A turn runs.");
    const scan = new Item(turn, { kind: "treeScan" });
    scan.members = { fallbackText: "Scanned the old oak: 212 rings", rings: 212 };
    scan.finish("completed");
    rec.shows("An item of a kind that the client does not know is kept, and shown by its fallback text.");
    const tool = turn.tool("drill", { depth: 40 });
    tool.finish("postponed", { truncated: false });
    rec.shows(
      "A status word that it does not know is kept as it is; being another word than `inProgress`, it is an end.",
    );
    rec.emit("session/weatherChanged", {
      ...session.stored(["vendor.weather", rec.id()]),
      weather: { sky: "overcast", frost: false },
    });
    rec.shows(
      "A notification that it does not know, from a kind of stream that it does not know, is passed over.",
    );
    turn.message("212 rings; the drill waits for dry weather.");
    turn.completed();
    rec.shows("What it does know is folded as ever.");
  },
};
