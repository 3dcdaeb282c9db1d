/** The server of HTTP under all doors that need one: what is the same for every request. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Rejection } from "../../commands/app.js";
import { MissingPackageError } from "../../wire/missing-package.js";
import type { Identity } from "../identity/authenticate.js";
import type { Gate } from "../identity/gate.js";
import type { Limits } from "../limits.js";
import { refusal } from "../reasons.js";
import { bodyValue } from "./body.js";
import { corsHeaders, preflightHeaders } from "./cors.js";
import { endWithProblem, sendProblem } from "./problem.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Who asks; null until the gate has let somebody in. */
    identity: Identity | null;
  }
}

/** How the server behaves. */
export interface HttpServerOptions {
  readonly gate: Gate;
  readonly limits: Required<Limits>;
  /** The path of MCP, whose requests are of that door. */
  readonly mcpPath: string;
  readonly onError: (error: unknown) => void;
}

/** Which methods of HTTP a path takes. */
export type Allow = (path: string) => readonly string[] | undefined;

/**
 * Makes a server without routes. `allow` is asked when it is listening.
 * @throws {MissingPackageError} where fastify is not installed
 */
export async function httpServer(
  { gate, limits, mcpPath, onError }: HttpServerOptions,
  allow: Allow,
): Promise<FastifyInstance> {
  const { fastify } = await loadFastify();
  const server = fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    http: {
      headersTimeout: limits.requestTimeoutMs,
      // How often Node looks for what comes too slowly.
      connectionsCheckingInterval: Math.min(1_000, limits.requestTimeoutMs),
    },
    exposeHeadRoutes: false,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    frameworkErrors: (_error, _request, reply) => sendProblem(reply, refusal("malformed_request")),
    clientErrorHandler(error, socket) {
      // What was sent is no request of HTTP, or comes too slowly: there is nothing else to answer with.
      const late = (error as { code?: string }).code === "ERR_HTTP_REQUEST_TIMEOUT";
      if (socket.writable) endWithProblem(socket, refusal(late ? "request_timeout" : "malformed_request"));
      // What follows on one that was answered is dropped until it is cut.
      else if (!socket.writableEnded) socket.destroy();
    },
  });
  server.server.maxConnections = limits.connections;
  server.decorateRequest("identity", null);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    const parsed = bodyValue(body as Buffer);
    if ("reason" in parsed) done(new Rejected(parsed));
    else done(null, parsed.value);
  });
  server.addHook("onRequest", (request, reply, done) => {
    const at = { headers: request.headers, remoteAddress: request.socket.remoteAddress };
    const strange = gate.strange(at);
    if (strange !== undefined) return void sendProblem(reply, strange);
    const { origin } = request.headers;
    if (origin !== undefined) reply.headers(corsHeaders(origin));
    if (request.method === "OPTIONS")
      return void sendOptions(reply, allow(pathOf(request.url)), origin !== undefined);
    // Of the route: one path can be written in many ways.
    const path = request.routeOptions.url ?? pathOf(request.url);
    const admitted = gate.admit(path === mcpPath ? "mcp" : "http", at);
    const go = (who: Identity | Rejection): void => {
      if ("reason" in who) return void sendProblem(reply, who);
      request.identity = who;
      // Before its body is read.
      if (request.is404) sendNotFound(request, reply);
      else done();
    };
    if (admitted instanceof Promise) admitted.then(go).catch((error: unknown) => void reply.send(error));
    else go(admitted);
  });
  const sendNotFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const allowed = allow(pathOf(request.url));
    if (allowed === undefined) return sendProblem(reply, refusal("unknown_method"));
    return sendProblem(reply.header("allow", allowHeader(allowed)), refusal("method_not_allowed"));
  };
  server.setNotFoundHandler(sendNotFound);
  server.setErrorHandler((error, _request, reply) => sendProblem(reply, rejectionOf(error, limits, onError)));
  return server;
}

/** Who asks. */
export function identityOf({ identity }: FastifyRequest): Identity {
  if (identity === null) throw new TypeError("nobody was let in");
  return identity;
}

const IS_REJECTED = Symbol.for("mspkit.doors.rejected");

/** A rejection on its way through fastify. */
class Rejected extends Error {
  readonly [IS_REJECTED] = true;
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.message);
    this.rejection = rejection;
  }
}

function rejectionOf(
  error: unknown,
  { bodyBytes }: Required<Limits>,
  onError: (error: unknown) => void,
): Rejection {
  if (typeof error === "object" && error !== null && IS_REJECTED in error)
    return (error as Rejected).rejection;
  const { code, statusCode } = error as { readonly code?: string; readonly statusCode?: number };
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return refusal("payload_too_large", { limitBytes: bodyBytes });
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return refusal("unsupported_media_type");
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return refusal("malformed_request");
  onError(error);
  return refusal("internal_error");
}

/** The path of an address, as the router reads it: one may be absolute, have a fragment, and be escaped. */
function pathOf(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  try {
    return decodeURI(path);
  } catch {
    return path; // no route has it
  }
}

function sendOptions(
  reply: FastifyReply,
  allowed: readonly string[] | undefined,
  page: boolean,
): FastifyReply {
  if (allowed === undefined) return sendProblem(reply, refusal("unknown_method"));
  const allow = allowHeader(allowed);
  return reply
    .code(204)
    .headers({ allow, ...(page ? preflightHeaders(allow) : {}) })
    .send();
}

function allowHeader(allowed: readonly string[]): string {
  return [...allowed, "OPTIONS"].join(", ");
}

async function loadFastify(): Promise<Pick<typeof import("fastify"), "fastify">> {
  try {
    const { fastify } = await import("fastify");
    return { fastify };
  } catch (error) {
    throw new MissingPackageError("fastify", error);
  }
}
