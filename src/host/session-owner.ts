/**
 * What a session that is loaded has around it: its host, and who listens.
 */
import type { Agent } from "./agents/agent.js";
import type { ToldEvent } from "./session/view.js";
import type { Surroundings } from "./surroundings.js";

/** Who listens to a session's view. */
export interface Listener {
  /** An event; `kept` where it can be read again. */
  event(event: ToldEvent, kept: boolean): void;
}

/** What a session asks of its host. */
export interface SessionOwner<Session> {
  readonly surroundings: Surroundings;
  readonly agent: Agent;
  /** The session cannot go on: its log failed, or was taken. */
  lost(session: Session, error: unknown): void;
  /** The session is to be given up, as a command asked. `again`: the command was answered before. */
  leaving(session: Session, commandId: string, again: boolean): void;
  /** Something about the session that lists show may have changed. */
  changed(session: Session): void;
}
