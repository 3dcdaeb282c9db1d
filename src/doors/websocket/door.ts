/** WebSockets on the server of HTTP: whom they are opened for, and how many. */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { Rejection } from "../../commands/app.js";
import { MissingPackageError } from "../../wire/missing-package.js";
import { acceptedWebSocket, offeredToken } from "../../wire/websocket-node.js";
import type { Desk } from "../desk.js";
import { endWithProblem } from "../http/problem.js";
import { actorText, type Identity } from "../identity/authenticate.js";
import type { Gate } from "../identity/gate.js";
import type { Limits } from "../limits.js";
import { refusal } from "../reasons.js";
import { Connection } from "./connection.js";
import { answerPlain } from "./plain-request.js";

/** What the door is made of. */
export interface WebSocketDoorOptions {
  readonly desk: Desk;
  readonly gate: Gate;
  readonly limits: Required<Limits>;
  readonly path: string;
}

/** The door. */
export interface WebSocketDoor {
  /** Opens no more, answers what was asked, and ends those that are open. */
  close(): Promise<void>;
  /** Cuts those that are open, and those that wait to be. */
  cut(): void;
}

/** How often a connection is asked whether it is still there, in milliseconds. */
const PING_MS = 30_000;

/** How long one that is closing may take nothing of what waits for it, in milliseconds. */
const STALLED_MS = 3_000;

/**
 * Opens WebSockets at a path of a server.
 * @throws {MissingPackageError} where `ws` is not installed
 */
export async function addWebSocket(
  server: Server,
  { desk, gate, limits, path }: WebSocketDoorOptions,
): Promise<WebSocketDoor> {
  const { WebSocketServer } = await loadWs();
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: 2 * limits.bodyBytes,
    skipUTF8Validation: true,
    handleProtocols: (offered) => [...offered].find((word) => offeredToken(word) !== undefined) ?? false,
  });
  const open = new Set<Connection>();
  const perParticipant = new Map<string, number>();
  // Node forgets a socket that asks for an upgrade; here are those that `ws` has not.
  const bare = new Set<Duplex>();
  let closing = false;

  function accept(socket: WebSocket, identity: Identity, who: string): void {
    perParticipant.set(who, (perParticipant.get(who) ?? 0) + 1);
    let alive = true;
    socket.on("pong", () => {
      alive = true;
    });
    const pings = setInterval(() => {
      if (!alive) return socket.terminate();
      alive = false;
      socket.ping();
    }, PING_MS);
    pings.unref();
    const connection = new Connection({
      desk,
      gate,
      limits,
      identity,
      transport: acceptedWebSocket(socket),
      cut: (code, reason) => socket.close(code, reason),
    });
    open.add(connection);
    void connection.closed.then(() => {
      clearInterval(pings);
      open.delete(connection);
      const left = (perParticipant.get(who) ?? 1) - 1;
      if (left === 0) perParticipant.delete(who);
      else perParticipant.set(who, left);
    });
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const refuse = (rejection: Rejection): void => endWithProblem(socket, rejection);
    const { headers } = request;
    const at = {
      headers,
      remoteAddress: request.socket.remoteAddress,
      token: offeredToken(headers["sec-websocket-protocol"]),
    };
    const strange = gate.strange(at);
    if (strange !== undefined) return refuse(strange);
    const identity = await gate.admit("websocket", at);
    if ("reason" in identity) return refuse(identity);
    if ((request.url ?? "").split("?")[0] !== path) return refuse(refusal("unknown_method"));
    const who = actorText(identity);
    if (closing || (perParticipant.get(who) ?? 0) >= limits.sockets)
      return refuse(refusal("too_many_connections"));
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      bare.delete(socket);
      accept(accepted, identity, who);
    });
  }

  // Newer versions of Node ask before they give a socket away.
  if ("shouldUpgradeCallback" in server) server.shouldUpgradeCallback = isWebSocket;
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isWebSocket(request)) return answerPlain(server, request, socket, head);
    socket.on("error", () => undefined); // it may be gone before it is answered
    bare.add(socket);
    socket.once("close", () => bare.delete(socket));
    upgrade(request, socket, head).catch((error: unknown) => {
      desk.report(error);
      endWithProblem(socket, refusal("internal_error"));
    });
  });

  /** Cuts those of which nothing was taken since it was called before. */
  function stalledCutter(): () => void {
    const before = new Map<WebSocket, string>();
    return () => {
      for (const socket of sockets.clients) {
        const { readyState, bufferedAmount } = socket;
        const now = `${readyState} ${bufferedAmount}`;
        const waits = bufferedAmount > 0 || readyState === socket.CLOSING;
        if (waits && before.get(socket) === now) socket.terminate();
        before.set(socket, now);
      }
    };
  }

  return {
    cut() {
      for (const socket of sockets.clients) socket.terminate();
      for (const socket of bare) socket.destroy();
    },
    async close() {
      closing = true;
      const cutStalled = stalledCutter();
      cutStalled();
      const stalled = setInterval(cutStalled, STALLED_MS);
      await Promise.all([...open].map((connection) => connection.close()));
      clearInterval(stalled);
    },
  };
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

async function loadWs(): Promise<typeof import("ws")> {
  try {
    return await import("ws");
  } catch (error) {
    throw new MissingPackageError("ws", error);
  }
}
