/**
 * Kinds of commands that laws are tried with: how each is arranged on any host, and where what it does is seen on the
 * wire. A case names a kind by a number; which it is depends on what the host can do. The simplest stand first.
 */

import { CaseVoid } from "../broken.js";
import type { JsonObject } from "../model/history.js";
import { textInput } from "../trial.js";
import { answersTo, choices, firstOf, isOf } from "./command-arrangements.js";
import {
  byCommand,
  type CommandKind,
  event,
  MARK,
  OTHER,
  onGoal,
  setting,
  settles,
  steered,
  stops,
} from "./command-kind.js";

/** All kinds. */
export const commandKinds: readonly CommandKind[] = [
  setting("session/setReasoningEffort", "session/reasoningEffortChanged", false, async () => ({
    params: { reasoningEffort: "high" },
    other: { reasoningEffort: "low" },
    told: { reasoningEffort: "high" },
  })),
  setting("session/rename", "session/nameChanged", true, async () => ({
    params: { name: MARK },
    other: { name: OTHER },
    told: { name: MARK },
  })),
  {
    name: "turn/start, idle",
    method: "turn/start",
    needs: ["busy"],
    async arrange({ trial, sessionId }) {
      const input = textInput(trial.prompts.busy ?? "");
      return {
        params: { sessionId, input, displayText: MARK },
        other: { sessionId, input, displayText: OTHER },
        effect: event("turn/started", byCommand),
        isSeen: true,
      };
    },
  },
  {
    name: "turn/start, quick",
    method: "turn/start",
    needs: ["quick"],
    async arrange({ trial, sessionId }) {
      const input = textInput(trial.prompts.quick ?? "");
      return {
        params: { sessionId, input, displayText: MARK },
        other: { sessionId, input, displayText: OTHER },
        effect: event("turn/started", byCommand),
        isSeen: true,
      };
    },
  },
  {
    name: "goal/set",
    method: "goal/set",
    hasBetween: true,
    needs: ["busy"],
    async arrange({ trial, sessionId }) {
      const objective = trial.prompts.busy ?? "";
      return {
        params: { sessionId, objective },
        other: { sessionId, objective: OTHER },
        between: { method: "goal/set", params: { sessionId, objective: OTHER } },
        effect: event("turn/started", byCommand),
        isSeen: true,
      };
    },
  },
  {
    name: "turn/start, queued",
    method: "turn/start",
    hasBetween: true,
    needs: ["busy", "quick"],
    async arrange({ trial, sessionId }) {
      const running = await trial.busy(sessionId);
      const input = textInput(trial.prompts.quick ?? "");
      const other = { sessionId, input, displayText: OTHER };
      return {
        params: { sessionId, input, displayText: MARK },
        other,
        between: { method: "turn/start", params: other },
        effect: event("turn/started", byCommand),
        isSeen: true,
        async reveal() {
          await trial.interrupt(sessionId, running);
          await trial.quiet();
        },
      };
    },
  },
  steered("turn/start, steered", "turn/start", () => ({ ifBusy: "steer" })),
  steered("turn/steer", "turn/steer", (expectedTurnId) => ({ expectedTurnId })),
  onGoal(
    "goal/edit",
    (goal) =>
      goal?.["objective"] === MARK && goal["percentComplete"] === 0 && goal["currentWork"] === undefined,
    () => ({ method: "goal/edit", params: { objective: OTHER } }),
    { objective: MARK },
  ),
  onGoal(
    "goal/pause",
    (goal) => goal?.["status"] === "paused",
    () => ({ method: "goal/resume", params: {} }),
  ),
  onGoal(
    "goal/resume",
    (goal) => goal !== null && goal["status"] !== "paused" && goal["currentWork"] === undefined,
    () => ({ method: "goal/pause", params: {} }),
    { paused: true },
  ),
  onGoal(
    "goal/clear",
    (goal) => goal === null,
    (objective) => ({ method: "goal/set", params: { objective } }),
  ),
  stops("turn/interrupt"),
  stops("turn/cancel"),
  {
    name: "turn/unqueue",
    method: "turn/unqueue",
    needs: ["busy", "quick"],
    async arrange({ trial, sessionId }) {
      await trial.busy(sessionId);
      const { turnId } = await trial.turn(sessionId, trial.prompts.quick ?? "");
      return {
        params: { sessionId, turnId },
        other: { sessionId, turnId: trial.mint() },
        effect: event("turn/unqueued", (params) => params["turnId"] === turnId),
        isSeen: true,
      };
    },
  },
  setting("session/setApprovalMode", "session/approvalModeChanged", false, async () => ({
    params: { mode: "denyUnmatched" },
    other: { mode: "promptUnmatched" },
    told: { mode: "denyUnmatched" },
  })),
  {
    ...setting("session/setModel", "session/modelChanged", false, async ({ trial, sessionId }) => {
      const outcome = await trial.ask("model/list", { sessionId });
      const models = "result" in outcome ? (outcome.result["models"] as readonly JsonObject[]) : [];
      const model = models.find(({ isActive }) => isActive !== true) ?? models[0];
      if (model === undefined) throw new CaseVoid("the host has no models");
      const { modelId } = model;
      const back = models.find((other) => other["modelId"] !== modelId);
      return {
        params: { model: { modelId } },
        other: { model: { modelId, displayLabel: OTHER } },
        back: { model: { modelId: (back ?? model)["modelId"] } },
        told: { modelId },
      };
    }),
    needs: ["serves:model/list"],
  },
  {
    name: "session/start",
    method: "session/start",
    needs: [],
    async arrange({ trial }) {
      const since = trial.history.next();
      return {
        params: {},
        other: { sessionId: trial.mint() },
        effect: ({ method, params, moment }) =>
          method === "session/started" && moment > since
            ? String((params["session"] as JsonObject)["sessionId"])
            : undefined,
        isSeen: true,
      };
    },
  },
  {
    name: "session/fork",
    method: "session/fork",
    needs: ["quick"],
    async arrange({ trial, sessionId }) {
      await firstOf(trial, sessionId, "quick");
      const since = trial.history.next();
      return {
        params: { sessionId },
        other: { sessionId, excludeItems: true },
        effect: ({ method, params, moment }) =>
          method === "session/started" && moment > since
            ? String((params["session"] as JsonObject)["sessionId"])
            : undefined,
        isSeen: false,
      };
    },
  },
  {
    name: "session/compact",
    method: "session/compact",
    needs: ["quick"],
    async arrange({ trial, sessionId }) {
      await firstOf(trial, sessionId, "quick");
      return {
        params: { sessionId },
        other: { sessionId, turnId: trial.mint() },
        effect: event("item/started", ({ item }) => ((item ?? {}) as JsonObject)["kind"] === "compaction"),
        isSeen: false,
      };
    },
  },
  {
    name: "approval/decide",
    method: "approval/decide",
    needs: ["approval"],
    async arrange({ trial, sessionId }) {
      await trial.turn(sessionId, trial.prompts.approval ?? "");
      const { params } = await trial.need(isOf("approval/requested", sessionId), "no approval was asked for");
      const { approvalId, currentRequirementId } = params;
      const [choiceId, another] = choices(params);
      const decision = { sessionId, approvalId, requirementId: currentRequirementId, choiceId };
      return {
        params: decision,
        ...(another === undefined ? {} : { other: { ...decision, choiceId: another } }),
        effect: event("approval/resolved", (told) => told["approvalId"] === approvalId),
        isSeen: true,
      };
    },
  },
  settles("userInput/answer", answersTo, { answers: [] }),
  settles("userInput/cancel", () => ({}), { reason: OTHER }),
  settles("userInput/clarify", () => ({ clarification: { content: MARK, format: "text" } }), {
    clarification: { content: OTHER, format: "text" },
  }),
  settles("userInput/interrupt", () => ({}), { answers: [] }),
  {
    name: "session/leave",
    method: "session/leave",
    needs: [],
    leaves: true,
    async arrange({ sessionId }) {
      return {
        params: { sessionId },
        other: { sessionId, stop: true },
        effect: event("session/closed", (params) => params["sessionId"] === sessionId),
        isSeen: false,
      };
    },
  },
];
