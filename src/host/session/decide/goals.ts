/**
 * Goals: a session has one or none. Setting, editing and resuming one wakes a turn where nothing runs.
 */
import type { Goal } from "../../../../generated/msp/experimental/types.js";
import type { Command, Decision, Draft } from "../decision.js";

/** The status of a goal that is worked on. */
const ACTIVE = "active";
const PAUSED = "paused";

/** Decides `goal/set`: there need not be a goal. */
export function setGoal(draft: Draft, command: Command): Decision {
  return change(
    draft,
    command,
    { objective: objectiveOf(command), status: ACTIVE, percentComplete: 0 },
    true,
  );
}

/** Decides `goal/edit`: the status stays, the work begins anew. */
export function editGoal(draft: Draft, command: Command): Decision {
  const { goal } = draft.state;
  if (goal === null) return draft.reject(command, "missing_goal");
  return change(draft, command, { ...goal, objective: objectiveOf(command), percentComplete: 0 }, true);
}

/** Decides `goal/pause`. */
export function pauseGoal(draft: Draft, command: Command): Decision {
  const { goal } = draft.state;
  if (goal === null) return draft.reject(command, "missing_goal");
  return change(draft, command, { ...goal, status: PAUSED }, false);
}

/** Decides `goal/resume`. */
export function resumeGoal(draft: Draft, command: Command): Decision {
  const { goal } = draft.state;
  if (goal === null) return draft.reject(command, "missing_goal");
  return change(draft, command, { ...goal, status: ACTIVE }, true);
}

/** Decides `goal/clear`. */
export function clearGoal(draft: Draft, command: Command): Decision {
  if (draft.state.goal === null) return draft.reject(command, "missing_goal");
  draft.event("session/goalChanged", { goal: null });
  return draft.accept(command);
}

function objectiveOf(command: Command): string {
  return String(command.payload["objective"]);
}

function change(draft: Draft, command: Command, goal: Goal, wakes: boolean): Decision {
  const { state, context } = draft;
  // A goal that is as it was is not told again.
  if (!sameGoal(state.goal, goal)) draft.event("session/goalChanged", { goal });
  if (!wakes) return draft.accept(command);
  if (state.active !== undefined) return draft.accept(command, { turnId: state.active.turnId });
  if (goal.status !== ACTIVE || state.queue.length > 0) return draft.accept(command);
  const turnId = context.mintId();
  draft.records.push({
    type: "turn",
    turnId,
    commandId: command.spelt,
    kind: "goal",
    place: "now",
    prompt: goal.objective,
    at: draft.at,
  });
  draft.effects.push({ type: "launch", turnId });
  return draft.accept(command, { turnId });
}

function sameGoal(a: Goal | null, b: Goal): boolean {
  return (
    a !== null &&
    a.objective === b.objective &&
    a.status === b.status &&
    a.percentComplete === b.percentComplete
  );
}
