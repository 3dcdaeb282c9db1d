// Hosts that are lost, and what the client does when one is back. A connection is a scenario: the second one speaks
// of the session of the first.
import { Recording } from "./recording.mjs";
import { open } from "./turns.mjs";

const FIRST = "host-lost";
const LOST = "Then weigh them.";

/** A connection that ends without a word; its session. */
function first(rec, options) {
  const session = open(rec, options);
  const turn = session.run("Count the crates.");
  turn.message("Forty crates.");
  turn.completed();
  rec.shows(
    "A turn from its submission to its end. Whatever the client sends after it, the host is gone before it answers.",
  );
  return session;
}

/** The second connection, up to the command that was not answered on the first. */
function back(rec) {
  const session = first(new Recording(FIRST));
  const cursor = session.head();
  session.moveTo(rec, 60_000);
  rec.handshake();
  rec.shows("The handshake of a new connection to the host, which has been started anew.");
  const request = session.command("session/resume", { cursor });
  rec.result(request, {
    viewCursor: session.head(),
    pendingRequests: [],
    session: session.row({ turnCount: 1 }),
    history: { mode: "none", items: null, snapshot: null, noneReason: "cursorSuffix" },
  });
  rec.shows("The session is taken up where the client stopped: nothing has happened since.");
  return session;
}

/** The scenarios by name. */
export const reconnects = {
  [FIRST]: (rec) => {
    first(rec);
  },

  "host-back": (rec) => {
    const session = back(rec);
    const turn = session.run(LOST);
    rec.shows(
      "The command that was never answered is sent again, under the id that it had. Whether the first one arrived makes no difference: the ack and the effect are the same.",
    );
    turn.message("Six hundred kilos.");
    turn.completed();
    rec.shows("It has one effect.");
  },

  "host-back-abandoned": (rec) => {
    const session = back(rec);
    session.reject(session.submit(LOST), "abandoned");
    rec.shows(
      "The command that was never answered had arrived, and was not carried out when the host died. The host has closed it since: sent again, it is rejected, and will never run.",
    );
  },

  "host-ephemeral": (rec) => {
    first(rec, { durability: "ephemeral", row: { path: "" } });
  },
};
