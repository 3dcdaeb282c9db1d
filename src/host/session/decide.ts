/**
 * Which function decides which command of a session. The names are the schema's; what stands here is all that a session
 * decides by itself.
 */
import type { MethodName } from "../../../generated/msp/experimental/types.js";
import { decideApproval } from "./decide/approvals.js";
import { clearGoal, editGoal, pauseGoal, resumeGoal, setGoal } from "./decide/goals.js";
import { rename, setApprovalMode, setModel, setReasoningEffort } from "./decide/settings.js";
import { startTurn, steerTurn, stopTurn, unqueueTurn } from "./decide/turns.js";
import { answer, cancel, clarify, interrupt } from "./decide/user-inputs.js";
import { backgroundTask, compact, leave, stopAllTasks, stopTask, userShell } from "./decide/work.js";
import { type Command, type Context, type Decision, Draft } from "./decision.js";
import type { SessionState } from "./state.js";

const DECIDERS: { readonly [M in MethodName]?: (draft: Draft, command: Command) => Decision } = {
  "turn/start": startTurn,
  "turn/steer": steerTurn,
  "turn/interrupt": stopTurn,
  "turn/cancel": stopTurn,
  "turn/unqueue": unqueueTurn,
  "goal/set": setGoal,
  "goal/edit": editGoal,
  "goal/pause": pauseGoal,
  "goal/resume": resumeGoal,
  "goal/clear": clearGoal,
  "session/setModel": setModel,
  "session/setApprovalMode": setApprovalMode,
  "session/setReasoningEffort": setReasoningEffort,
  "session/rename": rename,
  "session/compact": compact,
  "session/userShell": userShell,
  "session/leave": leave,
  "approval/decide": decideApproval,
  "userInput/answer": answer,
  "userInput/cancel": cancel,
  "userInput/clarify": clarify,
  "userInput/interrupt": interrupt,
  "task/background": backgroundTask,
  "task/stop": stopTask,
  "task/stopAll": stopAllTasks,
};

/** The commands that a session decides by itself. */
export const sessionCommands: readonly MethodName[] = Object.keys(DECIDERS) as MethodName[];

/** Decides a command that is new to the session. Pure: reads the state and changes nothing. */
export function decide(state: SessionState, command: Command, context: Context): Decision {
  const decider = DECIDERS[command.method as MethodName];
  if (decider === undefined) throw new TypeError(`a session does not decide ${command.method}`);
  return decider(new Draft(state, context), command);
}
