/**
 * A client: one host at a time, the sessions that are open there, and what outlives a connection.
 */
import type { Client as Methods } from "../../generated/msp/experimental/client.js";
import type { errors } from "../../generated/msp/experimental/tables.js";
import type { MethodParams } from "../../generated/msp/experimental/types.js";
import type { PeerOptions, Transport } from "../wire/index.js";
import { mintCommandId } from "./command-id.js";
import type { CallOptions } from "./commands.js";
import { type CommandOptions, Connection, type HandshakeOptions, type WithoutId } from "./connection.js";
import { ConnectionError, isMspError, SessionDiscardedError } from "./errors.js";
import type { SavedSession } from "./saved-session.js";
import type { Session } from "./session.js";
import type { Frame, SessionOptions } from "./session-types.js";
import { UsedIds } from "./used-ids.js";

/** How a client reaches its host, and who it is. */
export interface MspClientOptions extends HandshakeOptions {
  /** Makes a new connection to the host: at first, and again for each reconnect. */
  readonly connect: () => Transport | Promise<Transport>;
  /** Mints command ids. Default: UUIDv7 from the platform's clock and chance. */
  readonly mintCommandId?: () => string;
  /** Command ids to remember. Default: 100,000. */
  readonly rememberedIds?: number;
  /** How the wire behaves: limits, and what is told of it. */
  readonly peer?: PeerOptions;
  /** How sessions behave. */
  readonly session?: SessionOptions;
  /** Gets every notification and request of the host, those of no open session too. */
  readonly onFrame?: (method: string, params: unknown) => void;
}

/** What a session is started with. */
export type SessionStart = WithoutId<MethodParams["session/start"]>;

/** How a session is resumed. */
export interface SessionResume extends Omit<WithoutId<MethodParams["session/resume"]>, "sessionId"> {
  /** What `Session.save` gave before this program's restart: where to go on, and what was in flight. */
  readonly saved?: SavedSession;
}

const sessions = (): Promise<typeof import("./open-session.js")> => import("./open-session.js");

/** A client of a host. */
export class MspClient {
  readonly mintCommandId: () => string;
  /** Ids that died with an ephemeral host. */
  readonly discardedCommandIds: Set<string> = new Set();
  readonly #options: MspClientOptions;
  readonly #usedIds: UsedIds;
  readonly #sessions = new Map<string, Session>();
  /** Sessions whose opening is under way; their frames wait. */
  #openings = 0;
  readonly #held = new Map<string, Frame[]>();
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  /** Resolves when the last connection is over, and the sessions know. */
  #over: Promise<void> = Promise.resolve();
  #closing = false;

  constructor(options: MspClientOptions) {
    this.#options = options;
    this.#usedIds = new UsedIds(options.rememberedIds);
    this.mintCommandId = options.mintCommandId ?? mintCommandId;
  }

  /** The connection, while there is one. */
  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** The connection's functions, one for each method of the protocol. */
  get methods(): Methods<CallOptions> {
    return this.#connected().methods;
  }

  /** The open sessions, by id. */
  get sessions(): ReadonlyMap<string, Session> {
    return this.#sessions;
  }

  /**
   * Connects and shakes hands; the connection that is there, where one is. Rejects with `hostStart` or
   * `fingerprintMismatch`. Sessions of an earlier connection to a durable host go on: each is resumed where it
   * stopped, and what is pending is sent again under its ids; one that the host refuses is told `rejoinFailed`.
   */
  connect(): Promise<Connection> {
    if (this.#connection?.open === true) return Promise.resolve(this.#connection);
    // What the last connection's end means for the sessions comes first.
    this.#connecting ??= this.#over
      .then(() => this.#connect())
      .finally(() => {
        this.#connecting = undefined;
      });
    return this.#connecting;
  }

  /** Starts a session. A repeated id gives the session that was started under it. */
  async startSession(params: SessionStart = {}, options?: CommandOptions): Promise<Session> {
    return this.#opening(async () => {
      const { newSession } = await sessions();
      const result = await this.#connected().command("session/start", params, options);
      const known = this.#sessions.get(result.session.sessionId);
      if (known !== undefined) return known;
      const session = newSession(this, result.session.sessionId, this.#options.session);
      session.started(result);
      this.#sessions.set(session.sessionId, session);
      for (const [method, params] of this.#framesOf(session)) session.receive(method, params);
      return session;
    });
  }

  /**
   * Opens a session of the host. With a cursor, or what was saved, the view goes on from there; otherwise it begins
   * with the history that the host gives. Where the host has lost the cursor, it begins anew too.
   */
  async resumeSession(
    sessionId: string,
    { saved, ...params }: SessionResume = {},
    options?: CommandOptions,
  ): Promise<Session> {
    const { newSession, savedSession } = await sessions();
    const how = this.#options.session;
    const from = saved === undefined ? undefined : savedSession(this, sessionId, saved, how);
    const session = this.#sessions.get(sessionId) ?? from?.session ?? newSession(this, sessionId, how);
    const cursor = params.cursor ?? from?.cursor;
    await this.#opening(() =>
      this.#resume(session, { ...params, ...(cursor == null ? {} : { cursor }) }, options),
    );
    return session;
  }

  /** Closes the connection in order. The sessions stay with what is known of them. */
  async close(): Promise<void> {
    this.#closing = true;
    await this.#connection?.close();
  }

  async #connect(): Promise<Connection> {
    this.#closing = false;
    const transport = await this.#options.connect();
    const shared = {
      usedIds: this.#usedIds,
      mintCommandId: this.mintCommandId,
      peer: this.#options.peer ?? {},
    };
    const connection = await Connection.open(transport, shared, this.#options, (method, params) =>
      this.#route(method, params),
    );
    this.#connection = connection;
    this.#over = connection.closed.then((error) => this.#lost(connection, error));
    for (const session of [...this.#sessions.values()]) {
      // One that the host refuses is told of, and keeps neither the others nor the connection from anybody.
      await this.#rejoin(session).catch((error: unknown) => {
        if (!isMspError(error)) throw error;
        session.tell({ kind: "rejoinFailed", error });
      });
    }
    return connection;
  }

  async #rejoin(session: Session): Promise<void> {
    // What died with an ephemeral host is never asked for again.
    if (session.view.discarded) return;
    const cursor = session.resumeCursor;
    await this.#opening(() => this.#resume(session, cursor === undefined ? {} : { cursor }));
  }

  async #resume(session: Session, params: SessionResume, options?: CommandOptions): Promise<void> {
    const { sessionId } = session;
    const connection = this.#connected();
    if (session.view.discarded)
      throw new SessionDiscardedError(`the session ${sessionId} is gone with its host`);
    // From here to the reply its frames wait: those of the suffix must not be folded before it.
    const known = this.#sessions.delete(sessionId);
    let cursor = params.cursor ?? undefined;
    const result = await connection
      .command("session/resume", { ...params, sessionId }, options)
      .catch((error: unknown) => {
        if (cursor === undefined || !isMspError(error) || !CURSOR_LOST.has(error.kind)) throw error;
        cursor = undefined;
        const { cursor: _, ...anew } = params;
        return connection.command("session/resume", { ...anew, sessionId });
      })
      .catch((error: unknown) => {
        if (known) this.#sessions.set(sessionId, session);
        for (const [method, frame] of this.#framesOf(session)) session.receive(method, frame);
        throw error;
      });
    this.#sessions.set(sessionId, session);
    await session.joined(result, cursor, this.#framesOf(session));
  }

  #connected(): Connection {
    if (this.#connection !== undefined) return this.#connection;
    throw new ConnectionError(
      "notSent",
      "there is no connection; call connect",
      undefined,
      "nothingAdmitted",
    );
  }

  /** Frames of sessions that are not open wait while one is being opened: they may be its own. */
  async #opening<T>(open: () => Promise<T>): Promise<T> {
    this.#openings++;
    try {
      return await open();
    } finally {
      if (--this.#openings === 0) this.#held.clear();
    }
  }

  /** The frames of a session that came while it was being opened. */
  #framesOf({ sessionId }: Session): readonly Frame[] {
    const frames = this.#held.get(sessionId) ?? [];
    this.#held.delete(sessionId);
    return frames;
  }

  #route(method: string, params: unknown): void {
    try {
      this.#options.onFrame?.(method, params);
    } catch (error) {
      this.#options.session?.onError?.(error);
    }
    const { sessionId } = (params ?? {}) as { readonly sessionId?: unknown };
    if (typeof sessionId !== "string") return;
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) session.receive(method, params);
    else if (this.#openings > 0) this.#hold(sessionId, [method, params]);
  }

  #hold(sessionId: string, frame: Frame): void {
    const frames = this.#held.get(sessionId) ?? [];
    frames.push(frame);
    this.#held.set(sessionId, frames);
  }

  async #lost(connection: Connection, error: Error | undefined): Promise<void> {
    if (this.#connection === connection) this.#connection = undefined;
    // Exit 0, or a stream that this side closed, is no death.
    const exit = await connection.exit;
    const ours = this.#closing && (exit === undefined || exit.code === 0);
    const discarded = connection.durability === "ephemeral";
    for (const session of this.#sessions.values())
      session.lost(error, discarded ? "discarded" : ours ? "closed" : "died", exit);
  }
}

/** Answers to a cursor that the host cannot go on from; the view is begun anew then. */
const CURSOR_LOST: ReadonlySet<string> = new Set<keyof typeof errors>([
  "viewTruncated",
  "notFound",
  "boundaryPruned",
]);
