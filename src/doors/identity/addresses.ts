/** Addresses and names of the loopback, and which pages may ask. */
import { isIP } from "node:net";

/** Whether an address, or a name, is this machine's alone. A name that only may be is not. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (bare === "localhost" || bare === "::1") return true;
  const four = bare.startsWith("::ffff:") ? bare.slice("::ffff:".length) : bare;
  return isIP(four) === 4 && four.startsWith("127.");
}

/** The name in a header `Host`, without its port; undefined where it is none. */
export function hostName(header: string | undefined): string | undefined {
  return header === undefined
    ? undefined
    : /^(\[[0-9a-f:.]+\]|[^:/@\s[\]]+)(?::\d{1,5})?$/i.exec(header)?.[1]?.toLowerCase();
}

/** Which names and pages are let in. */
export interface Allowed {
  /** Origins of pages that may ask, such as `https://app.example`. Default: none. Programs send no origin. */
  readonly origins?: readonly string[];
  /**
   * Names by which the server may be asked, besides those of the loopback. Default: any, but the loopback's alone where it
   * listens on the loopback: a page whose name was made to lead there (DNS rebinding) gives itself away by its name.
   */
  readonly hosts?: readonly string[];
}

/** What is wrong with where a request comes from, or nothing. */
export function strangeness(
  { origins = [], hosts }: Allowed,
  listensOnLoopback: boolean,
  headers: { readonly host?: string | undefined; readonly origin?: string | undefined },
): "host_not_allowed" | "origin_not_allowed" | undefined {
  if (listensOnLoopback || hosts !== undefined) {
    const name = hostName(headers.host);
    const known = name !== undefined && (isLoopback(name) || hosts?.includes(name) === true);
    if (!known) return "host_not_allowed";
  }
  // `null` is the origin of a page that has none; it is let in only where it is named.
  return headers.origin === undefined || origins.includes(headers.origin) ? undefined : "origin_not_allowed";
}
