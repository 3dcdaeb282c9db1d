// A small host for the tests of `mspkit call`, on the built wire and a generated server. Its words are ways to
// misbehave; without one it is honest. With `ws` it listens, and says where on its standard output.
import { createServer, ProtocolError } from "../../dist/generated/msp/experimental/server.js";
import { errors, protocol } from "../../dist/generated/msp/experimental/tables.js";
import { Peer, wireErrors } from "../../dist/src/wire/index.js";
import { listenWebSocket, stdioTransport } from "../../dist/src/wire/node.js";

const ways = new Set(process.argv.slice(2));
const mark = (text) => process.stderr.write(`host: ${text}\n`);
const range = () => {
  const record = { id: "r", sequence: 1 };
  return { stream: { kind: "run", id: "r" }, first: record, last: record };
};

function serve(transport) {
  const peer = new Peer(transport, { errors: wireErrors(errors) });
  const connection = { grants: [], experimental: false };
  const acks = new Map();
  const tell = (method, turnId, more) =>
    peer.notify(method, { sessionId: "s", viewCursor: `v:${method}`, sourceRange: range(), turnId, ...more });
  const server = createServer({
    initialize: ({ clientInfo, capabilities = {} }) => {
      mark(`hello ${JSON.stringify({ clientInfo, capabilities })}`);
      connection.grants = (capabilities.requestedCapabilities ?? []).filter((name) => name === "userShell");
      connection.experimental = capabilities.experimentalApi === true && !ways.has("no-experimental");
      return {
        serverInfo: { name: "stub", version: "1.0.0" },
        userAgent: "stub",
        museHome: "/",
        platformFamily: "unix",
        platformOs: "linux",
        schema: { version: 1, fingerprint: fingerprint() },
        grantedCapabilities: connection.grants,
        experimentalApi: connection.experimental,
        sessionDurability: "ephemeral",
      };
    },
    "session/list": (params) => {
      mark(`list ${JSON.stringify(params)}`);
      return { sessions: [], nextCursor: null };
    },
    "permissionProfile/list": () => ({ profiles: [] }),
    "turn/start": ({ commandId }) => {
      mark(`turn ${commandId}`);
      if (!acks.has(commandId) || ways.has("forgets")) {
        const turnId = `${commandId}${acks.has(commandId) ? "-again" : ""}`;
        acks.set(commandId, turnId);
        tell("turn/started", turnId, { commandId });
        if (!ways.has("never-completes"))
          setTimeout(
            () => tell("turn/completed", turnId, { terminal: "completed" })?.catch(() => undefined),
            50,
          );
      }
      const turnId = acks.get(commandId);
      return { commandId, status: "accepted", turnId, startedNewTurn: true, disposition: "started" };
    },
    "goal/clear": ({ commandId }) => {
      const data = { kind: "commandRejected", commandId, reason: "missing_goal" };
      throw new ProtocolError({
        kind: data.kind,
        code: errors.commandRejected.code,
        message: "no goal",
        data,
      });
    },
  });
  peer.onNotification((method, params) => {
    mark(`${method}`);
    void server.dispatchNotification(method, params, connection);
  });
  peer.onRequest((method, params) => lie(method, params) ?? server.dispatch(method, params, connection));
}

function fingerprint() {
  if (ways.has("unknown-schema")) return `sha256:${"0".repeat(64)}`;
  // That of release 1.4.12.
  if (ways.has("other-release"))
    return "sha256:cfdb6d2525601b9bac76584ccb0610ab3a5539b5e4f51141f079b99b39fcb4e0";
  return protocol.fingerprints.stable;
}

/** What is answered instead of the truth; undefined for the truth. */
function lie(method, params) {
  if (method === "initialize") {
    if (ways.has("mute-at-first")) return new Promise(() => undefined);
    if (ways.has("refuses"))
      return { error: { code: -32603, message: "not today", data: { kind: "internal" } } };
    if (ways.has("bad-hello")) return { result: { serverInfo: {} } };
    if (ways.has("half-hello")) return { result: { schema: { fingerprint: "x" } } };
    return undefined;
  }
  if (ways.has("mute") || ways.has("stubborn")) return new Promise(() => undefined);
  if (ways.has("dies")) process.exit(7);
  if (ways.has("dies-later")) setTimeout(() => process.exit(7), 100);
  if (ways.has("leaves-later")) setTimeout(() => process.exit(0), 100);
  if (ways.has("garbage")) process.stdout.write("garbage\n");
  if (ways.has("unreadable")) return raw({ result: [] });
  if (ways.has("wrong-result")) return { result: { sessions: 5 } };
  if (ways.has("wrong-error"))
    return {
      error: {
        code: errors.commandRejected.code,
        message: "no",
        data: { kind: "commandRejected", reason: 5 },
      },
    };
  if (ways.has("other-echo"))
    return {
      result: {
        commandId: "another",
        status: "accepted",
        turnId: "t",
        startedNewTurn: true,
        disposition: "started",
      },
    };
  if (ways.has("wrong-notification"))
    process.stdout.write('{"jsonrpc":"2.0","method":"turn/started","params":{"sessionId":1}}\n');
  if (method === "vendor/echo") return { result: { params } };
  return undefined;
}

/** An answer to the call, which has the id 2, that no peer would write. */
function raw(members) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: 2, ...members })}\n`);
  return new Promise(() => undefined);
}

// Answers that never come would hold up the end; only one that is stubborn lets them.
if (ways.has("mute") || ways.has("unreadable")) process.stdin.on("end", () => process.exit());

if (ways.has("ws")) {
  const listener = await listenWebSocket({ onConnection: serve });
  process.stdout.write(`${listener.url}\n`);
} else serve(stdioTransport());
