/** Results by their addresses. */
import { StoreUrlError } from "../../ledger/stores/open.js";
import { readStoreUrl } from "../../ledger/stores/url.js";
import type { CommandResults, Retention } from "../results.js";
import { InMemoryCommandResults } from "./memory.js";
import { postgresResults } from "./postgres/results.js";
import { sqliteResults } from "./sqlite/results.js";

/**
 * Opens the results of an address: `memory`, `sqlite:PATH` or `postgres://...`. Throws a {@link StoreUrlError} where there
 * are none.
 */
export function openResults(url: string, options: { readonly retention?: Retention } = {}): CommandResults {
  const { scheme, path, options: words } = readStoreUrl(url);
  if (scheme === "postgres" || scheme === "postgresql") return postgresResults(url, options);
  if (Object.keys(words).length > 0) throw new StoreUrlError(url, "results have no options");
  if (scheme === "memory" && path === "") return new InMemoryCommandResults(options);
  if (scheme === "sqlite" && path !== "") return sqliteResults(path, options);
  throw new StoreUrlError(url, "results are kept in memory, sqlite:PATH or postgres://...");
}
