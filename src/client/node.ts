/**
 * The client SDK on Node: hosts that are spawned or reached by an address, and the table of releases.
 */
import { readFileSync } from "node:fs";
import type { Transport } from "../wire/index.js";
import { type ChildProcessOptions, connectWebSocket, spawnHost } from "../wire/node.js";
import type { Releases } from "./fingerprint.js";

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

/** The releases of the protocol that this package knows, to name the schema that a host serves. */
export function knownReleases(): Releases {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    try {
      return JSON.parse(readFileSync(new URL("schema/msp/releases.json", folder), "utf8")) as Releases;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || folder.pathname === "/") throw error;
    }
  }
}
