/**
 * A host in this process, and clients of it that speak the wire.
 */
import { mintCommandId } from "../../src/client/index.js";
import { scriptedAgent } from "../../src/host/agents/scripted.js";
import { Host } from "../../src/host/host.js";
import type { HostOptions } from "../../src/host/host-options.js";
import { identityOf } from "../../src/host/identity.js";
import { memoryStore } from "../../src/ledger/stores/memory.js";
import { AnsweredError, inProcess, Peer, type Transport } from "../../src/wire/index.js";

/** What a client got without asking, in order. */
export interface Seen {
  readonly kind: "notification" | "request";
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a request came to: its result, or the error that was answered. */
export type Outcome =
  | { readonly result: Readonly<Record<string, unknown>> }
  | {
      readonly error: {
        readonly code: number;
        readonly message: string;
        readonly data: Readonly<Record<string, unknown>>;
      };
    };

/** A host whose every result and message is checked against the schema; what it logs as an error is kept. */
export function testHost(options: Partial<HostOptions> = {}): {
  readonly host: Host;
  readonly errors: unknown[];
} {
  const errors: unknown[] = [];
  const host = new Host({
    store: memoryStore({ durability: "durable" }),
    agent: scriptedAgent(),
    identity: identityOf({ name: "mspkit_test", version: "0.0.0" }),
    checkResults: true,
    log: (level, message, details) => {
      if (level === "error") errors.push({ message, ...details });
    },
    ...options,
  });
  return { host, errors };
}

/** A client that says what it is told to, and keeps what it gets. */
export class TestClient {
  readonly peer: Peer;
  readonly seen: Seen[] = [];
  #watchers: (() => void)[] = [];

  private constructor(peer: Peer) {
    this.peer = peer;
    const take = (kind: Seen["kind"], method: string, params: unknown) => {
      this.seen.push({ kind, method, params: (params ?? {}) as Seen["params"] });
      const watchers = this.#watchers;
      this.#watchers = [];
      for (const wake of watchers) wake();
    };
    peer.onNotification((method, params) => take("notification", method, params));
    peer.onRequest((method, params) => {
      take("request", method, params);
      return { result: {} };
    });
  }

  /** A client with its handshake done. */
  static of(host: Host, capabilities: object = {}, name = "tester"): Promise<TestClient> {
    const [theirs, ours] = inProcess();
    host.accept(theirs);
    return TestClient.over(ours, capabilities, name);
  }

  /** A client of whatever is at the other end, with its handshake done. */
  static async over(transport: Transport, capabilities: object = {}, name = "tester"): Promise<TestClient> {
    const client = new TestClient(new Peer(transport, { answerMalformed: false }));
    await client.peer.request("initialize", { clientInfo: { name, version: "1" }, capabilities });
    void client.peer.notify("initialized", undefined);
    return client;
  }

  /** Asks, and says what came of it. */
  async ask(method: string, params: object): Promise<Outcome> {
    try {
      return { result: (await this.peer.request(method, params)) as never };
    } catch (error) {
      if (!(error instanceof AnsweredError)) throw error;
      const { code, message, data } = error;
      return { error: { code, message, data: data as never } };
    }
  }

  /** Asks under a new command id, or the given one; the result. Throws what was answered instead. */
  async command(method: string, params: object): Promise<Readonly<Record<string, never>>> {
    return (await this.peer.request(method, { commandId: mintCommandId(), ...params })) as never;
  }

  /** Starts a session; its id. */
  async start(params: object = {}): Promise<string> {
    const { session } = await this.command("session/start", params);
    return (session as unknown as { sessionId: string }).sessionId;
  }

  /** What was seen of a method. */
  all(method: string): Seen["params"][] {
    return this.seen.filter((seen) => seen.method === method).map(({ params }) => params);
  }

  /** Waits until something of what was seen fits; gives it. */
  async until(fits: (seen: Seen) => boolean): Promise<Seen> {
    for (;;) {
      const found = this.seen.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  /** Waits until a turn has ended; how. */
  async ended(turnId: string): Promise<Seen["params"]> {
    const { params } = await this.until(
      ({ method, params }) => method === "turn/completed" && params["turnId"] === turnId,
    );
    return params;
  }

  close(): Promise<void> {
    return this.peer.close();
  }
}
