/** Pauses between the tries at a store that failed. */
import type { Clock } from "./clock.js";

/** The first pause after the store failed, doubled each time, and the longest one. In milliseconds. */
export const FIRST_PAUSE_MS = 20;
export const LONGEST_PAUSE_MS = 2_000;

/** Resolves after some milliseconds. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}
