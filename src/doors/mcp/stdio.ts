/** MCP over standard streams: for the program that started this one. */
import type { Readable, Writable } from "node:stream";
import type { CommandResult } from "../../commands/app.js";
import { rejected } from "../../commands/rejections.js";
import { within } from "../../wire/within.js";
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
  /** How long closing waits for calls to be answered, in milliseconds. */
  readonly drainMs: number;
  readonly onError: (error: unknown) => void;
}

/** The door. */
export interface McpStdio {
  /** Resolves when the other side has ended, or `close` was called. */
  readonly ended: Promise<void>;
  /** Refuses calls from now on, answers those that run, and closes. The same promise again. */
  close(): Promise<void>;
}

/** Serves one client. */
export async function serveMcpStdio(options: McpStdioOptions): Promise<McpStdio> {
  const { sdk, servers, identity, input, output, drainMs, onError } = options;
  const { expiresAtMs = Number.POSITIVE_INFINITY } = identity;
  let closed: Promise<void> | undefined;
  const server = servers(identity, () => {
    if (closed !== undefined) return SHUTTING_DOWN;
    return Date.now() < expiresAtMs ? undefined : refusal("unauthenticated");
  });
  const unanswered = new Unanswered();
  const ended = new Promise<void>((resolve) => {
    server.onclose = () => {
      unanswered.drop();
      resolve();
    };
    input.once("end", () => resolve());
    input.once("close", () => resolve());
  });
  server.onerror = onError;
  output.on("error", () => undefined); // its reader may be gone
  output.once("close", () => unanswered.drop());
  await server.connect(counting(sdk, unanswered, options));
  return {
    ended,
    close: () =>
      (closed ??= (async () => {
        await within(drainMs, unanswered.none());
        await server.close();
      })()),
  };
}

const SHUTTING_DOWN = (rejected("shutting_down") as Extract<CommandResult, { readonly status: "rejected" }>)
  .rejection;

/** Requests that have no answer yet. */
class Unanswered {
  readonly #ids = new Set<unknown>();
  #empty: (() => void) | undefined;

  /** Sees a message that came. */
  came(message: object): void {
    const { id, method, params } = message as {
      readonly id?: unknown;
      readonly method?: unknown;
      readonly params?: { readonly requestId?: unknown };
    };
    if (id !== undefined && method !== undefined) this.#ids.add(id);
    // A request that was called off is not answered.
    else if (method === "notifications/cancelled") this.#remove(params?.requestId);
  }

  /** Sees a message that has gone. */
  gone(message: object): void {
    if (!("method" in message) && "id" in message) this.#remove(message.id);
  }

  /** There is nobody any more who could be answered. */
  drop(): void {
    this.#ids.clear();
    this.#empty?.();
  }

  /** Resolves when there are none. */
  none(): Promise<void> {
    return this.#ids.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#empty = resolve;
        });
  }

  #remove(id: unknown): void {
    this.#ids.delete(id);
    if (this.#ids.size === 0) this.#empty?.();
  }
}

/** The transport, whose messages are seen. */
function counting(
  { StdioServerTransport }: McpSdk,
  unanswered: Unanswered,
  { input, output, limitBytes }: McpStdioOptions,
): InstanceType<McpSdk["StdioServerTransport"]> {
  const transport = new StdioServerTransport(input, output, { maxBufferSize: limitBytes });
  const start = transport.start.bind(transport);
  const send = transport.send.bind(transport);
  // It is started when the server has said what it does with a message.
  transport.start = () => {
    const receive = transport.onmessage;
    transport.onmessage = (message) => {
      unanswered.came(message);
      receive?.(message);
    };
    return start();
  };
  transport.send = async (message) => {
    await send(message);
    unanswered.gone(message);
  };
  return transport;
}
