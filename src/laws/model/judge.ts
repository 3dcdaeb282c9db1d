/** Judges a history by the model: commands, and turns. */
import { checkCommands } from "./commands.js";
import type { Fault, History } from "./history.js";
import { checkTurns } from "./turns.js";

/** What a history breaks, by the law that it breaks; empty where the model allows it. */
export function judge(history: History): readonly Fault[] {
  return [...checkCommands(history), ...checkTurns(history)];
}
