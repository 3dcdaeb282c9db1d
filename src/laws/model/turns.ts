/** The model of turns, and whether a history fits it. */
import type { Fault, History } from "./history.js";

/** What a history breaks of what is promised of turns. */
export function checkTurns(_history: History): readonly Fault[] {
  return [];
}
