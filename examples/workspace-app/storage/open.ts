/** Stores by their URL. */
import { MemoryStorage } from "./memory.js";
import type { Storage } from "./storage.js";

/**
 * Opens the store of a URL: `memory`, `sqlite:PATH`, `postgres://...` or `postgresql://...`. What it needs is loaded
 * when it is opened.
 * @param fenced whether the results of commands are kept in the same database, so that an effect is kept under the
 * claim of its command and with its result. Default: no
 * @throws {TypeError} for another URL
 */
export async function openStorage(url: string, fenced = false): Promise<Storage> {
  if (url === "memory") return new MemoryStorage();
  if (url.startsWith("sqlite:")) {
    const { openSqlite } = await import("./sqlite.js");
    return openSqlite({ path: pathOf(url), fenced });
  }
  if (/^postgres(?:ql)?:\/\//.test(url)) {
    const { openPostgres } = await import("./postgres.js");
    return openPostgres({ url, fenced });
  }
  throw new TypeError(`no store of workspaces at ${url}: memory, sqlite:PATH or postgres://...`);
}

/** The path in an address, as the results of commands read it: `%` and `?` stand in it as `%25` and `%3F`. */
function pathOf(url: string): string {
  return url.slice("sqlite:".length).replace(/%(?:25|3f)/gi, (code) => (code === "%25" ? "%" : "?"));
}
