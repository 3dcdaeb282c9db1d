/**
 * A host: sessions over a store, an agent that does the work, and connections of clients. The order of admission is
 * here, once, for every command of the schema.
 */
import {
  createServer,
  type Handlers,
  isProtocolError,
  protocolError,
  type Server,
  withheld,
} from "../../generated/msp/experimental/server.js";
import { capabilities, methods } from "../../generated/msp/experimental/tables.js";
import type {
  InitializeParams,
  InitializeResult,
  MethodName,
  ServerNotification,
  ServerNotificationParams,
} from "../../generated/msp/experimental/types.js";
import type { Transport } from "../wire/index.js";
import { rejectionOf, type Told } from "./answers.js";
import { invalidParams, missingOf, refusalOf } from "./checks.js";
import { type ConnectionOwner, DRAIN_MS, HostConnection, type HostContext } from "./host-connection.js";
import { HostLedger } from "./host-ledger.js";
import { APPROVAL_MODES, DEFAULT_LIMITS, type HostLimits, type HostOptions } from "./host-options.js";
import type { LiveSession } from "./live-session.js";
import { type CommandName, isHostScoped, parseCommandId, payloadOf, signature } from "./payloads.js";
import { queryHandlers } from "./query-handlers.js";
import { sessionCommands } from "./session/decide.js";
import type { Command } from "./session/decision.js";
import type { CommandAnswer } from "./session/records.js";
import { SessionCommands } from "./session-commands.js";
import { Sessions } from "./sessions.js";
import { platform, type Surroundings } from "./surroundings.js";

type Handler = (params: never, context: HostContext) => unknown;

/** Capabilities that clients get for asking: what they allow is no danger, or no gate at all. */
const FREE: readonly string[] = ["sessionListStream", "sessionRename"];

/** A host of sessions. */
export class Host {
  readonly #options: HostOptions;
  readonly #surroundings: Surroundings;
  readonly #server: Server<HostContext>;
  readonly #sessions: Sessions;
  readonly #ledger: HostLedger;
  readonly #commands: SessionCommands;
  readonly #connections = new Set<HostConnection>();
  readonly #limits: Required<HostLimits>;
  readonly #grants: ReadonlySet<string>;
  #lastRequestId = 0;
  #closing: Promise<void> | undefined;

  constructor(options: HostOptions) {
    const { store, agent, approvalModeCeiling = "allowAll" } = options;
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#options = options;
    this.#limits = limits;
    this.#grants = new Set([...FREE, ...grantable(options.grants ?? [])]);
    this.#surroundings = {
      ...platform(),
      ...options.surroundings,
      readLog: (key) => store.read("sessions", key),
      log: options.log ?? (() => undefined),
      maxQueuedTurns: limits.queuedTurns,
      maxWaitingCommands: limits.waitingCommands,
      maxWaitingEvents: 64,
      retainedEvents: limits.retainedEvents,
      agentGraceMs: limits.agentGraceMs,
      approvalModes: APPROVAL_MODES.slice(0, APPROVAL_MODES.indexOf(approvalModeCeiling) + 1),
    };
    this.#sessions = new Sessions(store, {
      surroundings: this.#surroundings,
      agent,
      lost: (session, error) => this.#lost(session, error),
      leaving: (...of) => this.#commands.leaving(...of),
      changed: (session) => this.#changed(session),
    });
    this.#ledger = new HostLedger(store, this.#surroundings.now);
    this.#commands = new SessionCommands({
      options,
      surroundings: this.#surroundings,
      sessions: this.#sessions,
      ledger: this.#ledger,
      frameBytes: this.#limits.frameBytes,
      broadcast: (method, params) => this.#broadcast(method, params),
    });
    this.#server = createServer<HostContext>(this.#handlers(), {
      profile: store.durability,
      checkResults: options.checkResults === true,
      notifications: {
        "userInput/engaged": ({ sessionId, userInputId }) =>
          this.#sessions.get(sessionId)?.engaged(userInputId),
      },
      onError: (error, method) => {
        if (!isProtocolError(error)) this.#surroundings.log("error", "a method failed", { method, error });
      },
    });
  }

  /** Sessions that are loaded now. For the host author to look at. */
  get sessions(): Iterable<LiveSession> {
    return this.#sessions.live;
  }

  /**
   * Serves a client. The handshake comes from the other side.
   * @param closes whether the host ends with the connection: the client still hears what it has to say then
   */
  accept(transport: Transport, { closes = false }: { readonly closes?: boolean } = {}): HostConnection {
    const owner: ConnectionOwner = {
      server: this.#server,
      frameBytes: this.#limits.frameBytes,
      requests: this.#limits.requests,
      eventsBehind: this.#limits.eventsBehind,
      nextRequestId: () => ++this.#lastRequestId,
      handshake: (params) => this.#handshake(params),
      now: this.#surroundings.now,
      defer: this.#surroundings.defer,
      ended: async (connection) => {
        if (closes) await this.close();
        this.#connections.delete(connection);
      },
      log: this.#surroundings.log,
    };
    const connection = new HostConnection(owner, transport);
    this.#connections.add(connection);
    return connection;
  }

  /**
   * Ends in order: turns that run end as cancelled, those that wait stay for the next host, every session is given up.
   * Resolves when all of it is durable and was told. The same promise again.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { store, agent } = this.#options;
    await Promise.all(
      [...this.#sessions.live].map(async (session) => {
        await this.#within(this.#limits.shutdownMs, session.wind());
        await session.release("hostShutdown");
        this.#sessions.remove(session);
        const { sessionId, view } = session;
        this.#broadcast("session/closed", { sessionId, reason: "hostShutdown", viewCursor: view.head });
      }),
    );
    await agent.close?.();
    // A client may never end its side: that is no reason to keep the store.
    await this.#within(
      DRAIN_MS,
      Promise.all([...this.#connections].map((connection) => connection.peer.close())),
    );
    await store.close();
  }

  /** Waits for something, but not for ever. */
  async #within(milliseconds: number, done: Promise<unknown>): Promise<void> {
    let cancel!: () => void;
    const late = new Promise<void>((resolve) => {
      cancel = this.#surroundings.after(milliseconds, resolve);
    });
    await Promise.race([done.catch(() => undefined), late]);
    cancel();
  }

  #handshake(params: InitializeParams): InitializeResult {
    const { identity, store } = this.#options;
    const asked = params.capabilities?.requestedCapabilities ?? [];
    return {
      serverInfo: identity.serverInfo,
      userAgent: `${identity.serverInfo.name}/${identity.serverInfo.version} (${identity.platformOs})`,
      museHome: identity.home,
      platformFamily: identity.platformFamily,
      platformOs: identity.platformOs,
      schema: { version: 1, fingerprint: identity.fingerprint },
      grantedCapabilities: [...new Set(asked)].filter((name) => this.#grants.has(name)),
      experimentalApi: params.capabilities?.experimentalApi === true,
      sessionDurability: store.durability,
    };
  }

  /** The generated table: what a session decides, what can be asked, what the host author adds; the rest is withheld. */
  #handlers(): Handlers<HostContext> {
    const { methods: more = {}, agent } = this.#options;
    const table: Partial<Record<MethodName, Handler | typeof withheld>> = {};
    for (const [method, row] of Object.entries(methods) as [MethodName, { readonly stability?: string }][])
      if (row.stability === undefined) table[method] = withheld;
    Object.assign(table, queryHandlers(this.#sessions, agent, this.#limits.frameBytes));
    table.initialize = (params: InitializeParams, { connection }) => connection.initialize(params);
    for (const method of sessionCommands)
      table[method] = (params: never, context) =>
        this.#command(method as CommandName, params, context, (command, session) => session.command(command));
    for (const [method, run] of this.#commands.handlers)
      table[method] = (params: never, context) =>
        this.#admitted(method as CommandName, params, context, (command) => run(command, params, context));
    for (const [method, handler] of Object.entries(more) as [
      MethodName,
      Handler | typeof withheld | undefined,
    ][]) {
      if (handler === undefined) continue;
      table[method] = handler === withheld ? withheld : this.#added(method, handler);
    }
    return table as Handlers<HostContext>;
  }

  /** A method that the host author adds. */
  #added(method: MethodName, handler: Handler): Handler {
    if (methods[method].commandId !== "required") return handler;
    const name = method as CommandName;
    return (params: never, context) => {
      const effect = async (): Promise<CommandAnswer> => {
        try {
          const result = await handler(params, context);
          if (isProtocolError(result)) throw result;
          return { ack: result as Readonly<Record<string, unknown>> };
        } catch (error) {
          const rejection = rejectionOf(error);
          if (rejection === undefined) throw error;
          return { rejection };
        }
      };
      if (!isHostScoped(name, params))
        return this.#command(name, params, context, (command, session) =>
          session.outside(command, effect, true),
        );
      return this.#admitted(name, params, context, async (command) => {
        const elsewhere = () => protocolError("overloaded", {}, "another host carries the command out");
        return (await this.#ledger.command(command, { run: effect, repeatable: false, elsewhere })).told;
      });
    };
  }

  /** Admits a command to its session. */
  #command(
    method: CommandName,
    params: { readonly sessionId: string; readonly commandId?: unknown },
    context: HostContext,
    run: (command: Command, session: LiveSession) => Told | Promise<Told>,
  ): Told | Promise<Told> {
    return this.#admitted(method, params, context, (command) => {
      const session = this.#sessions.get(params.sessionId);
      if (session === undefined) return this.#commands.absent(command, params.sessionId, context.connection);
      const missing = missingOf(params as never, params.sessionId);
      return missing !== undefined && !session.knows(command) ? missing : run(command, session);
    });
  }

  /** What every command goes through before its session is looked for. Frame, gates and schema were checked. */
  #admitted(
    method: CommandName,
    params: { readonly commandId?: unknown },
    { clientName }: HostContext,
    run: (command: Command) => Told | Promise<Told>,
  ): Told | Promise<Told> {
    if (this.#closing !== undefined) return protocolError("overloaded", {}, "the host is shutting down");
    const spelt = params.commandId as string;
    const parsed = parseCommandId(spelt);
    if (parsed.refusal !== undefined)
      return invalidParams("/commandId", "format", "must be a UUID of version 7");
    const refusal = refusalOf(method, params as Readonly<Record<string, unknown>>);
    if (refusal !== undefined) return refusal;
    // Taken once, from a copy: what a handler does to its params cannot change what the command was.
    const { payload, refusal: unfit } = payloadOf(method, params);
    if (unfit !== undefined) return invalidParams(unfit.pointer, unfit.fault, PAYLOAD_FAULTS[unfit.fault]);
    return run({ method, id: parsed.key, spelt, payload, signature: signature(method, payload), clientName });
  }

  #broadcast<N extends ServerNotification>(method: N, params: ServerNotificationParams[N]): void {
    for (const connection of this.#connections) if (connection.ready) connection.notify(method, params);
  }

  #changed(session: LiveSession): void {
    this.#commands.changed(session);
    const listing = [...this.#connections].filter(({ context }) => context.grants.has("sessionListStream"));
    if (listing.length === 0) return;
    const row = session.view.row(session.path);
    for (const connection of listing) connection.notify("session/listChanged", { session: row });
  }

  #lost(session: LiveSession, error: unknown): void {
    const { sessionId } = session;
    this.#surroundings.log("error", "a session was lost: its log takes nothing more", { sessionId, error });
    this.#sessions.remove(session);
    this.#broadcast("session/viewHealthChanged", { sessionId, health: "unavailable" });
  }
}

/** What is said of params whose payload cannot be compared. */
const PAYLOAD_FAULTS = {
  unsafeInteger: "must be an integer that every reader takes for the same",
  notFinite: "must be a number that every reader knows",
  loneSurrogate: "must not have half a character",
  emptyText: "must not be empty",
  notCommandId: "must be a UUID of version 7",
} as const satisfies Record<NonNullable<ReturnType<typeof payloadOf>["refusal"]>["fault"], string>;

function grantable(names: readonly string[]): readonly string[] {
  const known: readonly string[] = Object.keys(capabilities);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`there is no capability ${unknown}; there are ${known.join(", ")}`);
  return names;
}
