/**
 * One WebSocket: requests of the protocol, and what changes in the workspaces that it has asked about. It hears of a
 * workspace from the first query about it on, from before that is answered, until it ends: what a query does not tell yet
 * comes as a notification. A connection that does not read what it is told is ended, so that none has gaps.
 */
import type { Notice, Rejection, WorkspaceHandle } from "../../commands/app.js";
import { errorFrame } from "../../wire/encode.js";
import type { ErrorObject } from "../../wire/envelope.js";
import { wireErrors } from "../../wire/errors.js";
import { idInPrefix } from "../../wire/faults.js";
import { DEFAULT_LIMIT_BYTES } from "../../wire/frames.js";
import { Peer } from "../../wire/peer.js";
import type { Answer } from "../../wire/peer-options.js";
import type { Transport } from "../../wire/transport.js";
import type { Desk } from "../desk.js";
import type { Identity } from "../identity/authenticate.js";
import type { Gate } from "../identity/gate.js";
import type { Limits } from "../limits.js";
import { type AskedFor, errorRow, refusal, rejectionData } from "../reasons.js";
import type { Surface } from "../surface.js";
import { limitedTransport } from "./limited-transport.js";

/** What a connection is made of. */
export interface ConnectionOptions {
  readonly desk: Desk;
  readonly gate: Gate;
  readonly limits: Required<Limits>;
  readonly identity: Identity;
  readonly transport: Transport;
  /** Ends the socket out of order, with a code of RFC 6455. */
  readonly cut: (code: number, reason: string) => void;
}

/** Codes with which connections are ended. */
const POLICY = 1008;
const TRY_LATER = 1013;

/** See above. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #peer: Peer;
  readonly #heard = new Map<string, () => void>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { desk, limits } = options;
    const { bodyBytes } = limits;
    const transport = limitedTransport(options.transport, bodyBytes, (prefix) => this.#tooLong(prefix));
    this.#peer = new Peer(transport, {
      errors: wireErrors(desk.surface.errors),
      // What is told may be larger than what is asked: as large as clients read.
      limitBytes: Math.max(DEFAULT_LIMIT_BYTES, bodyBytes),
      maxConcurrent: limits.concurrent,
      maxQueued: 16 * bodyBytes,
      drainTimeoutMs: limits.drainMs,
      onProtocolFault: () => void this.#allowed(),
      onError: (error) => desk.report(error),
    });
    this.#peer.onRequest((method, params) => this.#answer(method, params));
    this.#peer.onNotification(() => void this.#allowed());
    void this.#peer.closed.then(() => {
      for (const end of this.#heard.values()) end();
      this.#heard.clear();
    });
  }

  /** Resolves when it is over. */
  get closed(): Promise<unknown> {
    return this.#peer.closed;
  }

  /** Answers what was asked, and ends. */
  close(): Promise<void> {
    return this.#peer.close();
  }

  async #answer(name: string, params: unknown): Promise<Answer> {
    const { desk, gate, identity } = this.#options;
    const { surface } = desk;
    if (gate.expired(identity)) {
      // Behind the answer.
      setImmediate(() => this.#options.cut(POLICY, "unauthenticated"));
      return failed(surface, refusal("unauthenticated"), { asked: "query" });
    }
    const limited = gate.take(identity);
    if (limited !== undefined) return failed(surface, limited, { asked: "query" });
    const method = surface.methods.get(name);
    if (method === undefined) return failed(surface, refusal("unknown_method"), { asked: "query" });
    const { result, commandId } = await desk.ask({
      actor: identity,
      method,
      params,
      reading: (handle) => this.#hear(handle),
    });
    if (result.status === "accepted") return { result: result.result };
    return failed(surface, result.rejection, {
      asked: method.kind === "query" ? "query" : "command",
      commandId,
    });
  }

  #hear(handle: WorkspaceHandle): Rejection | undefined {
    const { workspace } = handle;
    if (this.#heard.has(workspace) || !this.#peer.open) return undefined;
    const { heard } = this.#options.limits;
    if (this.#heard.size >= heard) return refusal("too_many_workspaces", { most: heard });
    this.#heard.set(
      workspace,
      handle.subscribe((notice) => this.#tell(notice)),
    );
    return undefined;
  }

  #tell({ method, params }: Notice): void {
    const { desk, gate, identity, cut } = this.#options;
    if (!desk.surface.notifications.has(method)) return;
    if (gate.expired(identity)) {
      cut(POLICY, "unauthenticated");
      return;
    }
    const told = this.#peer.notify(method, params);
    // Whoever is told too much, or what is too large, reads anew when it connects again.
    told?.catch(() => cut(TRY_LATER, "too much waits to be read"));
  }

  #tooLong(prefix: string): void {
    this.#allowed();
    const { id, isAnswer } = idInPrefix(prefix);
    if (isAnswer) return;
    const { desk, limits, transport } = this.#options;
    const rejection = refusal("payload_too_large", { limitBytes: limits.bodyBytes });
    transport.write(errorFrame(id ?? null, failed(desk.surface, rejection, { asked: "query" }).error));
  }

  /** Counts what is no request; ends a connection that sends too much of it. */
  #allowed(): void {
    const { gate, identity, cut } = this.#options;
    if (gate.take(identity) !== undefined) cut(POLICY, "rate_limited");
  }
}

function failed(surface: Surface, rejection: Rejection, asked: AskedFor): { readonly error: ErrorObject } {
  const { kind, ...data } = rejectionData(rejection, asked);
  const row = errorRow(kind, surface.errors);
  return { error: { code: row.code, message: rejection.message, data: { kind: row.kind, ...data } } };
}
