/**
 * A connection that has shaken hands: the generated client on commands that are carried out once.
 */

import { createClient, type Client as Methods } from "../../generated/msp/experimental/client.js";
import type {
  ClientCapabilities,
  ClientInfo,
  InitializeParams,
  InitializeResult,
  MethodName,
  MethodParams,
  MethodResults,
} from "../../generated/msp/experimental/types.js";
import type { Releases } from "../releases/releases.js";
import { Peer, type PeerOptions, type Transport } from "../wire/index.js";
import { type CallOptions, CommandPeer, type FrameListener } from "./commands.js";
import { ConnectionError, FingerprintError, type HostExit, HostStartError, isMspError } from "./errors.js";
import { type FingerprintPolicy, type FingerprintVerdict, judgeFingerprint } from "./fingerprint.js";
import type { UsedIds } from "./used-ids.js";

/** Whether what a host knows outlives it. Any word that is not known counts as `ephemeral`: nothing may be replayed. */
export type Durability = "durable" | "ephemeral";

/** Who a client is and what it asks for. */
export interface HandshakeOptions {
  /** Lower-case letters, digits and underscores in `name`. */
  readonly clientInfo: ClientInfo;
  /** Opts in to what is experimental, for all connections. Default: false. */
  readonly experimental?: boolean;
  /** Capabilities to ask for; those that are not granted are simply not in `grantedCapabilities`. */
  readonly requestedCapabilities?: readonly string[];
  /** Notifications that are not wanted, by exact name. */
  readonly optOutNotificationMethods?: readonly string[];
  /** False where nobody can be shown a question. */
  readonly userInputDialogs?: boolean;
  /** What to do when the host serves another schema. Default: warn. */
  readonly fingerprint?: FingerprintPolicy;
  /** The table of releases, to name the schema that a host serves. */
  readonly releases?: Releases;
  /** Gets a verdict other than `same`, under the policy `warn`. Default: console.warn. */
  readonly onWarning?: (verdict: FingerprintVerdict) => void;
}

/** A member name of an object, in the params of a command: the id comes from the options. */
export type WithoutId<P> = P extends unknown ? Omit<P, "commandId"> : never;

/** Methods that are commands. */
export type CommandName = {
  [M in MethodName]: MethodParams[M] extends { readonly commandId: string } ? M : never;
}[MethodName];

/** What a caller may say about a command. */
export interface CommandOptions extends CallOptions {
  /** The id of the intent: given to repeat a command, so that it is carried out once. Minted otherwise. */
  readonly commandId?: string | undefined;
}

/** What belongs to the client and not to one of its connections. */
export interface Shared {
  readonly usedIds: UsedIds;
  readonly mintCommandId: () => string;
  readonly peer: PeerOptions;
}

/** A connection that is ready for use. */
export class Connection {
  /** What the host answered to `initialize`. */
  readonly host: InitializeResult;
  /** What was found about the schema that it serves. */
  readonly fingerprint: FingerprintVerdict;
  /** A function for each method of the protocol. */
  readonly methods: Methods<CallOptions>;
  readonly #transport: HostTransport;
  readonly #peer: Peer;
  readonly #commands: CommandPeer;
  readonly #mint: () => string;

  private constructor(
    transport: HostTransport,
    peer: Peer,
    commands: CommandPeer,
    methods: Methods<CallOptions>,
    shared: Shared,
    host: InitializeResult,
    fingerprint: FingerprintVerdict,
  ) {
    this.#transport = transport;
    this.#peer = peer;
    this.#commands = commands;
    this.#mint = shared.mintCommandId;
    this.methods = methods;
    this.host = host;
    this.fingerprint = fingerprint;
  }

  /**
   * Shakes hands over a transport; `frames` gets what the host sends from the first frame on.
   * Rejects with {@link HostStartError} where the host ends or refuses, and with {@link FingerprintError}; the
   * transport is closed then.
   */
  static async open(
    transport: Transport & HostTransport,
    shared: Shared,
    options: HandshakeOptions,
    frames: FrameListener = () => undefined,
  ): Promise<Connection> {
    const peer = new Peer(transport, { answerMalformed: false, ...shared.peer });
    const commands = new CommandPeer(peer, shared.usedIds, frames);
    const methods = createClient<CallOptions>(commands, { mintCommandId: shared.mintCommandId });
    // A receipt says that a request was taken, and decides nothing: the decision is a command.
    methods.handle({ "approval/request": () => ({}), "userInput/request": () => ({}) });
    let answered = false;
    try {
      const host = await methods.initialize(initializeParams(options));
      answered = true;
      const verdict = judgeFingerprint(host.schema.fingerprint, options.releases);
      minded(verdict, options);
      await methods.notify.initialized();
      return new Connection(transport, peer, commands, methods, shared, host, verdict);
    } catch (error) {
      await peer.close();
      throw await startError(error, transport, answered);
    }
  }

  /** Whether what the host knows outlives it. */
  get durability(): Durability {
    const { sessionDurability } = this.host;
    return sessionDurability === undefined || sessionDurability === "durable" ? "durable" : "ephemeral";
  }

  /** Whether anything can be asked: neither side has ended. */
  get open(): boolean {
    return this.#peer.open;
  }

  /** Resolves when the connection is over, with what ended it where it was not ended in order. */
  get closed(): Promise<Error | undefined> {
    return this.#peer.closed;
  }

  /** How the host process ended, where this side started one; resolves when it has. */
  get exit(): Promise<HostExit> | undefined {
    return this.#transport.exit;
  }

  /**
   * Sends a command. It has one id for all its attempts and its payload never changes under it; it is tried again
   * where the host says that it admitted nothing for now. Rejects with an error whose `outcome` says what is known.
   */
  command<M extends CommandName>(
    method: M,
    params: WithoutId<MethodParams[M]>,
    options: CommandOptions = {},
  ): Promise<MethodResults[M]> {
    const { commandId = this.#mint() } = options;
    // In this order an engine copies the members the fast way; params have no id of their own.
    const whole = { commandId, ...params };
    return this.#commands.request(method, whole, options) as Promise<MethodResults[M]>;
  }

  /** Sends a request by its name, for a method that this client may not know. Params with a `commandId` are a command. */
  request(method: string, params?: unknown, options?: CallOptions): Promise<unknown> {
    return this.#commands.request(method, params, options);
  }

  /** Ends the connection in order. Resolves when it is over; the same promise again. */
  close(): Promise<void> {
    return this.#peer.close();
  }
}

/** What is sent: members without content are left out, and so are capabilities that ask for nothing. */
function initializeParams(options: HandshakeOptions): InitializeParams {
  const {
    experimental,
    requestedCapabilities = [],
    optOutNotificationMethods = [],
    userInputDialogs,
  } = options;
  const capabilities: ClientCapabilities = {
    ...(experimental === true ? { experimentalApi: true } : {}),
    ...(requestedCapabilities.length === 0 ? {} : { requestedCapabilities: [...requestedCapabilities] }),
    ...(optOutNotificationMethods.length === 0
      ? {}
      : { optOutNotificationMethods: [...optOutNotificationMethods] }),
    ...(userInputDialogs === undefined ? {} : { userInputDialogs }),
  };
  const { clientInfo } = options;
  return Object.keys(capabilities).length === 0 ? { clientInfo } : { clientInfo, capabilities };
}

function minded(verdict: FingerprintVerdict, { fingerprint = "warn", onWarning }: HandshakeOptions): void {
  if (verdict.kind === "same" || fingerprint === "ignore") return;
  if (fingerprint === "fail") throw new FingerprintError(verdict.message, verdict.pinned, verdict.served);
  if (onWarning === undefined) console.warn(`mspkit: ${verdict.message}`);
  else onWarning(verdict);
}

/** What a transport may know of a host that it started. */
interface HostTransport {
  readonly exit?: Promise<HostExit>;
  readonly stderrTail?: string;
}

/** The first of a chain of causes: a program that could not be started, rather than what that led to. */
function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}

async function startError(
  error: unknown,
  transport: Transport & HostTransport,
  answeredInitialize: boolean,
): Promise<unknown> {
  if (!isMspError(error) && !(error instanceof ConnectionError)) return error;
  const exit = await transport.exit;
  const how =
    exit === undefined ? "" : `; it ended with ${exit.code ?? exit.signal ?? "nothing: it never ran"}`;
  const why = rootOf(error).message;
  const message = `the host could not be used: ${why}${how}`;
  return new HostStartError(
    message,
    { exit, stderrTail: transport.stderrTail ?? "", answeredInitialize },
    error,
  );
}
