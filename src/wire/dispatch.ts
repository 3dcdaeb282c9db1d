/**
 * Puts a generated server behind a peer.
 */
import type { Peer } from "./peer.js";
import type { Answer } from "./peer-options.js";

/** What a generated server does with what a peer sends. */
export interface Dispatcher<Context> {
  dispatch(method: string, params: unknown, context: Context): Answer | Promise<Answer>;
  dispatchNotification(method: string, params: unknown, context: Context): Promise<void>;
}

/** Answers the requests of a peer from a generated server, and hands it what the peer notifies, in order of arrival. */
export function dispatchTo<Context>(peer: Peer, server: Dispatcher<Context>, context: Context): void {
  peer.onRequest((method, params) => server.dispatch(method, params, context));
  peer.onNotification((method, params) => void server.dispatchNotification(method, params, context));
}
