/**
 * For every command that a host serves: how to bring a session to where it is accepted, another payload for its id, and
 * where what it does is seen in a log. By method; a method may have several cases.
 */
import { mintCommandId } from "../../src/client/index.js";
import type { CommandName } from "../../src/host/payloads.js";
import {
  always,
  answers,
  approval,
  type CommandCase,
  events,
  goal,
  HANG,
  hangs,
  instead,
  isKind,
  isTool,
  nothing,
  pausedGoal,
  question,
  sessions,
  task,
  text,
  turnToBe,
  unknownTask,
  waits,
  withoutGoal,
} from "./command-case.js";
import { type CommandScene, eventually } from "./command-scene.js";

/** The cases, by method. */
export const commandCases: Readonly<Partial<Record<CommandName, readonly CommandCase[]>>> = {
  "session/start": [
    {
      arrange: nothing,
      other: instead({ approvalMode: "denyUnmatched" }, "/approvalMode"),
      effects: sessions,
      rejection: {
        reason: "session_id_conflict",
        arrange: async ({ sessionId }) => ({ sessionId }),
      },
    },
  ],
  "session/resume": [
    {
      async arrange(scene) {
        await scene.do("session/leave", {});
        await scene.client.until(({ method }) => method === "session/leaveCompleted");
        return {};
      },
      other: instead({ excludeItems: true }, "/excludeItems"),
      effects: (records) => records.filter(({ type }) => type === "resumed").length,
    },
  ],
  "session/fork": [
    {
      async arrange(scene) {
        await scene.turnOver("hello");
        return {};
      },
      other: instead({ excludeItems: true }, "/excludeItems"),
      effects: sessions,
    },
  ],
  "session/leave": [
    {
      arrange: nothing,
      other: instead({ stop: true }, "/stop"),
      effects: (records) => records.filter(({ type }) => type === "released").length,
    },
  ],
  "session/rename": [
    {
      arrange: always({ name: "one" }),
      other: instead({ name: "two" }, "/name"),
      effects: events("session/nameChanged"),
    },
  ],
  "session/compact": [
    {
      async arrange(scene) {
        await scene.turnOver("hello");
        return {};
      },
      other: instead({ turnId: mintCommandId() }, "/turnId"),
      effects: events("item/started", isKind("compaction")),
      rejection: {
        reason: "run_active",
        async arrange(scene) {
          await hangs(scene);
          return {};
        },
        async change(scene) {
          await scene.do("turn/interrupt", {});
          await scene.client.until(({ method }) => method === "turn/completed");
        },
      },
    },
  ],
  "session/setModel": [
    {
      arrange: async ({ models }) => ({ model: { modelId: models[1] } }),
      other: instead({ model: { modelId: "another" } }, "/model/modelId"),
      effects: events("session/modelChanged"),
      rejection: { reason: "unsupported_route", arrange: always({ model: { modelId: "another" } }) },
    },
  ],
  "session/setApprovalMode": [
    {
      arrange: always({ mode: "denyUnmatched" }),
      other: instead({ mode: "onRequest" }, "/mode"),
      effects: events("session/approvalModeChanged"),
      rejection: { reason: "approval-mode-ceiling", arrange: always({ mode: "allowAll" }) },
    },
  ],
  "session/setReasoningEffort": [
    {
      arrange: always({ reasoningEffort: "high" }),
      other: instead({ reasoningEffort: "low" }, "/reasoningEffort"),
      effects: events("session/reasoningEffortChanged"),
    },
  ],
  "session/userShell": [
    {
      arrange: always({ commandText: "true" }),
      other: instead({ commandText: "false" }, "/commandText"),
      effects: events("item/started", isKind("userShell")),
      rejection: {
        reason: "runtime_busy",
        async arrange(scene) {
          await scene.do("session/userShell", { commandText: "hang" });
          await scene.client.until(({ method }) => method === "item/started");
          return { commandText: "true" };
        },
        async change(scene) {
          scene.endShells();
          await scene.client.until(
            ({ method, params }) =>
              method === "item/completed" && (params["item"] as { kind: string }).kind === "userShell",
          );
        },
      },
    },
  ],
  "turn/start": [
    {
      label: "idle",
      arrange: always(HANG),
      other: instead(text("other"), "/input/0/text"),
      effects: events("turn/started"),
      afterKill: "abandoned",
    },
    {
      label: "queued",
      async arrange(scene) {
        await hangs(scene);
        return text("later");
      },
      other: instead({ displayText: "shown" }, "/displayText"),
      effects: (records) =>
        records.filter((record) => record.type === "turn" && record.place === "last").length,
    },
    {
      label: "steered",
      async arrange(scene) {
        await hangs(scene);
        return { ...text("hear"), ifBusy: "steer" };
      },
      other: instead({ ifBusy: "queue" }, "/ifBusy"),
      effects: events("item/completed", ({ item }) => item?.steered === true),
    },
    {
      label: "replacing",
      async arrange(scene) {
        await hangs(scene);
        return { ...HANG, ifBusy: "replace" };
      },
      other: instead({ ifBusy: "steer" }, "/ifBusy"),
      effects: events("turn/completed"),
      afterKill: "abandoned",
    },
  ],
  "turn/steer": [
    {
      arrange: async (scene) => ({ expectedTurnId: await hangs(scene), ...text("hear") }),
      other: instead(text("hear!"), "/input/0/text"),
      effects: events("item/completed", ({ item }) => item?.steered === true),
      rejection: {
        reason: "turn_not_running",
        arrange: async () => ({ expectedTurnId: mintCommandId(), ...text("hear") }),
        change: (scene, params) => hangs(scene, String(params["expectedTurnId"])),
      },
    },
  ],
  "turn/interrupt": [
    {
      arrange: async (scene) => ({ turnId: await hangs(scene) }),
      other: instead({ retract: true }, "/retract"),
      effects: events("turn/completed"),
      rejection: { reason: "missing_run", ...turnToBe("turnId", hangs) },
    },
    {
      label: "of what runs",
      async arrange(scene) {
        await hangs(scene);
        return {};
      },
      other: instead({ turnId: mintCommandId() }, "/turnId"),
      effects: events("turn/completed"),
      rejection: { reason: "missing_run", arrange: nothing, change: (scene) => hangs(scene) },
    },
  ],
  "turn/cancel": [
    {
      arrange: async (scene) => ({ turnId: await hangs(scene) }),
      other: instead({ turnId: mintCommandId() }, "/turnId"),
      effects: events("turn/completed"),
      rejection: { reason: "missing_run", ...turnToBe("turnId", hangs) },
    },
  ],
  "turn/unqueue": [
    {
      arrange: async (scene) => ({ turnId: await waits(scene) }),
      other: instead({ turnId: mintCommandId() }, "/turnId"),
      effects: events("turn/unqueued"),
      rejection: { reason: "missing_run", ...turnToBe("turnId", waits) },
    },
  ],
  "goal/set": [
    {
      arrange: always({ objective: " /hang\n" }),
      other: instead({ objective: "/hang now" }, "/objective"),
      effects: events("turn/started"),
    },
  ],
  "goal/edit": [
    {
      async arrange(scene) {
        await goal(scene);
        return { objective: "another" };
      },
      other: instead({ objective: "a third" }, "/objective"),
      effects: events("session/goalChanged"),
      rejection: { ...withoutGoal, arrange: always({ objective: "another" }) },
    },
  ],
  "goal/pause": [
    {
      async arrange(scene) {
        await goal(scene);
        return {};
      },
      effects: events("session/goalChanged"),
      rejection: { ...withoutGoal, arrange: nothing },
    },
  ],
  "goal/resume": [
    {
      async arrange(scene) {
        await pausedGoal(scene);
        return {};
      },
      effects: events("session/goalChanged"),
      rejection: { ...withoutGoal, arrange: nothing },
    },
    {
      label: "waking a turn",
      async arrange(scene) {
        await pausedGoal(scene);
        await scene.do("turn/interrupt", {});
        await scene.client.until(({ method }) => method === "turn/completed");
        return {};
      },
      effects: events("turn/started"),
    },
  ],
  "goal/clear": [
    {
      async arrange(scene) {
        await goal(scene);
        return {};
      },
      effects: events("session/goalChanged"),
      rejection: { ...withoutGoal, arrange: nothing },
    },
  ],
  "approval/decide": [
    {
      arrange: approval,
      other: instead({ choiceId: "deny" }, "/choiceId"),
      effects: events("approval/resolved"),
    },
  ],
  "userInput/answer": [
    {
      arrange: async (scene) => ({ ...(await question(scene)), ...answers("first") }),
      other: instead(answers("second"), "/answers/0/selectedLabel"),
      effects: events("userInput/settled"),
    },
  ],
  "userInput/cancel": [
    {
      arrange: question,
      other: instead({ reason: "no time" }, "/reason"),
      effects: events("userInput/settled"),
    },
  ],
  "userInput/clarify": [
    {
      arrange: async (scene) => ({
        ...(await question(scene)),
        clarification: { content: "neither", format: "text" },
      }),
      other: instead({ clarification: { content: "both", format: "text" } }, "/clarification/content"),
      effects: events("userInput/settled"),
    },
  ],
  "userInput/interrupt": [
    {
      arrange: question,
      other: instead(answers("first"), "/answers"),
      effects: events("turn/completed"),
    },
  ],
  "task/background": [
    {
      arrange: async (scene) => ({ taskId: await task(scene) }),
      other: instead({ taskId: "another" }, "/taskId"),
      effects: events("item/updated", isTool),
      rejection: unknownTask,
    },
  ],
  "task/stop": [
    {
      arrange: async (scene) => ({ taskId: await task(scene) }),
      other: instead({ taskId: "another" }, "/taskId"),
      effects: events("item/completed", isTool),
      rejection: unknownTask,
    },
  ],
  "task/stopAll": [
    {
      async arrange(scene) {
        await task(scene);
        return {};
      },
      effects: events("item/completed", isTool),
    },
  ],
};

/** One row for each case. */
export interface CaseRow {
  readonly name: string;
  readonly method: CommandName;
  readonly of: CommandCase;
}

/** All cases, one after the other, by name. */
export const caseRows: readonly CaseRow[] = Object.entries(commandCases).flatMap(([method, cases]) =>
  (cases ?? []).map((of) => ({
    name: of.label === undefined ? method : `${method}, ${of.label}`,
    method: method as CommandName,
    of,
  })),
);

/** Waits until the log shows as many effects. */
export function untilEffects(scene: CommandScene, of: CommandCase, count: number): Promise<unknown> {
  return eventually(async () => (await of.effects(await scene.records(), scene)) >= count);
}
