/**
 * WebSockets on Node, by the package `ws`, which is loaded when it is used. An addition of ours: MSP v1 speaks stdio.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { WebSocket, WebSocketServer } from "ws";
import { DEFAULT_LIMIT_BYTES } from "./frames.js";
import { MissingPackageError } from "./missing-package.js";
import type { Transport } from "./transport.js";
import { type WebSocketLike, webSocketTransport } from "./websocket.js";

/** Where to listen, and to whom. */
export interface WebSocketListenOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 0, which takes any free one. */
  readonly port?: number;
  /** Path of the address. Default: any. */
  readonly path?: string;
  /**
   * Origins of pages that may connect, such as `http://127.0.0.1:8080`. Default: none. Any page that a user has open
   * can reach a local port, and the protocol knows no passwords; programs send no origin and may always connect.
   */
  readonly origins?: readonly string[];
  /**
   * What a client must know: it is offered as the subprotocol `mspkit.token.TOKEN`, since pages can set no headers. Who
   * does not know it is refused with 401. Default: anybody may connect.
   */
  readonly token?: string;
  /** Bytes that a frame may have. A message over twice of it ends its connection, code 1009. Default: 10,485,760. */
  readonly limitBytes?: number;
  /** Gets each connection. */
  readonly onConnection: (transport: Transport, request: IncomingMessage) => void;
}

/** A server that listens. */
export interface WebSocketListener {
  /** The address with the port that was taken. */
  readonly url: string;
  /** Takes no more connections and ends those that are open; resolves when all is over. */
  close(): Promise<void>;
}

/** Listens for WebSockets. Rejects where the address cannot be had. */
export async function listenWebSocket(options: WebSocketListenOptions): Promise<WebSocketListener> {
  const {
    host = "127.0.0.1",
    port = 0,
    path,
    origins = [],
    token,
    limitBytes = DEFAULT_LIMIT_BYTES,
  } = options;
  const { WebSocketServer } = await loadWs();
  const server: WebSocketServer = new WebSocketServer({
    host,
    port,
    ...(path === undefined ? {} : { path }),
    maxPayload: 2 * limitBytes,
    // The framer says which frame is not UTF-8; ws would end the connection.
    skipUTF8Validation: true,
    verifyClient: ({ origin, req }, done) => {
      if (origin !== undefined && !origins.includes(origin)) done(false, 403);
      else if (token !== undefined && !offers(req.headers["sec-websocket-protocol"], token)) done(false, 401);
      else done(true);
    },
    handleProtocols: (offered) => (token === undefined ? false : offered.has(TOKEN + token) && TOKEN + token),
  });
  server.on("connection", (socket, request) => {
    options.onConnection(webSocketTransport(withBytes(socket)), request);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `ws://${host.includes(":") ? `[${host}]` : host}:${taken}${path ?? ""}`,
    close: () =>
      new Promise((resolve, reject) => {
        for (const socket of server.clients) socket.close(1001);
        server.close((error) => (error === undefined ? resolve() : reject(error)));
      }),
  };
}

/** What stands before a token in the name of a subprotocol. */
const TOKEN = "mspkit.token.";

/** Whether a token is offered. Takes as long for a wrong one as for the right one. */
function offers(protocols: string | undefined, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const right = digest(TOKEN + token);
  return (protocols ?? "").split(",").some((offered) => timingSafeEqual(digest(offered.trim()), right));
}

/**
 * Connects to a WebSocket; resolves when it is open. `openTimeoutMs`: how long that may take; default: no limit.
 * `token`: what the host wants to be told.
 */
export async function connectWebSocket(
  url: string,
  {
    limitBytes = DEFAULT_LIMIT_BYTES,
    openTimeoutMs,
    token,
  }: {
    readonly limitBytes?: number;
    readonly openTimeoutMs?: number;
    readonly token?: string | undefined;
  } = {},
): Promise<Transport> {
  const { WebSocket } = await loadWs();
  const socket: WebSocket = new WebSocket(url, token === undefined ? [] : [TOKEN + token], {
    maxPayload: 2 * limitBytes,
    skipUTF8Validation: true,
    ...(openTimeoutMs === undefined ? {} : { handshakeTimeout: openTimeoutMs }),
  });
  // From the first event on: what comes in the packet that opens it must not be lost.
  const transport = webSocketTransport(withBytes(socket));
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return transport;
}

/** The transport over a socket of `ws` that a server of one's own has accepted. */
export function acceptedWebSocket(socket: WebSocket): Transport {
  return webSocketTransport(withBytes(socket));
}

/** The token that is offered as the subprotocol `mspkit.token.TOKEN`; undefined where none is. */
export function offeredToken(protocols: string | undefined): string | undefined {
  const offered = (protocols ?? "").split(",").map((word) => word.trim());
  return offered.find((word) => word.startsWith(TOKEN))?.slice(TOKEN.length);
}

/** A socket of `ws` whose messages are bytes, as they came. */
function withBytes(socket: WebSocket): WebSocketLike {
  const like: WebSocketLike = {
    get readyState() {
      return socket.readyState;
    },
    get bufferedAmount() {
      return socket.bufferedAmount;
    },
    binaryType: "arraybuffer",
    send: (data) => socket.send(data),
    close: (code, reason) => socket.close(code, reason),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    addEventListener(type, listener) {
      if (type === "message") socket.on("message", (data) => listener({ data: bytes(data) }));
      else if (type === "close")
        socket.on("close", (code, reason) => listener({ code, reason: reason.toString() }));
      else socket.on(type, () => listener({}));
    },
  };
  return like;
}

function bytes(data: Buffer | ArrayBuffer | Buffer[]): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

async function loadWs(): Promise<typeof import("ws")> {
  try {
    return await import("ws");
  } catch (error) {
    throw new MissingPackageError("ws", error);
  }
}
