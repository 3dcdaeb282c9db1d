/**
 * Puts a host behind standard streams or a WebSocket.
 */
import { randomBytes } from "node:crypto";
import { listenWebSocket, stdioTransport } from "../wire/node.js";
import type { Host } from "./host.js";

/** A host that is being served. */
export interface Serving {
  /** Where it listens. */
  readonly url: string;
  /** Ends the service and the host in order; the same promise again. */
  close(): Promise<void>;
  /** Resolves when the host has ended. */
  readonly ended: Promise<void>;
}

/** Serves the process that started this one. The end of standard input ends the host. */
export function serveStdio(host: Host): Serving {
  const connection = host.accept(stdioTransport(), { closes: true });
  const ended = connection.peer.closed.then(() => host.close());
  return { url: "stdio://", close: () => host.close(), ended };
}

/** How a WebSocket is served. */
export interface WebSocketServing {
  readonly host?: string;
  readonly port?: number;
  /** Pages that may connect, by their origins. Default: none. */
  readonly origins?: readonly string[];
  /** What clients must know: it is sent as the subprotocol `mspkit.token.TOKEN`. Default: made up, 32 hex digits. */
  readonly token?: string;
  /** Bytes of a frame. */
  readonly limitBytes?: number;
}

/** Serves WebSockets; resolves when it listens. The end of a connection ends nothing else. */
export async function serveWebSocket(
  host: Host,
  options: WebSocketServing = {},
): Promise<Serving & { readonly token: string }> {
  const token = options.token ?? randomBytes(16).toString("hex");
  const listener = await listenWebSocket({
    ...options,
    token,
    onConnection: (transport) => void host.accept(transport),
  });
  let closing: Promise<void> | undefined;
  let resolveEnded!: () => void;
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve;
  });
  const close = async () => {
    await host.close();
    await listener.close();
    resolveEnded();
  };
  return {
    url: listener.url,
    token,
    ended,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
