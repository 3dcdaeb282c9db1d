/**
 * Kinds of commands that laws are tried with: how each is arranged on any host, and where what it does is seen on the
 * wire. A case names a kind by a number; which it is depends on what the host can do. The simplest stand first.
 */
import type { MethodName } from "../../../generated/msp/experimental/types.js";
import { CaseVoid } from "../broken.js";
import type { Ability } from "../driver/driver.js";
import type { JsonObject, Told } from "../model/history.js";
import { completed, type Trial } from "../trial.js";
import { answersTo, choices, firstOf, isOf } from "./command-arrangements.js";

/** A session that a command is for. */
export interface Scene {
  readonly trial: Trial;
  readonly sessionId: string;
}

/** A command that the host is in a state to accept. */
export interface Arranged {
  /** Without the command id. */
  readonly params: JsonObject;
  /** Other params of the same method that are valid too; absent where there is nothing to differ in. */
  readonly other?: JsonObject;
  /** A command after which the first one would do its work anew, if it were carried out again. */
  readonly between?: { readonly method: MethodName; readonly params: JsonObject };
  /** Whether a message tells of what the command did. What tells of the same has the same text. */
  effect(told: Told, commandId: string): string | undefined;
  /** Whether it must have been told when the host is quiet and `reveal` is done. */
  readonly isSeen: boolean;
  /** Makes the host show what was only taken in. */
  reveal?(): Promise<unknown>;
}

/** See the top of the file. */
export interface CommandKind {
  readonly name: string;
  readonly method: MethodName;
  /** Beside serving the method. */
  readonly needs: readonly Ability[];
  /** Whether the session is not loaded any more afterwards. */
  readonly leaves?: true;
  /** Whether all its payloads are one. */
  readonly isAlone?: true;
  /** Whether there is a command that it could come after. */
  readonly hasBetween?: true;
  arrange(scene: Scene): Promise<Arranged>;
}

const text = (value: string) => [{ type: "text", text: value }];
/** The place of an event; what has none is told by its whole text. */
const placeOf = ({ params }: Told): string => String(params["viewCursor"] ?? JSON.stringify(params));
/** Events of a method that fit. */
const event =
  (method: string, fits: (params: JsonObject, commandId: string) => boolean = () => true) =>
  (told: Told, commandId: string): string | undefined =>
    told.method === method && fits(told.params, commandId) ? placeOf(told) : undefined;
/** Messages of the user that came by a command. */
const message = ({ method, params }: Told, commandId: string): string | undefined => {
  if (method !== "item/started" && method !== "item/completed") return undefined;
  const item = (params["item"] ?? {}) as JsonObject;
  return item["kind"] === "userMessage" && item["commandId"] === commandId
    ? `message ${String(item["itemId"])}`
    : undefined;
};
const goalOf = (params: JsonObject): JsonObject | null => (params["goal"] ?? null) as JsonObject | null;
const byCommand = (params: JsonObject, commandId: string) => params["commandId"] === commandId;

/** What tells the first payload of a case from all others. */
export const MARK = "the first payload of this case";
const OTHER = "another payload";

/** A setting of the session: it is there as soon as it is acked. */
function setting(
  method: MethodName,
  changed: string,
  isSeen: boolean,
  make: (scene: Scene) => Promise<{
    readonly params: JsonObject;
    readonly other: JsonObject;
    /** What undoes it; the other params where left out. */
    readonly back?: JsonObject | undefined;
    /** What the event has that tells of it. */
    readonly told: JsonObject;
  }>,
): CommandKind {
  return {
    name: method,
    method,
    hasBetween: true,
    needs: [],
    async arrange(scene) {
      const { params, other, back = other, told } = await make(scene);
      const { sessionId } = scene;
      return {
        params: { sessionId, ...params },
        other: { sessionId, ...other },
        between: { method, params: { sessionId, ...back } },
        effect: event(changed, (found) =>
          Object.entries(told).every(([name, value]) => found[name] === value),
        ),
        isSeen,
      };
    },
  };
}

/** A command on a goal that is there, while its turn runs. */
function onGoal(
  method: MethodName,
  fits: (goal: JsonObject | null) => boolean,
  back: (objective: string) => { readonly method: MethodName; readonly params: JsonObject } | undefined,
  how: { readonly paused?: true; readonly objective?: string } = {},
): CommandKind {
  return {
    name: method,
    method,
    hasBetween: true,
    ...(how.objective === undefined ? { isAlone: true } : {}),
    needs: ["busy", "serves:goal/set", ...(how.paused ? (["serves:goal/pause"] as const) : [])],
    async arrange({ trial, sessionId }) {
      const objective = trial.prompts.busy ?? "";
      await trial.command("goal/set", { sessionId, objective });
      if (how.paused) await trial.command("goal/pause", { sessionId });
      await trial.quiet();
      const own = how.objective;
      const between = back(objective);
      const since = trial.history.next();
      const changed = event("session/goalChanged", (params) => fits(goalOf(params)));
      return {
        params: { sessionId, ...(own === undefined ? {} : { objective: own }) },
        ...(own === undefined ? {} : { other: { sessionId, objective: OTHER } }),
        ...(between === undefined
          ? {}
          : { between: { method: between.method, params: { sessionId, ...between.params } } }),
        effect: (told, commandId) => (told.moment < since ? undefined : changed(told, commandId)),
        isSeen: true,
      };
    },
  };
}

/** A command that stops a turn. */
const stops = (method: MethodName): CommandKind => ({
  name: method,
  method,
  needs: ["busy"],
  async arrange({ trial, sessionId }) {
    const turnId = await trial.busy(sessionId);
    return {
      params: { sessionId, turnId },
      other: { sessionId, turnId: trial.mint() },
      effect: event("turn/completed", (params) => params["turnId"] === turnId),
      isSeen: true,
      reveal: () => trial.need(completed(turnId), "a turn that was stopped did not end"),
    };
  },
});

/** A command that settles a question of the agent. */
const settles = (
  method: MethodName,
  own: (asked: JsonObject) => JsonObject,
  other: JsonObject,
): CommandKind => ({
  name: method,
  method,
  needs: ["question"],
  async arrange({ trial, sessionId }) {
    await trial.turn(sessionId, trial.prompts.question ?? "");
    const { params } = await trial.need(isOf("userInput/requested", sessionId), "no question was asked");
    const userInputId = params["userInputId"];
    return {
      params: { sessionId, userInputId, ...own(params) },
      other: { sessionId, userInputId, ...own(params), ...other },
      effect: event("userInput/settled", (told) => told["userInputId"] === userInputId),
      isSeen: true,
    };
  },
});

const steered = (name: string, method: MethodName, make: (running: string) => JsonObject): CommandKind => ({
  name,
  method,
  hasBetween: true,
  needs: ["busy"],
  async arrange({ trial, sessionId }) {
    const more = make(await trial.busy(sessionId));
    const other = { sessionId, ...more, input: text(OTHER) };
    return {
      params: { sessionId, ...more, input: text(MARK) },
      other,
      between: { method, params: other },
      effect: message,
      // A model hears it when it is called next.
      isSeen: trial.can("echo"),
    };
  },
});

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
      const input = text(trial.prompts.busy ?? "");
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
      const input = text(trial.prompts.quick ?? "");
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
      const input = text(trial.prompts.quick ?? "");
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
