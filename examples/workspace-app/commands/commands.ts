/** All commands, by their method. */
import type { CommandHandler, CommandName } from "./command.js";
import { publishEvent } from "./events.js";
import { giveFeedback } from "./feedback.js";
import { archiveRule, installRule, replayRule, updateRule } from "./rules.js";
import { cancelRun, retryRun, skipRun } from "./runs.js";

/** A handler for every command of the bundle: a missing one does not compile. */
export const commands: { readonly [M in CommandName]: CommandHandler<M> } = {
  "event/publish": publishEvent,
  "feedback/give": giveFeedback,
  "rule/archive": archiveRule,
  "rule/install": installRule,
  "rule/replay": replayRule,
  "rule/update": updateRule,
  "run/cancel": cancelRun,
  "run/retry": retryRun,
  "run/skip": skipRun,
};
