/** What the system refuses, as errors of a store. */
import { isStoreError, StoreError } from "../store.js";

/** An error of the system as one of a store; an error of a store stays as it is. */
export function asStoreError(error: unknown, doing: string): StoreError {
  if (isStoreError(error)) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new StoreError("failed", `${doing}: ${why}`, { cause: error });
}

/** Does something; what the system refuses becomes a `failed`. A TypeError is the caller's and stays. */
export function asking<T>(doing: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof TypeError) throw error;
    throw asStoreError(error, doing);
  }
}
