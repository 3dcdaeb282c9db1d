/**
 * MCP over streamable HTTP, without sessions: each request says who asks, and has a server of its own. So nobody can take
 * over the session of another, and any process of several can answer.
 */
import type { FastifyInstance } from "fastify";
import { sendProblem } from "../http/problem.js";
import { identityOf } from "../http/server.js";
import { refusal } from "../reasons.js";
import type { McpSdk } from "./sdk.js";
import type { McpServers } from "./server.js";

/** What the door is made of. */
export interface McpHttpOptions {
  readonly sdk: McpSdk;
  readonly servers: McpServers;
  readonly path: string;
  readonly onError: (error: unknown) => void;
}

/** Adds the route. */
export function addMcp(server: FastifyInstance, { sdk, servers, path, onError }: McpHttpOptions): void {
  server.post(path, async (request, reply) => {
    // A batch would be many requests at the price of one; newer clients do not send any.
    if (Array.isArray(request.body)) return sendProblem(reply, refusal("malformed_request"));
    const mcp = servers(identityOf(request));
    // No sessions are made.
    const transport = new sdk.StreamableHTTPServerTransport({});
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    // A client that is gone is answered nothing; what it asked for goes on, and its result is remembered.
    reply.raw.on("close", () => {
      mcp.close().catch(onError);
    });
    try {
      await mcp.connect(transport as Parameters<typeof mcp.connect>[0]);
      await transport.handleRequest(request.raw, reply.raw, request.body);
    } catch (error) {
      onError(error);
      reply.raw.destroy();
    }
    return reply;
  });
}
