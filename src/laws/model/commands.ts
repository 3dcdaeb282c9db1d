/** The model of the command ledger, and whether a history fits it. */
import type { Fault, History } from "./history.js";

/** What a history breaks of what is promised of commands. */
export function checkCommands(_history: History): readonly Fault[] {
  return [];
}
