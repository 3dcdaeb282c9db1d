/** What PostgreSQL and the way to it answer, and what it means for a statement that may be sent again. */
import { isStoreError, StoreError } from "../../../ledger/store.js";
import { MissingPackageError } from "../../../wire/missing-package.js";

/**
 * What became of a statement that failed. `unknown`: no answer came, so it was carried out or not. `again`: it was not
 * carried out, another was in the way. `never`: it was refused, and would be again.
 */
export type Trouble = "unknown" | "again" | "never";

/** Refusals after which the same statement may go through: by SQLSTATE, or its class. */
const AGAIN = new Set([
  "40001", // the transaction met another
  "40P01", // a deadlock
  "23505", // two inserted one key: the one that lost finds it now
  "55P03", // a lock was not to be had
  "57014", // it was cancelled
  "53300", // too many connections
  "57P03", // the server starts, or ends
  "25006", // a standby that takes no writes: another may answer next time
]);

/** The connection ended; what was under way may have been done. */
const ENDED = new Set(["57P01", "57P02", "57P05"]);

/** What the tables are not there, or not those that are known. */
const NOT_MADE = new Set(["3F000", "42P01", "42883", "42703", "42704"]);

/** Whether a statement that failed may be sent again, and what became of it. */
export function troubleOf(error: unknown): Trouble {
  const code = sqlState(error);
  if (code === undefined)
    return error instanceof MissingPackageError || isStoreError(error) ? "never" : "unknown";
  if (ENDED.has(code) || code.startsWith("08")) return "unknown";
  return AGAIN.has(code) ? "again" : "never";
}

/** The same as an error of a store. */
export function told(error: unknown, doing: string): Error {
  if (error instanceof MissingPackageError || isStoreError(error)) return error;
  const why = error instanceof Error ? error.message : String(error);
  if (NOT_MADE.has(sqlState(error) ?? ""))
    return new StoreError("notFound", `${doing}: ${why}; make the tables by mspkit store migrate`, {
      cause: error,
    });
  return new StoreError("failed", `${doing}: ${why}`, { cause: error });
}

/** The SQLSTATE that the server answered; undefined where it did not answer. */
export function sqlState(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown };
  // What the system says has a code too, and no severity.
  return typeof code === "string" && typeof severity === "string" ? code : undefined;
}
