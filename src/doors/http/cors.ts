/** What a page of an allowed origin is told. */
const ALLOWED_HEADERS = [
  "authorization",
  "content-type",
  "idempotency-key",
  "last-event-id",
  "mcp-protocol-version",
  "mcp-session-id",
].join(", ");
const EXPOSED_HEADERS = "retry-after, www-authenticate, mcp-session-id";
const MAX_AGE_SECONDS = "600";

/** The headers of every answer to a page that may ask. Cookies are not taken. */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": EXPOSED_HEADERS,
    vary: "Origin",
  };
}

/** The headers of the answer to what a browser asks before it asks. */
export function preflightHeaders(allow: string): Record<string, string> {
  return {
    "access-control-allow-methods": allow,
    "access-control-allow-headers": ALLOWED_HEADERS,
    "access-control-max-age": MAX_AGE_SECONDS,
  };
}
