/**
 * Which function answers which question.
 */
import { type ProtocolError, protocolError } from "../../generated/msp/experimental/server.js";
import type {
  MethodName,
  MethodParams,
  MethodResults,
  TurnInputPart,
} from "../../generated/msp/experimental/types.js";
import type { Agent } from "./agents/agent.js";
import type { HostContext } from "./host-connection.js";
import type { LiveSession } from "./live-session.js";
import {
  historyOf,
  listModels,
  listPending,
  listTasks,
  notLoaded,
  ordinalAt,
  page,
  readOutput,
  standing,
} from "./queries.js";
import { promptOf } from "./session/decision.js";
import { cursorOf, keyOf } from "./session/state.js";
import { listSessions } from "./session-list.js";
import type { Sessions } from "./sessions.js";

type Query<M extends MethodName> = (
  params: MethodParams[M],
  context: HostContext,
) => MethodResults[M] | ProtocolError | Promise<MethodResults[M] | ProtocolError>;

/** The handlers of what can be asked without changing anything. */
export function queryHandlers(
  sessions: Sessions,
  agent: Agent,
  frameBytes: number,
): { readonly [M in MethodName]?: Query<M> } {
  /** Asks a session that is loaded. */
  const ask =
    <P extends { readonly sessionId: string }, R>(
      answer: (session: LiveSession, params: P, context: HostContext) => R,
    ) =>
    (params: P, context: HostContext) => {
      const session = sessions.get(params.sessionId);
      return session === undefined ? sessions.absence(params.sessionId) : answer(session, params, context);
    };
  return {
    "approval/listPending": ask(listPending),
    "task/list": ask(listTasks),
    "item/readOutput": ask(readOutput),
    "model/list": ({ sessionId }) => {
      if (sessionId === undefined) return listModels(agent.models ?? [], undefined);
      const session = sessions.get(sessionId);
      return session === undefined ? sessions.absence(sessionId) : listModels(agent.models ?? [], session);
    },
    "usage/read": () => ({}),
    "session/list": (params) => listSessions(sessions, params),
    "session/read": (params) => readSession(sessions, params, frameBytes),
    "view/page": ask(({ view }, params: MethodParams["view/page"]) => page(view, params, frameBytes)),
    "view/subscribe": ask((session, { after }: MethodParams["view/subscribe"], { connection }) => {
      const { view } = session;
      const ordinal = after === undefined ? view.ordinal : ordinalAt(view, after);
      if (typeof ordinal !== "number") return ordinal;
      const viewCursor = view.head;
      connection.subscribe(session, ordinal, after ?? viewCursor);
      return { viewCursor };
    }),
    "view/unsubscribe": ({ sessionId }, { connection }) => {
      connection.unsubscribe(keyOf(sessionId));
      return {};
    },
  };
}

async function readSession(
  sessions: Sessions,
  { sessionId, excludeItems = true }: MethodParams["session/read"],
  frameBytes: number,
): Promise<MethodResults["session/read"] | ProtocolError> {
  const live = sessions.get(sessionId);
  const stored = live ?? (await sessions.look(sessionId));
  if (stored === undefined) return protocolError("sessionNotFound", { sessionId });
  const { state, view } = stored;
  const queuedInputs = state.queue.map(({ commandId, payload }, i) => ({
    sequence: i,
    sourceCommandId: commandId,
    text: promptOf((payload?.["input"] ?? []) as readonly TurnInputPart[]),
  }));
  return {
    session: live === undefined ? notLoaded(view, "") : view.row(live.path),
    viewCursor: cursorOf(view.sessionId, view.ordinal),
    history: historyOf(view, { exclude: excludeItems, preference: "auto", frameBytes }),
    ...standing(state, view),
    ...(queuedInputs.length === 0 ? {} : { queuedInputs }),
  };
}
