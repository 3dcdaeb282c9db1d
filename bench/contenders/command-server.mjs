// Our host with a handshake, for a client that makes one.
import { createServer } from "../../dist/generated/msp/stable/server.js";
import { protocol } from "../../dist/generated/msp/stable/tables.js";
import { serve } from "./wire-mspkit-host.mjs";

serve(createServer, {
  initialize: () => ({
    serverInfo: { name: "bench", version: "0" },
    userAgent: "bench",
    museHome: "/",
    platformFamily: "unix",
    platformOs: "linux",
    schema: { version: 1, fingerprint: protocol.fingerprints.stable },
    grantedCapabilities: [],
    experimentalApi: false,
  }),
});
