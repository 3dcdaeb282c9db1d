/**
 * Where workspaces are kept. One small port: records by kind and id, changed in transactions that have a workspace to
 * themselves. Whatever implements it must hold to this, also between processes that share a store:
 *
 * - `write` runs one transaction of a workspace at a time. What it reads is the newest, all that it did is kept or none.
 * - `insert` keeps one record of a kind and id: it is a unique key of the store. That there is one is an answer.
 * - Revisions and positions grow by one and follow the order in which transactions are kept. There are no gaps: what a
 *   reader has seen up to a revision is all that there will ever be up to it.
 * - `now` is the clock of the store, the same for every process on it.
 */
import type { CommandResult, Fence, JsonObject } from "../../../src/commands/app.js";

/** A workspace of a tenant. Two tenants share nothing, whatever their workspaces are called. */
export interface Scope {
  readonly tenant: string;
  readonly workspace: string;
}

/** What records there are. A `version` is what a rule was at one time, and nobody is told of it. */
export type Kind = "event" | "feedback" | "rule" | "run" | "version";

/** What is kept of a record beside its body: what lists are made by. */
export interface Entry {
  /** What it belongs to: of an event its type, of a run its rule, of feedback its run. Empty for none. */
  readonly group: string;
  /** Of a run its status, of a rule its state. Empty for none. */
  readonly state: string;
  /** When the engine has to look at it, in milliseconds; null for never. */
  readonly due: number | null;
  readonly body: JsonObject;
}

/** A record as it is kept. */
export interface Stored extends Entry {
  readonly kind: Kind;
  readonly id: string;
  /** Place among its kind, from 1, in the order of insertion. */
  readonly position: number;
  /** The number of its last change. */
  readonly revision: number;
}

/** Which records of a kind. */
export interface Selection {
  /** Only what has a greater position. Default: 0. */
  readonly after?: number;
  readonly group?: string;
  readonly state?: string;
  readonly limit: number;
}

/** A look at a workspace. */
export interface Reader {
  get(kind: Kind, id: string): Promise<Stored | undefined>;
  /** By position. */
  list(kind: Kind, selection: Selection): Promise<readonly Stored[]>;
}

/** A transaction of a workspace. */
export interface Transaction extends Reader {
  /** The time of the store when the transaction began, in milliseconds since 1970. */
  readonly now: number;
  /** Keeps a record under a new position and revision. `make` gets the position. False where there is one of the id. */
  insert(kind: Kind, id: string, make: (position: number) => Entry): Promise<boolean>;
  /** Replaces a record and gives it a new revision. It must be there. */
  update(kind: Kind, id: string, entry: Entry): Promise<void>;
  /** Changes when the engine looks at it, and nothing that anybody hears of. */
  postpone(kind: Kind, id: string, due: number): Promise<void>;
}

/** What a transaction came to, and where it stands among the changes of its workspace. */
export interface Written<T> {
  readonly value: T;
  /** The last revision before it, and after it: the same where it changed nothing. */
  readonly before: number;
  readonly after: number;
}

/** A record that is due. */
export interface Due {
  readonly scope: Scope;
  readonly id: string;
}

/** Under what a transaction takes place. */
export interface WriteOptions<T> {
  /** The claim of a command: used where it is kept in this very store, so that both are kept or neither. */
  readonly fence?: Fence | undefined;
  /** What comes of the command, which is settled with the effect. */
  readonly result?: (value: T) => CommandResult;
  /** What is aborted before the end is not kept. */
  readonly signal?: AbortSignal | undefined;
}

/** A store of workspaces. */
export interface Storage {
  read<T>(scope: Scope, work: (reader: Reader) => Promise<T>): Promise<T>;
  /** Runs a transaction. What `work` throws is thrown, and nothing is kept. */
  write<T>(
    scope: Scope,
    work: (transaction: Transaction) => Promise<T>,
    options?: WriteOptions<T>,
  ): Promise<Written<T>>;
  /** The last revision of a workspace; 0 where nothing was ever kept. */
  revision(scope: Scope): Promise<number>;
  /** Records that were changed after a revision, each as it is now, by revision. */
  changes(scope: Scope, after: number, limit: number): Promise<readonly Stored[]>;
  /** Runs that are due, of all workspaces, the oldest first. */
  due(limit: number): Promise<readonly Due[]>;
  close(): Promise<void>;
}
