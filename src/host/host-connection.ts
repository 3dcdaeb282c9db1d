/**
 * One connection: the handshake, what it may use, what it listens to.
 */
import {
  type Answer,
  type ProtocolError,
  protocolError,
  type Server,
} from "../../generated/msp/experimental/server.js";
import { errors, notifications } from "../../generated/msp/experimental/tables.js";
import type {
  InitializeParams,
  InitializeResult,
  ServerNotification,
  ServerNotificationParams,
} from "../../generated/msp/experimental/types.js";
import { Peer, type Transport, wireErrors } from "../wire/index.js";
import type { LiveSession } from "./live-session.js";
import type { ToldEvent } from "./session/view.js";
import { Subscription } from "./subscription.js";

/** What a handler gets with a call. */
export interface HostContext {
  readonly grants: ReadonlySet<string>;
  readonly experimental: boolean;
  readonly clientName: string;
  readonly connection: HostConnection;
}

/** What a connection asks of its host. */
export interface ConnectionOwner {
  readonly server: Server<HostContext>;
  readonly frameBytes: number;
  readonly requests: number;
  readonly eventsBehind: number;
  /** The id of the next request of this host: one counter for all connections. */
  nextRequestId(): number;
  /** What it says of itself, and which of the capabilities that were asked for it grants. */
  handshake(params: InitializeParams): InitializeResult;
  now(): number;
  /** Runs something when the answers of this turn are on their way. */
  defer(run: () => void): void;
  /** The other side has ended; the connection is closed when this is over. */
  ended(connection: HostConnection): Promise<void>;
  log(level: "debug" | "warn", message: string, details?: Readonly<Record<string, unknown>>): void;
}

/** What a host waits for an orderly end of its connections, in milliseconds. */
export const DRAIN_MS = 5_000;

const protectedMethods: ReadonlySet<string> = new Set(
  Object.entries(notifications).flatMap(([method, row]) => (row.protected ? [method] : [])),
);

/** A connection of a host. */
export class HostConnection {
  readonly peer: Peer;
  readonly #owner: ConnectionOwner;
  readonly #subscriptions = new Map<
    string,
    { readonly subscription: Subscription; readonly leave: () => void }
  >();
  #context: HostContext;
  #optOuts: ReadonlySet<string> = new Set();
  #asksUser = true;
  #state: "new" | "initialized" | "ready" | "ended" = "new";

  constructor(owner: ConnectionOwner, transport: Transport) {
    this.#owner = owner;
    this.#context = { grants: new Set(), experimental: false, clientName: "", connection: this };
    this.peer = new Peer(transport, {
      errors: wireErrors(errors),
      limitBytes: owner.frameBytes,
      maxConcurrent: owner.requests,
      drainTimeoutMs: DRAIN_MS,
      nextId: () => owner.nextRequestId(),
      onEnd: () => this.#ended(),
      onProtocolFault: ({ kind }) => owner.log("debug", "a frame was refused", { kind }),
      onError: (error) => owner.log("warn", "a request could not be handled", { error }),
    });
    this.peer.onRequest((method, params) => this.#dispatch(method, params));
    this.peer.onNotification((method, params) => {
      if (method === "initialized" && this.#state === "initialized") this.#state = "ready";
      else if (this.#state === "ready") void owner.server.dispatchNotification(method, params, this.#context);
    });
  }

  /** Whether the host may send what nobody asked for. */
  get ready(): boolean {
    return this.#state === "ready";
  }

  /** What the connection may use. */
  get context(): HostContext {
    return this.#context;
  }

  /** Answers the handshake. A second one is refused. */
  initialize(params: InitializeParams): InitializeResult | ProtocolError {
    if (this.#state !== "new") return protocolError("alreadyInitialized", {}, "the handshake is over");
    const result = this.#owner.handshake(params);
    const { capabilities, clientInfo } = params;
    this.#state = "initialized";
    this.#context = {
      grants: new Set(result.grantedCapabilities),
      experimental: result.experimentalApi,
      clientName: clientInfo.name,
      connection: this,
    };
    this.#optOuts = new Set(
      capabilities?.optOutNotificationMethods?.filter((method) => !protectedMethods.has(method)),
    );
    this.#asksUser = capabilities?.userInputDialogs !== false;
    return result;
  }

  /** Sends a notification that is no event of a view; not to who opted out, or may not see it. */
  notify<N extends ServerNotification>(method: N, params: ServerNotificationParams[N]): void {
    void this.#send(method, params, this.#owner.now());
  }

  /** Whether the connection listens to a session. */
  listensTo(session: LiveSession): boolean {
    return this.#subscriptions.has(session.key);
  }

  /**
   * Begins to listen to a session. One that is listened to is begun anew.
   * @param after the number of the event after which it begins
   * It begins when the answer of the request that asked for it is on its way.
   * @param cursor the cursor that the client has
   * @param asks whether the client is asked again what waits for the user, once the events before are told
   */
  subscribe(session: LiveSession, after: number, cursor: string, asks = false): void {
    this.unsubscribe(session.key);
    let liveFrom = Number.POSITIVE_INFINITY;
    const subscription = new Subscription(
      session.view,
      {
        send: (event) => this.#send(event.method, event.params, event.at),
        gap: (from, to) =>
          this.#send("view/gap", { sessionId: session.sessionId, after: from, next: to }, this.#owner.now()),
        isProtected: (method) => protectedMethods.has(method),
        // What was asked before is asked again by itself, if it still waits.
        passed: (event, ordinal) => {
          if (ordinal > liveFrom) this.#ask(event);
        },
      },
      after,
      cursor,
      this.#owner.eventsBehind,
    );
    let begun = false;
    const listener = {
      event: (event: ToldEvent, kept: boolean) => {
        if (!begun) return;
        if (kept) subscription.pump();
        else subscription.pass(event);
      },
    };
    session.listeners.add(listener);
    this.#subscriptions.set(session.key, {
      subscription,
      leave: () => {
        subscription.end();
        session.listeners.delete(listener);
      },
    });
    this.#owner.defer(() => {
      begun = true;
      liveFrom = session.view.ordinal;
      subscription.pump();
      if (asks) for (const { method, params } of session.view.openRequests) this.ask(method, params);
    });
  }

  /** Listens to a session no more. */
  unsubscribe(key: string): void {
    this.#subscriptions.get(key)?.leave();
    this.#subscriptions.delete(key);
  }

  /** Asks the client: shows it what waits for the user. Its receipt decides nothing. */
  ask(method: "approval/request" | "userInput/request", params: object): void {
    if (!this.ready || (method === "userInput/request" && !this.#asksUser)) return;
    const message = this.#owner.server.request(method, params as never, this.#context);
    if (message === undefined) return;
    this.peer.request(message.method, message.params).catch((error: unknown) => {
      this.#owner.log("debug", "a client did not take a request", { method, error });
    });
  }

  #ask({ method, params }: ToldEvent): void {
    if (method === "approval/requested") this.ask("approval/request", params);
    else if (method === "userInput/requested") this.ask("userInput/request", params);
  }

  #send(method: string, params: object, emittedAtMs: number): void | Promise<void> {
    if (!this.ready || this.#optOuts.has(method)) return undefined;
    const message = this.#owner.server.notification(method as never, params as never, this.#context);
    if (message === undefined) return undefined;
    return this.peer.notify(message.method, message.params, {
      emittedAtMs: emittedAtMs || this.#owner.now(),
    });
  }

  #dispatch(method: string, params: unknown): Answer | Promise<Answer> {
    if (this.#state === "new" && method !== "initialize") {
      const { kind, code, message, data } = protocolError("notInitialized", {}, "the handshake comes first");
      return { error: { kind, code, message, data } };
    }
    return this.#owner.server.dispatch(method, params, this.#context);
  }

  async #ended(): Promise<void> {
    // What a host has to say at its end still goes to who has only stopped to write.
    await this.#owner.ended(this);
    this.#state = "ended";
    for (const key of [...this.#subscriptions.keys()]) this.unsubscribe(key);
  }
}
