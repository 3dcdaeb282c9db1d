/** Who is at a door. */
import type { Actor, Rejection } from "../../commands/app.js";

/** A door. */
export type DoorName = "http" | "websocket" | "mcp";

/** What a door was shown. */
export interface Credentials {
  readonly door: DoorName;
  /** The bearer token; undefined where there is none. */
  readonly token: string | undefined;
  /** The headers of the request, by names in lower case; none at a door without them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Of the other side; undefined at a door without one. */
  readonly remoteAddress: string | undefined;
}

/** Somebody who is known. */
export interface Identity extends Actor {
  /** Until when, in Unix milliseconds. Default: for ever. */
  readonly expiresAtMs?: number;
}

/**
 * Says who is at a door: undefined where that is not known, a rejection (`forbidden`) where it is and may not be there. What
 * it throws is answered `internal_error`.
 */
export type Authenticate = (
  credentials: Credentials,
) => Identity | Rejection | undefined | Promise<Identity | Rejection | undefined>;

/** One text for somebody, other than that of anybody else: what is counted for each is counted by it. */
export function actorText({ tenant, participant }: Actor): string {
  return `${tenant.length}:${tenant}${participant}`;
}

/** The token of a header `Authorization`; undefined where it has none of that form. */
export function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header)?.[1];
}
