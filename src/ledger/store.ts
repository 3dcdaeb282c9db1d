/**
 * The port of a store: named logs, each written by one holder at a time. A log is all that is kept of a session, or of
 * a command that belongs to no session; what it means is its reader's business.
 */

/** Where a log belongs. Ids of different spaces have nothing to do with each other. */
export type Space = "sessions" | "commands";

/** One append, as JSON text on one line: it is in the log as a whole or not at all. */
export type EntryText = string;

/** What a store says of a log without opening it. */
export interface LogInfo {
  readonly id: string;
  /** When it was last written, in Unix milliseconds, by the clock of the machine that wrote. For sorting only. */
  readonly updatedAtMs: number;
}

/** What was found at the end of a log and left out, since its write was never finished. */
export interface TornTail {
  /** Where it began, for a person: a file and a byte, or a row. */
  readonly place: string;
  readonly bytes: number;
}

/** How a log is opened. */
export interface OpenOptions {
  /**
   * `new`: the log must not be there, else `exists`; of several that try at once one gets it. `existing`: it must be
   * there, else `notFound`. `any`: either.
   */
  readonly expect: "new" | "existing" | "any";
}

/** A log that this process may write. */
export interface Log {
  readonly id: string;
  /** Greater than that of every holder before. Never used again. */
  readonly epoch: number;
  /** Where it is kept, for a person: the path of a folder. Empty where it is in memory. */
  readonly location: string;
  /** What was in it when it was opened, oldest first. */
  readonly entries: readonly EntryText[];
  /** What was cut off when it was opened. */
  readonly torn: TornTail | undefined;
  /**
   * Appends entries in their order. Resolves, or returns, when all of them are as durable as the store makes them;
   * after it failed, nothing is known of them, and the log takes nothing more. Called again only when the last call is
   * done. Fails with `fenced` where another holder has taken the log: nobody will read what was written, but for what
   * was under way at that very moment, which may stand before all that is the other's.
   */
  write(entries: readonly EntryText[]): void | Promise<void>;
  /** Gives the log up, in order, so that another holder may take it at once. The same promise again. */
  close(): Promise<void>;
}

/** A place where logs are kept. */
export interface Store {
  /** Whether what was written is there after the end of the process. */
  readonly durability: "durable" | "ephemeral";
  /** The address that opens it, as `--store` takes it. */
  readonly url: string;
  /**
   * How things stand with a log, without taking it: there is none, nobody has it, or a holder has it and lives (one of
   * this store as well).
   */
  state(space: Space, id: string): Promise<"absent" | "free" | "held">;
  /** The logs of a space, in no order. */
  list(space: Space): Promise<readonly LogInfo[]>;
  /** Takes a log for writing. Fails with `inUse` where another holder has it and lives. */
  open(space: Space, id: string, options: OpenOptions): Promise<Log>;
  /** What a log has now, without taking it; undefined where there is none. Never less than what a writer was told is durable. */
  read(space: Space, id: string): Promise<readonly EntryText[] | undefined>;
  /**
   * Takes a log away from its holder, whether it lives or not: whatever it writes from now on fails as `fenced`. For a
   * holder that is known to be stuck. The log is free afterwards.
   */
  fence(space: Space, id: string): Promise<void>;
  /** Closes every log that is open, and the store. */
  close(): Promise<void>;
}

/** Why a store did not do what it was asked. */
export type StoreErrorKind =
  /** Another holder has the log, and lives. */
  | "inUse"
  /** There is no such log. */
  | "notFound"
  /** There is such a log already. */
  | "exists"
  /** Another holder has taken the log since. */
  | "fenced"
  /** What is kept is not what was written; `place` says where. Nothing is changed. */
  | "damaged"
  /** The store was written by a later version of its form. Nothing is changed. */
  | "newerVersion"
  /** The medium refused: no room, no permission, an error of the disk. What was being written may be there or not. */
  | "failed"
  /** The log or the store was closed, or failed before. */
  | "closed";

const IS_STORE_ERROR = Symbol.for("mspkit.storeError");

/** An error of a store. Told by `kind`. */
export class StoreError extends Error {
  /** Told by this mark and not by its class, since a program may hold two copies of this module. */
  readonly [IS_STORE_ERROR] = true;
  readonly kind: StoreErrorKind;
  /** Where: a path with a byte, or a row. */
  readonly place: string | undefined;

  constructor(
    kind: StoreErrorKind,
    message: string,
    options: ErrorOptions & { readonly place?: string } = {},
  ) {
    super(message, options);
    this.name = "StoreError";
    this.kind = kind;
    this.place = options.place;
  }
}

/** Whether a value is a {@link StoreError}. */
export function isStoreError(value: unknown): value is StoreError {
  return typeof value === "object" && value !== null && IS_STORE_ERROR in value;
}
