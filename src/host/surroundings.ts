/**
 * What a host gets from outside: time, chance, timers, the disk, where to log. In a simulation all of it is made up.
 */
import { mintCommandId } from "../client/command-id.js";
import type { EntryText } from "../ledger/store.js";

/** How much a log line matters. */
export type Level = "debug" | "info" | "warn" | "error";

/** What surrounds the sessions of a host. */
export interface Surroundings {
  /** Unix milliseconds. May go backwards: order comes from logs alone. */
  now(): number;
  /** A new UUIDv7. */
  mintId(): string;
  /** Runs something when the answers of this turn are on their way. */
  defer(run: () => void): void;
  /** Runs something later; what it gives back calls it off. */
  after(milliseconds: number, run: () => void): () => void;
  /** What is in the log of a session. */
  readLog(sessionKey: string): Promise<readonly EntryText[] | undefined>;
  /** Runs a command of the user's shell. */
  shell(
    commandText: string,
    cwd: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly exitCode: number | undefined; readonly output: string }>;
  /** Says something to the operator. */
  log(level: Level, message: string, details?: Readonly<Record<string, unknown>>): void;
  /** Turns that may wait in a session. */
  readonly maxQueuedTurns: number;
  /** Commands of a session that may wait to become durable. */
  readonly maxWaitingCommands: number;
  /** Records of an agent that may wait before it should pause. */
  readonly maxWaitingEvents: number;
  /** Events of a session that can be read again. */
  readonly retainedEvents: number;
  /** Milliseconds that an agent has to let go of a turn that is to stop. */
  readonly agentGraceMs: number;
  /** Approval modes that may be set. */
  readonly approvalModes: readonly string[];
}

/** Time, chance and timers of the platform. It has no shell. */
export function platform(): Pick<Surroundings, "now" | "mintId" | "defer" | "after" | "shell"> {
  return {
    now: Date.now,
    mintId: mintCommandId,
    defer: (run) => void setImmediate(run),
    after: (milliseconds, run) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
    shell: async () => {
      throw new Error("the host has no shell");
    },
  };
}
