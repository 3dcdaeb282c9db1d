/**
 * The client SDK on Node: hosts that are spawned or reached by an address, and the table of releases.
 */
import type { Transport } from "../wire/index.js";
import { type ChildProcessOptions, connectWebSocket, spawnHost } from "../wire/node.js";

export { knownReleases } from "../releases/known.js";

/** Makes a client spawn its host, anew for each connection. */
export function spawning(options: ChildProcessOptions): () => Transport {
  return () => spawnHost(options);
}

/**
 * Makes a client connect to a host at a `ws://` or `wss://` address. Needs the package `ws`. `token`: what the host wants
 * to be told.
 */
export function connectingTo(
  url: string,
  options: { readonly token?: string | undefined } = {},
): () => Promise<Transport> {
  return () => connectWebSocket(url, options);
}
