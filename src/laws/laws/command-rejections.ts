/** Commands that every host rejects for good in some state, and how that state comes to an end. */

import type { MethodName } from "../../../generated/msp/experimental/types.js";
import type { Ability } from "../driver/driver.js";
import type { JsonObject } from "../model/history.js";
import { textInput } from "../trial.js";
import type { Scene } from "./command-kind.js";

/** A command that is rejected. */
export interface RejectedKind {
  readonly name: string;
  readonly method: MethodName;
  /** Beside serving the method. */
  readonly needs: readonly Ability[];
  /** Its params without the command id. */
  params(scene: Scene): JsonObject;
  /** Other params, for the same id. */
  other?(params: JsonObject): JsonObject;
  /** Brings about what it was rejected for the want of. */
  change?(scene: Scene, params: JsonObject): Promise<unknown>;
}

/** Rejected as long as there is no goal. */
const withoutGoal = (method: MethodName, more: JsonObject = {}): RejectedKind => ({
  name: `${method} without a goal`,
  method,
  needs: ["busy", "serves:goal/set"],
  params: ({ sessionId }) => ({ sessionId, ...more }),
  change: ({ trial, sessionId }) =>
    trial.command("goal/set", { sessionId, objective: trial.prompts.busy ?? "" }),
});

/** A turn that gets the id that was named before it was there: a fresh turn has that of its command. */
async function busyAs({ trial, sessionId }: Scene, commandId: unknown): Promise<void> {
  await trial.turn(sessionId, trial.prompts.busy ?? "", { commandId });
  await trial.quiet();
}

/** All of them. */
export const rejectedKinds: readonly RejectedKind[] = [
  withoutGoal("goal/pause"),
  withoutGoal("goal/clear"),
  withoutGoal("goal/resume"),
  {
    ...withoutGoal("goal/edit", { objective: "a goal" }),
    other: (params) => ({ ...params, objective: "another" }),
  },
  {
    name: "turn/steer of no turn",
    method: "turn/steer",
    needs: ["busy"],
    params: ({ trial, sessionId }) => ({ sessionId, expectedTurnId: trial.mint(), input: textInput("hear") }),
    other: (params) => ({ ...params, input: textInput("hear this") }),
    change: (scene, params) => busyAs(scene, params["expectedTurnId"]),
  },
  {
    name: "turn/unqueue of no turn",
    method: "turn/unqueue",
    needs: ["busy", "quick"],
    params: ({ trial, sessionId }) => ({ sessionId, turnId: trial.mint() }),
    async change(scene, params) {
      const { trial, sessionId } = scene;
      await trial.busy(sessionId);
      await trial.turn(sessionId, trial.prompts.quick ?? "", { commandId: params["turnId"] });
    },
  },
  {
    name: "session/start of a session that is there",
    method: "session/start",
    needs: [],
    params: ({ sessionId }) => ({ sessionId }),
    other: () => ({}),
  },
];

/** The rejections that a host can be tried with. */
export function rejectionsOf(can: (ability: Ability) => boolean): RejectedKind[] {
  return rejectedKinds.filter((kind) => can(`serves:${kind.method}`) && kind.needs.every(can));
}
