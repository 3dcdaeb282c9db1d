/**
 * The sessions of a host: which are loaded, and how they begin, are loaded, are forked and given up.
 */
import { createHash } from "node:crypto";
import { protocolError } from "../../generated/msp/experimental/server.js";
import type { ForkProvenance, Session } from "../../generated/msp/experimental/types.js";
import { isStoreError, type Log, type OpenOptions, type Store } from "../ledger/store.js";
import { inUse, openFailure } from "./failure.js";
import { LiveSession } from "./live-session.js";
import { isUuid } from "./payloads.js";
import { foldEntries, recordsOf } from "./session/fold.js";
import type { SessionCreated, SessionRecord, ViewEvent } from "./session/records.js";
import { cursorOf, keyOf, SessionState } from "./session/state.js";
import { SessionViewLog } from "./session/view.js";
import type { PassingCommands } from "./session-memory.js";
import type { SessionOwner } from "./session-owner.js";

/** What a new session begins with. */
export interface Beginning {
  readonly sessionId: string;
  /** The command that begins it, in one letter case. */
  readonly commandId: string;
  readonly workspaceRoots: readonly string[];
  readonly modelId: string | null;
  readonly providerId: string | null;
  readonly approvalMode: Session["approvalMode"];
  readonly forkedFrom: ForkProvenance | null;
  readonly history: readonly ViewEvent[];
  readonly at: number;
}

/** A session that was looked at without being loaded. */
export interface StoredSession {
  readonly state: SessionState;
  readonly view: SessionViewLog;
}

/** The sessions of a host. */
export class Sessions {
  readonly #store: Store;
  readonly #owner: SessionOwner<LiveSession>;
  readonly #live = new Map<string, LiveSession>();
  readonly #opening = new Map<string, Promise<LiveSession>>();
  readonly #passing = new Map<string, PassingCommands>();

  constructor(store: Store, owner: SessionOwner<LiveSession>) {
    this.#store = store;
    this.#owner = owner;
  }

  /** The sessions that are loaded. */
  get live(): Iterable<LiveSession> {
    return this.#live.values();
  }

  /** A session that is loaded. */
  get(sessionId: string): LiveSession | undefined {
    return this.#live.get(keyOf(sessionId));
  }

  /** What is remembered of a session besides its log. */
  passing(sessionId: string): PassingCommands {
    const key = keyOf(sessionId);
    let passing = this.#passing.get(key);
    if (passing === undefined) {
      passing = new Map();
      this.#passing.set(key, passing);
    }
    return passing;
  }

  /** Why there is no such session here. */
  async absence(sessionId: string): Promise<ReturnType<typeof protocolError>> {
    // No log can have such a name, so that a store must not be asked for it.
    if (!isUuid(sessionId))
      return protocolError("sessionNotFound", { sessionId }, "there is no such session");
    const key = keyOf(sessionId);
    // The holder may be this very host, which is about to load it.
    const state = this.#opening.has(key) ? "free" : await this.#store.state("sessions", key);
    if (state === "absent")
      return protocolError("sessionNotFound", { sessionId }, "there is no such session");
    if (state === "held") return inUse(sessionId);
    return protocolError("sessionNotLoaded", { sessionId }, "the session is not loaded");
  }

  /**
   * Begins a session. One that this very command has begun before a crash is loaded instead.
   * @returns undefined where the id belongs to another session
   */
  async begin(beginning: Beginning): Promise<LiveSession | undefined> {
    const { sessionId, commandId } = beginning;
    const key = keyOf(sessionId);
    const live = this.#live.get(key);
    if (live !== undefined) return live.state.createdBy === commandId ? live : undefined;
    return this.#opened(key, async () => {
      let log: Log;
      try {
        log = await this.#store.open("sessions", key, { expect: "new" });
      } catch (error) {
        if (!isStoreError(error) || error.kind !== "exists") throw openFailure(error, sessionId);
        const entries = await this.#store.read("sessions", key);
        const [created] = recordsOf(entries?.[0] ?? "[]");
        // A log without records was begun by somebody who died in it: it is nobody's session yet.
        if (created !== undefined && (created.type !== "session" || created.commandId !== commandId))
          return undefined;
        log = await this.#open(sessionId, { expect: "existing" });
      }
      if (log.entries.length > 0) return this.#load(log, sessionId, true);
      const session = new LiveSession(this.#owner, log, sessionId, this.passing(sessionId), [
        createdBy(beginning),
      ]);
      await session.told();
      return session;
    });
  }

  /** Loads a session, or gives the one that is loaded. Throws an error of the protocol. */
  async load(sessionId: string): Promise<{ readonly session: LiveSession; readonly loaded: boolean }> {
    const key = keyOf(sessionId);
    const live = this.#live.get(key);
    if (live !== undefined && !live.released) return { session: live, loaded: false };
    if (live !== undefined) {
      await live.release("leave");
      this.remove(live);
    }
    const session = await this.#opened(key, async () =>
      this.#load(await this.#open(sessionId, { expect: "existing" }), sessionId, true),
    );
    if (session === undefined) throw protocolError("sessionNotFound", { sessionId });
    return { session, loaded: true };
  }

  /** Looks at a session without loading it; undefined where there is none. */
  async look(sessionId: string): Promise<StoredSession | undefined> {
    if (!isUuid(sessionId)) return undefined;
    let entries: readonly string[] | undefined;
    try {
      entries = await this.#store.read("sessions", keyOf(sessionId));
    } catch (error) {
      throw openFailure(error, sessionId);
    }
    if (entries === undefined || entries.length === 0) return undefined;
    const state = new SessionState();
    const view = new SessionViewLog(firstSpelling(entries), this.#owner.surroundings.retainedEvents);
    foldEntries(entries, state, view);
    return { state, view };
  }

  /** The logs of sessions in the store, by key, with the time of their last write. */
  list(): Promise<readonly { readonly id: string; readonly updatedAtMs: number }[]> {
    return this.#store.list("sessions");
  }

  /** What a fork of a session has from it: events up to the end of a turn. Undefined where that is no place to cut. */
  async history(
    session: LiveSession,
    lastTurnId: string | undefined,
  ): Promise<{ readonly events: readonly ViewEvent[]; readonly cursor: string } | undefined> {
    const entries = (await this.#store.read("sessions", session.key)) ?? [];
    const events = entries.flatMap((entry) => recordsOf(entry).flatMap(eventsOf));
    let end = 0;
    let found = lastTurnId === undefined;
    for (const [i, event] of events.entries()) {
      if (event.method !== "turn/completed") continue;
      end = i + 1;
      if (lastTurnId !== undefined && keyOf(event.params.turnId) === keyOf(lastTurnId)) {
        found = true;
        break;
      }
    }
    return found ? { events: events.slice(0, end), cursor: cursorOf(session.sessionId, end) } : undefined;
  }

  /** Forgets a session that is not loaded any more. */
  remove(session: LiveSession): void {
    if (this.#live.get(session.key) === session) this.#live.delete(session.key);
  }

  async #opened(key: string, open: () => Promise<LiveSession | undefined>): Promise<LiveSession | undefined> {
    const opening = this.#opening.get(key);
    if (opening !== undefined) return opening;
    const promise = open().then((session) => {
      if (session !== undefined) this.#live.set(key, session);
      return session;
    });
    this.#opening.set(key, promise as Promise<LiveSession>);
    try {
      return await promise;
    } finally {
      this.#opening.delete(key);
    }
  }

  async #open(sessionId: string, options: OpenOptions): Promise<Log> {
    try {
      return await this.#store.open("sessions", keyOf(sessionId), options);
    } catch (error) {
      throw openFailure(error, sessionId);
    }
  }

  async #load(log: Log, sessionId: string, recovers: boolean): Promise<LiveSession> {
    const { surroundings } = this.#owner;
    if (log.torn !== undefined)
      surroundings.log("warn", "the end of a session's log was never finished and is left out", {
        sessionId,
        ...log.torn,
      });
    try {
      if (log.entries.length === 0) throw protocolError("sessionNotFound", { sessionId });
      const session = new LiveSession(this.#owner, log, firstSpelling(log.entries), this.passing(sessionId));
      if (recovers) await session.recover();
      return session;
    } catch (error) {
      await log.close().catch(() => undefined);
      throw error;
    }
  }
}

/** The id of a session as it was spelt when it began, whatever it is loaded by: its cursors have that. */
function firstSpelling(entries: readonly string[]): string {
  const [created] = recordsOf(entries[0]!);
  if (created?.type !== "session") throw new TypeError("the log of a session begins with something else");
  return created.session.sessionId;
}

function eventsOf(record: SessionRecord): readonly ViewEvent[] {
  if (record.type === "session") return record.history;
  return record.type === "event" ? [record] : [];
}

function createdBy(beginning: Beginning): SessionCreated {
  const { sessionId, commandId, workspaceRoots, modelId, providerId, forkedFrom, history, at } = beginning;
  const time = new Date(at).toISOString();
  const session: Session = {
    sessionId,
    status: "idle",
    turnCount: 0,
    path: "",
    createdAt: time,
    updatedAt: time,
    workspaceRoot: workspaceRoots[0] ?? null,
    providerId,
    modelId,
    ...(beginning.approvalMode === undefined ? {} : { approvalMode: beginning.approvalMode }),
    forkedFrom,
    activeTurnId: null,
  };
  return { type: "session", session, workspaceRoots, commandId, history, at };
}

/**
 * The id of a session that a command makes and does not name: always the same for one command, so that it is made once.
 * A UUIDv7 with the time of the command's.
 */
export function sessionIdFor(scope: string, commandKey: string): string {
  const hash = createHash("sha256").update(`${scope}\n${commandKey}`).digest("hex");
  const variant = "89ab"[Number.parseInt(hash[3]!, 16) % 4]!;
  return `${commandKey.slice(0, 13)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}
