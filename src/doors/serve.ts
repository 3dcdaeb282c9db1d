/** All doors of an application on one address. */
import type { AddressInfo } from "node:net";
import type { App } from "../commands/app.js";
import type { Workspaces } from "../commands/workspaces.js";
import { Desk } from "./desk.js";
import { DoorError } from "./door-error.js";
import { openApiDocument } from "./http/openapi.js";
import { sendProblem } from "./http/problem.js";
import { addRest, verbOf } from "./http/rest.js";
import { httpServer } from "./http/server.js";
import { type Allowed, isLoopback } from "./identity/addresses.js";
import type { Authenticate, Identity } from "./identity/authenticate.js";
import { Gate } from "./identity/gate.js";
import { type Limits, limitsOf } from "./limits.js";
import { addMcp } from "./mcp/http.js";
import { loadMcpSdk } from "./mcp/sdk.js";
import { mcpServers } from "./mcp/server.js";
import { refusal } from "./reasons.js";
import { addWebSocket } from "./websocket/door.js";

/** Which doors there are, for whom, and where. */
export interface DoorsOptions extends Allowed {
  readonly app: App;
  /** The one of the process; neither it nor the application is closed with the doors. */
  readonly workspaces: Workspaces;
  /** Says who is at a door. Without it nothing is served but by `allowAnonymous`. */
  readonly authenticate?: Authenticate;
  /**
   * Whether whoever shows no token is let in, as `anonymous`; only where the doors listen on the loopback. With
   * `authenticate` that decides. Default: no
   */
  readonly allowAnonymous?: boolean;
  /** Who that is. Default: `anonymous` of the tenant `local`. */
  readonly anonymous?: Identity;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 0, which takes any free one. */
  readonly port?: number;
  readonly limits?: Limits;
  /** Whether MCP is served. Default: yes. */
  readonly mcp?: boolean;
  /** Whether WebSockets are served. Default: yes. */
  readonly websocket?: boolean;
  /** Whether a command that comes by MCP has to have an id. Default: without one it is carried out every time. */
  readonly requireCommandId?: boolean;
  /** Gets what goes wrong behind an answer; clients are not told. Must not throw. Default: dropped. */
  readonly onError?: (error: unknown) => void;
}

/** Doors that are open. */
export interface Doors {
  /** Of REST, with the port that was taken: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Of the document. */
  readonly openApiUrl: string;
  /** Undefined where it is not served. */
  readonly webSocketUrl: string | undefined;
  /** Undefined where it is not served. */
  readonly mcpUrl: string | undefined;
  /** Lets nobody in any more, answers what was asked, and closes. The same promise again. */
  close(): Promise<void>;
}

/** Where the doors are. REST has a path for each method below `/v1`, or whatever the version of the protocol is. */
export const PATHS = { openApi: "/openapi.json", webSocket: "/socket", mcp: "/mcp" } as const;

/** How often it is looked for connections that are idle, when the doors close; in milliseconds. */
const IDLE_MS = 50;

/** Who has shown no token and is let in. */
export const ANONYMOUS: Identity = { tenant: "local", participant: "anonymous" };

/**
 * Opens the doors.
 * @throws {DoorError} where they would be open to anybody, the bundle is none, or the address cannot be had
 * @throws {MissingPackageError} where a package is not installed
 */
export async function serveDoors(options: DoorsOptions): Promise<Doors> {
  const { host = "127.0.0.1", port = 0, onError = () => undefined } = options;
  const limits = limitsOf(options.limits);
  const loopback = isLoopback(host);
  const desk = new Desk({ app: options.app, workspaces: options.workspaces, onError });
  const gate = new Gate({
    authenticate: authenticateOf(options, loopback),
    loopback,
    onError,
    perSecond: limits.perSecond,
    burst: limits.burst,
    failuresPerMinute: limits.failuresPerMinute,
    ...(options.origins === undefined ? {} : { origins: options.origins }),
    ...(options.hosts === undefined ? {} : { hosts: options.hosts }),
  });
  const verbs = new Map<string, string[]>([[PATHS.openApi, ["GET"]]]);
  for (const method of desk.surface.methods.values()) verbs.set(method.path, [verbOf(method)]);
  if (options.websocket !== false) verbs.set(PATHS.webSocket, ["GET"]);
  if (options.mcp !== false) verbs.set(PATHS.mcp, ["POST"]);
  const server = await httpServer({ gate, limits, mcpPath: PATHS.mcp, onError }, (path) => verbs.get(path));
  const document = JSON.stringify(
    openApiDocument(desk.surface, {
      anonymous: options.allowAnonymous === true,
      firstResult: desk.firstResult,
    }),
  );
  server.get(PATHS.openApi, (_request, reply) => {
    void reply.header("content-type", "application/json").send(document);
  });
  addRest(server, desk);
  if (options.mcp !== false) {
    const sdk = await loadMcpSdk();
    const { requireCommandId = false } = options;
    addMcp(server, { sdk, servers: mcpServers({ sdk, desk, requireCommandId }), path: PATHS.mcp, onError });
  }
  if (options.websocket !== false)
    server.get(PATHS.webSocket, (_request, reply) => {
      void sendProblem(reply.header("upgrade", "websocket"), refusal("upgrade_required"));
    });
  const sockets =
    options.websocket === false
      ? undefined
      : await addWebSocket(server.server, { desk, gate, limits, path: PATHS.webSocket });
  try {
    await server.listen({ host, port });
  } catch (error) {
    const { message, code } = error as Error & { readonly code?: string };
    throw new DoorError(
      "addressUnavailable",
      `http://${host}:${port} cannot be had: ${message === "" ? code : message}`,
      { cause: error },
    );
  }
  const { port: taken } = server.server.address() as AddressInfo;
  const authority = `${host.includes(":") ? `[${host.replace(/^\[|\]$/g, "")}]` : host}:${taken}`;
  let closed: Promise<void> | undefined;
  return {
    url: `http://${authority}`,
    openApiUrl: `http://${authority}${PATHS.openApi}`,
    webSocketUrl: sockets === undefined ? undefined : `ws://${authority}${PATHS.webSocket}`,
    mcpUrl: options.mcp === false ? undefined : `http://${authority}${PATHS.mcp}`,
    close: () =>
      (closed ??= (async () => {
        // Node looks no more for what comes too slowly: a client must not keep the doors from closing.
        const late = setTimeout(() => {
          sockets?.cut();
          server.server.closeAllConnections();
        }, limits.drainMs);
        // A connection that is kept for more requests is idle only after it was answered.
        const idle = setInterval(() => server.server.closeIdleConnections(), IDLE_MS);
        // A socket keeps the server open.
        await Promise.all([sockets?.close(), server.close()]);
        clearTimeout(late);
        clearInterval(idle);
      })()),
  };
}

function authenticateOf(
  { authenticate, allowAnonymous = false, anonymous = ANONYMOUS }: DoorsOptions,
  loopback: boolean,
): Authenticate {
  if (allowAnonymous && !loopback)
    throw new DoorError("unguarded", "whoever has no token may only be let in on the loopback");
  if (authenticate !== undefined) {
    if (!allowAnonymous) return authenticate;
    return (credentials) =>
      credentials.token === undefined && credentials.headers["authorization"] === undefined
        ? anonymous
        : authenticate(credentials);
  }
  if (!allowAnonymous) throw new DoorError("unguarded", "nothing says who may come in: there are no tokens");
  // A token that nobody gave out is a wrong one.
  return ({ token, headers }) =>
    token === undefined && headers["authorization"] === undefined ? anonymous : undefined;
}
