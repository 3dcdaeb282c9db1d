/**
 * The commands about a session's goal.
 */
import type { MethodResults } from "../../generated/msp/experimental/types.js";
import type { CommandOptions } from "./connection.js";
import type { SessionCommand } from "./session-types.js";

type GoalMethod = "goal/set" | "goal/edit" | "goal/clear" | "goal/pause" | "goal/resume";

/** Sends a command about the goal; the session and the id are added. */
type Send = <M extends GoalMethod>(
  method: M,
  params: SessionCommand<M>,
  options?: CommandOptions,
) => Promise<MethodResults[M]>;

/** The commands about a goal. What they change comes as a state of the view. */
export interface GoalCommands {
  /** Gives the session a goal, whether it has one or not. */
  readonly set: (objective: string, options?: CommandOptions) => Promise<MethodResults["goal/set"]>;
  /** Changes the goal that is there. */
  readonly edit: (objective: string, options?: CommandOptions) => Promise<MethodResults["goal/edit"]>;
  /** Takes the goal away. */
  readonly clear: (options?: CommandOptions) => Promise<MethodResults["goal/clear"]>;
  /** Lets it rest. */
  readonly pause: (options?: CommandOptions) => Promise<MethodResults["goal/pause"]>;
  /** Takes it up again. */
  readonly resume: (options?: CommandOptions) => Promise<MethodResults["goal/resume"]>;
}

/** The commands about a goal, sent by a function. */
export function goalCommands(send: Send): GoalCommands {
  return {
    set: (objective, options) => send("goal/set", { objective }, options),
    edit: (objective, options) => send("goal/edit", { objective }, options),
    clear: (options) => send("goal/clear", {}, options),
    pause: (options) => send("goal/pause", {}, options),
    resume: (options) => send("goal/resume", {}, options),
  };
}
