/**
 * Commands about sessions as a whole: they begin, load, fork and give up what other commands are about.
 */
import { isAbsolute } from "node:path";
import { type ProtocolError, protocolError } from "../../generated/msp/experimental/server.js";
import type {
  MethodName,
  MethodParams,
  MethodResults,
  ServerNotification,
  ServerNotificationParams,
} from "../../generated/msp/experimental/types.js";
import { conflict, type Told, told } from "./answers.js";
import { invalidParams } from "./checks.js";
import type { HostConnection, HostContext } from "./host-connection.js";
import type { HostLedger } from "./host-ledger.js";
import { APPROVAL_MODES, type HostOptions } from "./host-options.js";
import type { LiveSession } from "./live-session.js";
import { historyOf, none, ordinalAt, standing } from "./queries.js";
import type { Command } from "./session/decision.js";
import type { CommandAnswer, Rejection } from "./session/records.js";
import { cursorOf, keyOf } from "./session/state.js";
import { differenceOf, firstReceived } from "./session-memory.js";
import { type Sessions, sessionIdFor } from "./sessions.js";
import type { Surroundings } from "./surroundings.js";

/** What these commands need of their host. */
export interface SessionCommandsOwner {
  readonly options: HostOptions;
  readonly surroundings: Surroundings;
  readonly sessions: Sessions;
  readonly ledger: HostLedger;
  readonly frameBytes: number;
  broadcast<N extends ServerNotification>(method: N, params: ServerNotificationParams[N]): void;
}

type Run = (command: Command, params: never, context: HostContext) => Told | Promise<Told>;

/** A session that was given up here: what a repeated `session/leave` is answered. */
interface Left {
  readonly signature: string;
  readonly answer: CommandAnswer;
  readonly completed: ServerNotificationParams["session/leaveCompleted"];
}

/** The commands about sessions as a whole. */
export class SessionCommands {
  /** By method. */
  readonly handlers: readonly (readonly [MethodName, Run])[];
  readonly #owner: SessionCommandsOwner;
  readonly #left = new Map<string, Left>();
  readonly #resuming = new Map<
    string,
    { readonly command: Command; readonly answer: Promise<MethodResults["session/resume"]> }
  >();

  constructor(owner: SessionCommandsOwner) {
    this.#owner = owner;
    this.handlers = [
      ["session/start", (command, params, context) => this.#start(command, params, context)],
      ["session/resume", (command, params, context) => this.#resume(command, params, context)],
      ["session/fork", (command, params, context) => this.#fork(command, params, context)],
    ];
  }

  /** What a command is answered whose session is not here. */
  absent(command: Command, sessionId: string, connection: HostConnection): Told | Promise<Told> {
    const left = this.#left.get(leftKey(sessionId, command.id));
    if (left === undefined) return this.#owner.sessions.absence(sessionId);
    const { method, spelt } = command;
    if (left.signature !== command.signature) {
      const { readLog } = this.#owner.surroundings;
      return readLog(keyOf(sessionId)).then((entries) =>
        conflict(method, spelt, differenceOf(firstReceived(entries ?? [], command.id), command)),
      );
    }
    this.#owner.surroundings.defer(() => connection.notify("session/leaveCompleted", left.completed));
    return told(method, spelt, left.answer);
  }

  /** A session is to be given up, now or when nothing runs any more. */
  leaving(session: LiveSession, commandId: string, again: boolean): void {
    if (again) return void this.#leftAgain(session, commandId);
    session.beginLeaving(commandId);
    this.changed(session);
  }

  /** Tells again what came of giving a session up that is loaded now. Nothing is done again. */
  async #leftAgain(session: LiveSession, commandId: string): Promise<void> {
    const { sessionId, state, leavingFor } = session;
    // The first one may not have begun yet.
    await session.told().catch(() => undefined);
    const left = this.#left.get(leftKey(sessionId, commandId));
    const ordinal = state.left.get(keyOf(commandId));
    // One that is under way is told when it is over.
    if (left === undefined && [...leavingFor].some((id) => keyOf(id) === keyOf(commandId))) return;
    const outcome =
      ordinal === undefined
        ? { outcome: "failed", reason: "abandoned" }
        : { outcome: "released", viewCursor: cursorOf(sessionId, ordinal) };
    this.#owner.broadcast("session/leaveCompleted", left?.completed ?? { sessionId, commandId, ...outcome });
  }

  /** A session that is to be given up may have become idle. */
  changed(session: LiveSession): void {
    if (session.leavingFor.size === 0 || session.busy || session.released) return;
    void this.#release(session);
  }

  async #release(session: LiveSession): Promise<void> {
    const { sessions, broadcast } = this.#owner;
    const { sessionId, view, state } = session;
    const released = session.release("leave");
    const commands = [...session.leavingFor];
    await released;
    sessions.remove(session);
    const viewCursor = view.head;
    broadcast("session/closed", { sessionId, reason: "leave", viewCursor });
    broadcast("session/statusChanged", { sessionId, status: "notLoaded", viewCursor });
    for (const commandId of commands) {
      const completed = { sessionId, commandId, outcome: "released", viewCursor };
      const row = state.ledger.get(keyOf(commandId));
      if (row?.answer !== undefined)
        this.#left.set(leftKey(sessionId, commandId), {
          signature: row.signature,
          answer: row.answer,
          completed,
        });
      broadcast("session/leaveCompleted", completed);
    }
  }

  async #start(
    command: Command,
    params: MethodParams["session/start"],
    { connection }: HostContext,
  ): Promise<Told> {
    const { sessions, ledger } = this.#owner;
    const sessionId = params.sessionId ?? sessionIdFor("session/start", command.id);
    const { told: result, answer } = await ledger.command(command, {
      run: () => this.#begin(command, params, sessionId),
      repeatable: true,
      elsewhere: () => protocolError("sessionInUse", { sessionId }, "another host begins the session"),
    });
    if (answer !== undefined && "ack" in answer) {
      const session = sessions.get(sessionId);
      if (session !== undefined) this.#attach(session, connection, String(answer.ack["viewCursor"]));
    }
    return result;
  }

  async #begin(
    command: Command,
    params: MethodParams["session/start"],
    sessionId: string,
  ): Promise<CommandAnswer> {
    const { options, surroundings, sessions, broadcast } = this.#owner;
    const { approvalMode = "promptUnmatched", store } = options;
    const roots = await this.#roots(params);
    if (!Array.isArray(roots)) throw roots;
    const mode = params.approvalMode ?? approvalMode;
    if (params.permissionProfile !== undefined)
      return rejection(
        store.durability === "ephemeral"
          ? "permission_profile_ephemeral_fixed"
          : "permission_profile_unknown",
      );
    if (APPROVAL_MODES.indexOf(mode) >= surroundings.approvalModes.length)
      return rejection("approval-mode-ceiling");
    const model = this.#model(params);
    if (model === undefined) throw invalidParams("/modelId", "enum", "must be a model that model/list has");
    const session = await sessions.begin({
      sessionId,
      commandId: command.id,
      workspaceRoots: roots,
      ...model,
      approvalMode: { mode, source: "startup", lastCommandId: null },
      forkedFrom: null,
      history: [],
      at: surroundings.now(),
    });
    if (session === undefined) return rejection("session_id_conflict");
    const row = session.view.row(session.path);
    broadcast("session/started", { session: row });
    return { ack: { session: row, viewCursor: cursorOf(sessionId, 0) } };
  }

  #model({
    modelId,
    providerId,
  }: MethodParams["session/start"]): { modelId: string | null; providerId: string | null } | undefined {
    const { models } = this.#owner.options.agent;
    const [first] = models ?? [];
    if (modelId === undefined)
      return { modelId: first?.modelId ?? null, providerId: first?.providerId ?? null };
    if (models === undefined) return { modelId, providerId: providerId ?? null };
    const model = models.find(
      (known) => known.modelId === modelId && (providerId == null || known.providerId === providerId),
    );
    return model === undefined ? undefined : { modelId, providerId: model.providerId };
  }

  async #roots({
    workspaceRoot,
    workspaceRoots,
  }: MethodParams["session/start"]): Promise<readonly string[] | ProtocolError> {
    const { workspaceMap, isFolder = async () => true, workspaceRoot: home } = this.#owner.options;
    const given = workspaceRoots ?? (workspaceRoot === undefined ? undefined : [workspaceRoot]);
    if (given === undefined) return home === undefined ? [] : [home];
    const roots = given.map((root) => workspaceMap?.get(root) ?? root);
    for (const [i, root] of roots.entries()) {
      const pointer = workspaceRoots === undefined ? "/workspaceRoot" : `/workspaceRoots/${i}`;
      if (!isAbsolute(root)) return invalidParams(pointer, "format", "must be an absolute path");
      if (!(await isFolder(root))) return invalidParams(pointer, "format", "must be a folder that is there");
    }
    return roots;
  }

  async #resume(
    command: Command,
    params: MethodParams["session/resume"],
    context: HostContext,
  ): Promise<Told> {
    const { sessions } = this.#owner;
    const key = leftKey(params.sessionId, command.id);
    const first = this.#resuming.get(key);
    if (first !== undefined) {
      if (first.command.signature !== command.signature)
        return conflict(command.method, command.spelt, differenceOf(first.command, command));
      const result = await first.answer;
      const session = sessions.get(params.sessionId);
      if (session !== undefined && !context.connection.listensTo(session))
        this.#attach(session, context.connection, result.viewCursor);
      return result;
    }
    const passing = sessions.passing(params.sessionId);
    const standing = sessions.get(params.sessionId)?.knows(command) === true || passing.has(command.id);
    if (standing) return conflict(command.method, command.spelt, "");
    const answer = this.#resumed(params, context.connection);
    this.#resuming.set(key, { command, answer });
    // Other commands find the id taken.
    const { signature, method, payload } = command;
    const row = { signature, answer: undefined, settled: true, position: 0 };
    passing.set(command.id, { row, words: { method, payload } });
    // A resume that failed loaded nothing: its id stays free.
    answer.catch(() => {
      this.#resuming.delete(key);
      passing.delete(command.id);
    });
    return answer;
  }

  async #resumed(
    {
      sessionId,
      cursor,
      excludeItems = false,
      history = "auto",
      permissionProfile,
    }: MethodParams["session/resume"],
    connection: HostConnection,
  ): Promise<MethodResults["session/resume"]> {
    if (permissionProfile !== undefined)
      throw protocolError("commandRejected", { reason: "permission_profile_unknown", retryable: false });
    const { session } = await this.#owner.sessions.load(sessionId);
    // What was decided and not told yet is told to who listened before; who joins gets it with the history.
    await session.told();
    const { view, state } = session;
    const ordinal = cursor == null ? view.ordinal : ordinalAt(view, cursor);
    if (typeof ordinal !== "number") throw ordinal;
    const viewCursor = view.head;
    connection.subscribe(session, ordinal, cursor ?? viewCursor, true);
    const { frameBytes } = this.#owner;
    return {
      session: view.row(session.path),
      viewCursor,
      history:
        cursor == null
          ? historyOf(view, { exclude: excludeItems, preference: history, frameBytes })
          : none("cursorSuffix"),
      ...standing(state, view),
    };
  }

  #fork(
    command: Command,
    params: MethodParams["session/fork"],
    { connection }: HostContext,
  ): Told | Promise<Told> {
    const { sessions, surroundings, frameBytes } = this.#owner;
    const { sessionId, cutPoint, excludeItems = false } = params;
    const source = sessions.get(sessionId);
    if (source === undefined) return sessions.absence(sessionId);
    const effect = async (): Promise<CommandAnswer> => {
      await source.told();
      const lastTurnId = cutPoint?.lastTurnId;
      const history = await sessions.history(source, lastTurnId);
      if (history === undefined) throw protocolError("forkBoundaryInvalid", { lastTurnId: lastTurnId ?? "" });
      const forkId = sessionIdFor(`session/fork ${source.key}`, command.id);
      const { workspaceRoots, approvalMode, model } = source.state;
      const forkedFrom = {
        sessionId: source.sessionId,
        commandId: command.spelt,
        cutCursor: history.cursor,
        cutExplicit: lastTurnId !== undefined,
      };
      const fork = await sessions.begin({
        sessionId: forkId,
        commandId: command.id,
        workspaceRoots,
        modelId: model?.modelId ?? null,
        providerId: model?.providerId ?? null,
        approvalMode,
        forkedFrom,
        history: history.events,
        at: surroundings.now(),
      });
      if (fork === undefined) throw protocolError("internal", { sessionId }, "the fork's id is taken");
      const session = fork.view.row(fork.path);
      this.#owner.broadcast("session/started", { session });
      const result = {
        session,
        viewCursor: fork.view.head,
        history: historyOf(fork.view, { exclude: excludeItems, preference: "auto", frameBytes }),
        pendingRequests: [],
      };
      return { ack: result };
    };
    const answered = source.outside(command, effect, false);
    const attach = (result: Told): Told => {
      const fork =
        "session" in result
          ? sessions.get((result as MethodResults["session/fork"]).session.sessionId)
          : undefined;
      if (fork !== undefined)
        this.#attach(fork, connection, (result as MethodResults["session/fork"]).viewCursor);
      return result;
    };
    return answered instanceof Promise ? answered.then(attach) : attach(answered);
  }

  /** Lets a connection listen, from the cursor of a reply on; where it does not listen already. */
  #attach(session: LiveSession, connection: HostConnection, cursor: string): void {
    if (connection.listensTo(session)) return;
    const place = session.view.place(cursor);
    connection.subscribe(session, place.kind === "at" ? place.ordinal : session.view.ordinal, cursor);
  }
}

const leftKey = (sessionId: string, id: string): string => `${keyOf(sessionId)} ${keyOf(id)}`;

function rejection(reason: Rejection["reason"]): CommandAnswer {
  return { rejection: { reason, retryable: false } };
}
