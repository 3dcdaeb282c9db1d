// How a connection opens.
import { Session } from "./session.mjs";

const GRANT =
  "A grant is made at the handshake, from what was asked for, and holds for the whole connection.";

/** The scenarios by name. */
export const handshakes = {
  "handshake-bare": (rec) => {
    rec.handshake();
    rec.shows(
      "A client that asks for nothing sends its name alone, without an empty `capabilities`, and is granted nothing. Only after `initialized` may the host speak unasked.",
    );
  },

  "handshake-usershell-granted": (rec) => {
    rec.handshake({ requested: ["userShell"], granted: ["userShell"] });
    rec.shows(`${GRANT} Here exactly what was asked.`);
  },

  "handshake-usershell-not-granted": (rec) => {
    rec.handshake({ requested: ["userShell"] });
    rec.shows(`${GRANT} A host need not grant what it knows: the handshake succeeds with less.`);
  },

  "initialize-twice": (rec) => {
    rec.handshake();
    rec.shows("The handshake.");
    const request = rec.request("initialize", { clientInfo: { name: "mspkit_golden", version: "0.0.0" } });
    rec.error(request, "invalidRequest", "this connection is initialized", {
      kind: "alreadyInitialized",
      retryable: false,
    });
    rec.shows(
      "A second `initialize` is refused under the code of an invalid request with a kind of its own, and the connection lives on.",
    );
    Session.start(rec);
    rec.shows("The connection is as good as before.");
  },
};
