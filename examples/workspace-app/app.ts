/** The application: workspaces with a log of events, rules that fire on them, and runs that really run. */
import { randomUUID } from "node:crypto";
import openrpc from "../../generated/workspace/stable/openrpc.json" with { type: "json" };
import schema from "../../generated/workspace/stable/schema.json" with { type: "json" };
import * as tables from "../../generated/workspace/stable/tables.js";
import * as validators from "../../generated/workspace/stable/validators.js";
import type {
  Actor,
  App,
  Command,
  CommandContext,
  CommandResult,
  JsonObject,
  Notice,
  Rejection,
  WorkspaceHandle,
} from "../../src/commands/app.js";
import type { CommandHandler, CommandName } from "./commands/command.js";
import { commands } from "./commands/commands.js";
import { Engine } from "./engine/engine.js";
import { Feed } from "./engine/feed.js";
import type { AppFunction } from "./engine/steps.js";
import { exampleFunctions } from "./functions.js";
import { type QueryHandler, type QueryName, queries } from "./queries.js";
import { rejected, rejection, rejectionOf } from "./rejections.js";
import { MemoryStorage } from "./storage/memory.js";
import type { Scope, Storage, Written } from "./storage/storage.js";

/** How the application is made. */
export interface WorkspaceAppOptions {
  /** Where workspaces are kept; the application closes it. Default: in the memory of the process. */
  readonly storage?: Storage;
  /** What steps may call, by name. The same on every process of a store. Default: `echo` and `refuse`. */
  readonly functions?: Readonly<Record<string, AppFunction>>;
  /** Whether a participant may use a workspace of its tenant. Default: every one may. */
  readonly may?: (actor: Actor, workspace: string) => boolean | Promise<boolean>;
  /** How long a process may be silent before its runs are taken up by another, in milliseconds. Default: 30,000. */
  readonly leaseMs?: number;
  /** How often it is looked for what other processes did, in milliseconds. Default: 250. */
  readonly pollMs?: number;
  /** The most runs at once. Default: 16. */
  readonly concurrency?: number;
  /** Makes ids, each different from all others. Default: random UUIDs. */
  readonly newId?: () => string;
  /** Gets errors that nobody is answered: of the store while runs are settled, and of listeners. Default: dropped. */
  readonly onError?: (error: unknown) => void;
}

/** Makes the application; its engine starts at once. */
export function createWorkspaceApp(options: WorkspaceAppOptions = {}): App {
  return new WorkspaceApp(options);
}

class WorkspaceApp implements App {
  readonly bundle = {
    tables,
    validators,
    schema: schema as unknown as JsonObject,
    openrpc: openrpc as unknown as JsonObject,
  };
  readonly storage: Storage;
  readonly functions: ReadonlyMap<string, AppFunction>;
  readonly names: ReadonlySet<string>;
  readonly newId: () => string;
  readonly feed: Feed;
  readonly engine: Engine;
  readonly #may: NonNullable<WorkspaceAppOptions["may"]>;
  #closing: Promise<void> | undefined;

  constructor(options: WorkspaceAppOptions) {
    this.storage = options.storage ?? new MemoryStorage();
    this.functions = new Map(Object.entries(options.functions ?? exampleFunctions));
    this.names = new Set(this.functions.keys());
    this.newId = options.newId ?? randomUUID;
    this.#may = options.may ?? (() => true);
    const { storage, functions } = this;
    const onError = options.onError ?? (() => undefined);
    const polling = options.pollMs === undefined ? {} : { pollMs: options.pollMs };
    this.feed = new Feed({ storage, onError, ...polling });
    this.engine = new Engine({
      storage,
      functions,
      onError,
      onWritten: (scope, written) => this.written(scope, written),
      ...polling,
      ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
      ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    });
  }

  async open(actor: Actor, workspace: string): Promise<WorkspaceHandle | Rejection> {
    const named = validators.definitions.WorkspaceId(workspace) === null;
    if (!named || !(await this.#may(actor, workspace)))
      return rejection("workspace_not_found", "there is no such workspace");
    return new Handle(this, actor, workspace);
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.engine.close();
      await this.feed.close();
      await this.storage.close();
    })();
    return this.#closing;
  }

  written(scope: Scope, written: Written<unknown>): void {
    this.feed.written(scope, written);
    if (written.before !== written.after) this.engine.wake();
  }
}

class Handle implements WorkspaceHandle {
  readonly tenant: string;
  readonly workspace: string;
  readonly participant: string;
  readonly #app: WorkspaceApp;
  readonly #scope: Scope;

  constructor(app: WorkspaceApp, { tenant, participant }: Actor, workspace: string) {
    this.#app = app;
    this.#scope = { tenant, workspace };
    this.tenant = tenant;
    this.workspace = workspace;
    this.participant = participant;
  }

  carryOut({ method, params }: Command, context: CommandContext): Promise<CommandResult> {
    const { commandId, signal, fence } = context;
    return answered(async () => {
      if (!Object.hasOwn(commands, method)) throw rejected("unknown_method", `there is no command ${method}`);
      const name = method as CommandName;
      const given = this.#valid(name, { ...params, commandId });
      const handler = commands[name] as unknown as CommandHandler<never>;
      const { storage, names: functions, newId } = this.#app;
      const written = await storage.write(
        this.#scope,
        (transaction) =>
          handler({ transaction, params: given as never, participant: this.participant, functions, newId }),
        { fence, signal, result: (value) => accepted(commandId, value) },
      );
      if (name === "run/cancel") this.#app.engine.stop(this.#scope, given["runId"] as string);
      this.#app.written(this.#scope, written);
      return accepted(commandId, written.value);
    });
  }

  query(method: string, params: JsonObject): Promise<CommandResult> {
    return answered(async () => {
      if (!Object.hasOwn(queries, method)) throw rejected("unknown_method", `there is no query ${method}`);
      const given = this.#valid(method as QueryName, params);
      const handler = queries[method as QueryName] as unknown as QueryHandler<never>;
      const { storage } = this.#app;
      const result = await storage.read(this.#scope, (reader) => handler(reader, given as never));
      return { status: "accepted", result: result as unknown as JsonObject };
    });
  }

  subscribe(listener: (notice: Notice) => void): () => void {
    return this.#app.feed.subscribe(this.#scope, listener);
  }

  /** The params, with the workspace that this is; frozen against nobody, copied from whoever may change them. */
  #valid(method: CommandName | QueryName, params: JsonObject): JsonObject {
    const workspaceId = params["workspaceId"] ?? this.workspace;
    if (workspaceId !== this.workspace)
      throw rejected("invalid_params", "the params name another workspace than the one that is open");
    const given = structuredClone({ ...params, workspaceId }) as JsonObject;
    const [violation] = validators.methods[method].params(given) ?? [];
    if (violation === undefined) return given;
    const { instanceLocation, keyword, message } = violation;
    throw rejected("invalid_params", `${instanceLocation} ${message}`, { instanceLocation, keyword });
  }
}

/** The result of a command that came to something. */
function accepted(commandId: string, result: object): CommandResult {
  return { status: "accepted", result: { commandId, ...result } as JsonObject };
}

/** What is done, or the rejection that it threw; what else is thrown is thrown. */
async function answered(work: () => Promise<CommandResult>): Promise<CommandResult> {
  try {
    return await work();
  } catch (error) {
    const why = rejectionOf(error);
    if (why === undefined) throw error;
    return { status: "rejected", rejection: why };
  }
}
