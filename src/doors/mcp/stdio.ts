/** MCP over standard streams: for the program that started this one. */
import type { Readable, Writable } from "node:stream";
import type { Identity } from "../identity/authenticate.js";
import { refusal } from "../reasons.js";
import type { McpSdk } from "./sdk.js";
import type { McpServers } from "./server.js";

/** What the door is made of. */
export interface McpStdioOptions {
  readonly sdk: McpSdk;
  readonly servers: McpServers;
  /** Who started it; a call after `expiresAtMs` is refused. */
  readonly identity: Identity;
  readonly input: Readable;
  readonly output: Writable;
  /** Bytes that a message may have; a longer one ends the connection. */
  readonly limitBytes: number;
  readonly onError: (error: unknown) => void;
}

/** The door. */
export interface McpStdio {
  /** Resolves when the other side has ended, or `close` was called. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client. */
export async function serveMcpStdio(options: McpStdioOptions): Promise<McpStdio> {
  const { sdk, servers, identity, input, output, limitBytes, onError } = options;
  const { expiresAtMs = Number.POSITIVE_INFINITY } = identity;
  const server = servers(identity, () => (Date.now() < expiresAtMs ? undefined : refusal("unauthenticated")));
  const ended = new Promise<void>((resolve) => {
    server.onclose = () => resolve();
    input.once("end", () => resolve());
    input.once("close", () => resolve());
  });
  server.onerror = onError;
  output.on("error", () => undefined); // its reader may be gone
  await server.connect(new sdk.StdioServerTransport(input, output, { maxBufferSize: limitBytes }));
  return { ended, close: () => server.close() };
}
