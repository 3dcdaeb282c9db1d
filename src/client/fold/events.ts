/**
 * What is done with each message of a host. The tables name every notification and every request that the schema has:
 * one that a later schema brings does not compile here before somebody decides what it means for the view.
 */
import type {
  ServerNotification,
  ServerNotificationParams,
  ServerRequestName,
  ServerRequestParams,
} from "../../../generated/msp/experimental/types.js";
import { foldRequested, foldResolved, foldReviewing, foldUpdated } from "./approvals.js";
import { foldDelta, foldItem } from "./items.js";
import { type FoldOutcome, GAP_EXTENDED, GAP_OPENED, STALE, UNUSABLE_PARAMS } from "./outcome.js";
import type { FoldState } from "./state.js";
import { foldState } from "./states.js";
import {
  foldCompleted,
  foldForeground,
  foldRetracted,
  foldRetry,
  foldStarted,
  foldUnqueued,
} from "./turns.js";
import { foldAsked, foldSettled } from "./user-inputs.js";

/** Folds the params of one message. They are of the own session; nothing else about them was checked. */
export type Arm<Params> = (state: FoldState, params: Params) => FoldOutcome;

/** An event of the view that changes no state that snapshots have: it only moves the head. */
export const notice = "notice";
/** A message outside the view. */
export const outside = "outside";

/** Why a message is not folded. */
export type NotFolded = typeof notice | typeof outside;

const notificationArms = {
  "account/changed": outside,
  "account/loginCompleted": outside,
  "admission/requested": notice,
  "admission/resolved": notice,
  "approval/requested": foldRequested,
  "approval/resolved": foldResolved,
  "approval/reviewing": foldReviewing,
  "approval/updated": foldUpdated,
  "computerUseSetup/changed": outside,
  "item/completed": (state, params) => foldItem(state, params, true),
  "item/delta": foldDelta,
  "item/started": (state, params) => foldItem(state, params, false),
  "item/updated": (state, params) => foldItem(state, params, false),
  "log/gap": outside,
  "log/physicalLine": outside,
  "log/physicalReset": outside,
  "log/record": outside,
  "mcpServer/oauthLoginCompleted": outside,
  "monitor/inboxItemAdmitted": notice,
  "monitor/inboxItemDrained": notice,
  "monitor/inboxItemVoided": notice,
  "plugin/changed": outside,
  "plugin/marketplaceChanged": outside,
  "recap/completed": outside,
  "session/approvalModeChanged": (state, params) => {
    const { commandId, mode, source } = params;
    return foldState(
      state,
      "approvalMode",
      params,
      mode === undefined ? undefined : { lastCommandId: commandId, mode, source },
    );
  },
  "session/branchChanged": (state, params) => {
    const { branch, vcs, workspaceRoot } = params;
    const value = typeof branch === "string" ? { branch, workspaceRoot } : branch;
    return foldState(state, "branch", params, value && vcs !== undefined ? { ...value, vcs } : value);
  },
  "session/closed": outside,
  "session/contextUsage": (state, params) => {
    const { pressure, usedTokens, windowTokens } = params;
    const value = pressure === undefined ? undefined : { pressure, usedTokens };
    return foldState(
      state,
      "contextUsage",
      params,
      value && windowTokens !== undefined ? { ...value, windowTokens } : value,
    );
  },
  "session/goalChanged": (state, params) => foldState(state, "goal", params, params.goal),
  "session/leaveCompleted": outside,
  "session/listChanged": outside,
  "session/modelChanged": (state, params) => {
    const { modelId, providerId, source } = params;
    return foldState(
      state,
      "effectiveModel",
      params,
      modelId === undefined ? undefined : { modelId, providerId, source },
    );
  },
  "session/modelRouteUnserved": notice,
  "session/nameChanged": (state, params) => foldState(state, "name", params, params.name),
  "session/permissionProfileChanged": notice,
  "session/reasoningEffortChanged": (state, params) => {
    const { reasoningEffort, source } = params;
    return foldState(
      state,
      "reasoningEffort",
      params,
      reasoningEffort === undefined ? undefined : { reasoningEffort, source },
    );
  },
  "session/started": outside,
  "session/statusChanged": outside,
  "session/todoListChanged": (state, params) => {
    const { items, revision, sourceTool } = params;
    return foldState(
      state,
      "todoList",
      params,
      items === undefined ? undefined : { items, revision, sourceTool },
    );
  },
  "session/tokenUsage": (state, params) => foldState(state, "tokenUsage", params, params.cumulative),
  "session/viewHealthChanged": outside,
  "skill/changed": outside,
  "turn/completed": foldCompleted,
  "turn/foregroundCompleted": foldForeground,
  "turn/modelRetryScheduled": foldRetry,
  "turn/retracted": foldRetracted,
  "turn/retryScheduled": foldRetry,
  "turn/started": foldStarted,
  "turn/unqueued": foldUnqueued,
  "usage/changed": outside,
  "userInput/requested": foldAsked,
  "userInput/settled": foldSettled,
  "view/gap": (state, { after, next }) => {
    if (typeof after !== "string" || typeof next !== "string") return UNUSABLE_PARAMS;
    const { gap } = state;
    if (next === gap?.next || (gap === undefined && next === state.filled)) return STALE;
    state.gap = { after: gap?.after ?? after, next };
    return gap === undefined ? GAP_OPENED : GAP_EXTENDED;
  },
} satisfies { [N in ServerNotification]: Arm<ServerNotificationParams[N]> | NotFolded };

/** A request of the host tells what its notification tells; it is the one that is never lost, and is sent again. */
const requestArms = {
  "admission/request": outside,
  "approval/request": foldRequested,
  "userInput/request": foldAsked,
} satisfies { [R in ServerRequestName]: Arm<ServerRequestParams[R]> | NotFolded };

const requests = mapOf(requestArms);
const all = new Map([...mapOf(notificationArms), ...requests]);

/** What is done with a message; undefined where the schema does not have it. */
export function armOf(method: string): Arm<unknown> | NotFolded | undefined {
  return all.get(method);
}

/** Whether this is a request that a host sends, and not a notification. */
export function isHostRequest(method: string): boolean {
  return requests.has(method);
}

/** Maps have no names of their own, as `constructor` is one of every object. */
function mapOf(arms: object): Map<string, Arm<unknown> | NotFolded> {
  // Each arm stands under the name of the params that it takes, and looks at what it uses.
  return new Map(Object.entries(arms) as [string, Arm<unknown> | NotFolded][]);
}
