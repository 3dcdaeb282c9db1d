/** Pauses between the tries at a store that failed. */

/** The first pause after the store failed, doubled each time, and the longest one. In milliseconds. */
export const FIRST_PAUSE_MS = 20;
export const LONGEST_PAUSE_MS = 2_000;

/** Resolves after some milliseconds, and keeps the process alive until then: somebody waits for what comes after it. */
export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
