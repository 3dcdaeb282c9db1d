// A host of ours on standard input and output: the generated server behind a peer, results checked as well.
import { errors, methods } from "../../dist/generated/msp/stable/tables.js";
import { dispatchTo, Peer, wireErrors } from "../../dist/src/wire/index.js";
import { stdioTransport } from "../../dist/src/wire/node.js";
import { acknowledge } from "../lib/turn-start.mjs";

/** Serves `turn/start` with a generated server, and what else is given; the rest is withheld. */
export function serve(createServer, more = {}) {
  const withheld = Object.fromEntries(Object.keys(methods).map((method) => [method, "withheld"]));
  const server = createServer({ ...withheld, "turn/start": acknowledge, ...more }, { checkResults: true });
  const peer = new Peer(stdioTransport(), { errors: wireErrors(errors) });
  dispatchTo(peer, server, { grants: [], experimental: false });
}
