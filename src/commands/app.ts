/**
 * An application whose commands are carried out once per id, whatever door they come in by: what it has to offer, and
 * what comes of a command. Nothing here knows a protocol; which commands there are is told by the tables of a bundle.
 */

/** A value of JSON. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
/** An object of JSON. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** Who acts: named by the token that a door was shown, never by the message. */
export interface Actor {
  readonly tenant: string;
  readonly participant: string;
}

/** One command: a mutating method of the bundle and its params, without the id under which it is carried out. */
export interface Command {
  readonly method: string;
  readonly params: JsonObject;
}

/** Why a command was not carried out, or came to nothing. A result as good as any other, and remembered like one. */
export interface Rejection {
  /** A stable word; what programs branch on. An open set. */
  readonly reason: string;
  /** For people. */
  readonly message: string;
  /** Whether the same command under the same id may be tried again: nothing was admitted, and nothing is remembered. */
  readonly retryable: boolean;
  /** More of it, for programs. */
  readonly data?: JsonObject;
}

/** What comes of a command: its outcome, or its rejection. */
export type CommandResult =
  | { readonly status: "accepted"; readonly result: JsonValue }
  | { readonly status: "rejected"; readonly rejection: Rejection };

/** What a command is carried out with. */
export interface CommandContext {
  /** The id under which it is carried out: what an application passes on to what deduplicates below it. */
  readonly commandId: string;
  /** Aborted when nobody may settle the command any more: its claim is over. */
  readonly signal: AbortSignal;
  /**
   * Makes an effect that is kept in the same store as the results take place only while the claim stands, and, where it is
   * told what comes of the command, with the settlement in one transaction. Absent where effects cannot be kept there.
   */
  readonly fence?: Fence;
}

/** The claim of a command, as far as an effect in the same store has to know it. */
export interface Fence {
  /** Greater than that of every owner before; never used again. */
  readonly epoch: number;
  /**
   * Runs an effect in a transaction of the store in which the claim is checked; it is kept when this resolves, and none
   * of it where this fails. `handle` is that of the store, inside the transaction, which is not the effect's to end: of
   * PostgreSQL a client of `pg`; of SQLite a `Database` of `better-sqlite3` on the same file.
   *
   * SQLite has one writer: while an effect runs, all other commands of the file wait, those of other processes too. So an
   * effect does there what it has to do to the database and nothing else; it must not wait for another command, and it
   * ends with its claim, at the deadline.
   * @param result what comes of the command, once the effect is made: the command is settled by it in the same
   *   transaction, and answers it whatever `carryOut` gives later. Without it the effect is kept and the command may yet be
   *   abandoned.
   * @throws an error of the kind `fenced` where the claim is another's, or over; then nothing of the effect is kept
   */
  run<T>(effect: (handle: unknown) => Promise<T>, result?: (value: T) => CommandResult): Promise<T>;
}

/** Something that changed, as doors tell it: a notification of the bundle. */
export interface Notice {
  readonly method: string;
  readonly params: JsonObject;
}

/** One workspace, opened for one participant. It reaches nothing of other tenants. */
export interface WorkspaceHandle {
  readonly tenant: string;
  readonly workspace: string;
  readonly participant: string;
  /** Carries a command out, once: who calls it keeps what comes of it. May throw; that is a rejection too. */
  carryOut(command: Command, context: CommandContext): Promise<CommandResult>;
  /** Answers a query of the bundle. */
  query(method: string, params: JsonObject): Promise<CommandResult>;
  /** Hears of what changes from now on; what is given back ends it. */
  subscribe(listener: (notice: Notice) => void): () => void;
}

/** What a bundle says of an application: the generated modules of one surface. */
export interface AppBundle {
  /** The generated `tables.js`. */
  readonly tables: typeof import("../../generated/msp/stable/tables.js") | object;
  /** The generated `validators.js`: `definitions`, by name. */
  readonly validators: object;
  /** The generated `schema.json`: plain JSON Schema. */
  readonly schema: JsonObject;
  /** The generated `openrpc.json`, from which doors take what methods say of themselves. Default: they say nothing. */
  readonly openrpc?: JsonObject;
}

/** An application. */
export interface App {
  readonly bundle: AppBundle;
  /** The member of every params that names the workspace. Default: `workspaceId`. */
  readonly workspaceMember?: string;
  /** Opens a workspace for a participant; a rejection where there is none, or it is not the participant's. */
  open(actor: Actor, workspace: string): Promise<WorkspaceHandle | Rejection>;
  /** Ends what runs, in order. */
  close(): Promise<void>;
}
