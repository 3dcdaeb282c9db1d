/** Sessions over the death of a host: a durable one that remembers, and an ephemeral one that does not. */
import { describe, expect, it } from "vitest";
import {
  isClientError,
  MspClient,
  type PendingRetirement,
  type SavedSession,
  type Session,
  type TurnInput,
} from "../../src/client/index.js";
import { type Answer, inProcess, Peer, type Transport } from "../../src/wire/index.js";
import { CLIENT_INFO } from "../support/canned.js";
import { until } from "../support/wire.js";

const SESSION = "01900000-0000-7000-8000-0000000000aa";

interface Sent {
  readonly life: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** A host that keeps its sessions over its deaths: intake, acks and events; it acks when a test says so. */
class DurableHost {
  readonly sent: Sent[] = [];
  readonly acks = new Map<string, Answer>();
  readonly events: { method: string; params: Record<string, unknown> }[] = [];
  life = 0;
  /** Whether a `turn/start` is taken in, and whether its ack leaves. */
  admits = true;
  answers = true;
  durability = "durable";
  /** Whether another host holds the session. */
  refuses = false;
  #transport: Transport | undefined;
  #peer: Peer | undefined;

  connect(): Transport {
    const [client, host] = inProcess();
    this.life++;
    const { life } = this;
    this.#transport = host;
    const peer = new Peer(host, { drainTimeoutMs: 0 });
    this.#peer = peer;
    peer.onRequest((method, params) => {
      this.sent.push({ life, method, params: params as Sent["params"] });
      return this.#answer(method, params as Sent["params"]);
    });
    return client;
  }

  /** Dies at once. */
  kill(): void {
    void this.#transport?.close();
  }

  /** Puts an event on the view. */
  emit(method: string, params: object): void {
    const viewCursor = `v:${SESSION}:${this.events.length + 1}`;
    const sourceRange = {
      stream: { kind: "session", id: SESSION },
      first: { id: "r", sequence: 1 },
      last: { id: "r", sequence: 1 },
    };
    const event = { method, params: { sessionId: SESSION, viewCursor, sourceRange, ...params } };
    this.events.push(event);
    this.#tell(event.method, event.params);
  }

  /** Runs the turn of a command to its end. */
  run(commandId: string): void {
    this.emit("turn/started", { turnId: commandId, commandId });
    const item = {
      itemId: `item of ${commandId}`,
      kind: "userMessage",
      status: "completed",
      revision: 1,
      turnId: commandId,
      commandId,
      text: "",
    };
    this.emit("item/completed", { item });
    this.emit("turn/completed", { turnId: commandId, terminal: "completed" });
  }

  /** A dead host says nothing. */
  #tell(method: string, params: object): void {
    Promise.resolve(this.#peer?.notify(method, params)).catch(() => undefined);
  }

  #answer(method: string, params: Sent["params"]): Answer | Promise<Answer> {
    const row = {
      sessionId: SESSION,
      status: "idle",
      turnCount: 0,
      path: "",
      createdAt: "",
      updatedAt: "",
      workspaceRoot: null,
      providerId: null,
      modelId: null,
      activeTurnId: null,
      forkedFrom: null,
    };
    if (method === "initialize")
      return {
        result: {
          serverInfo: { name: "test", version: "0" },
          userAgent: "",
          museHome: "",
          platformFamily: "unix",
          platformOs: "linux",
          schema: { version: 1, fingerprint: `sha256:${"0".repeat(64)}` },
          grantedCapabilities: [],
          experimentalApi: false,
          sessionDurability: this.durability,
        },
      };
    if (method === "session/start") return { result: { session: row, viewCursor: `v:${SESSION}:0` } };
    if (method === "session/resume" && this.refuses)
      return { error: { code: -32021, message: "held", data: { kind: "sessionInUse" } } };
    if (method === "session/resume") {
      const from = this.events.findIndex(({ params: { viewCursor } }) => viewCursor === params["cursor"]);
      const suffix = this.events.slice(from + 1);
      // The suffix comes behind the reply, in the same write.
      queueMicrotask(() => {
        for (const { method: name, params: event } of suffix) this.#tell(name, event);
      });
      return {
        result: {
          session: row,
          viewCursor: `v:${SESSION}:${this.events.length}`,
          pendingRequests: [],
          history: { mode: "none", items: null, snapshot: null, noneReason: "cursorSuffix" },
        },
      };
    }
    const commandId = params["commandId"] as string;
    if (!this.admits) return new Promise(() => undefined);
    const answer = this.acks.get(commandId) ?? {
      result: {
        commandId,
        status: "accepted",
        turnId: commandId,
        startedNewTurn: true,
        disposition: "started",
      },
    };
    this.acks.set(commandId, answer);
    return this.answers ? answer : new Promise(() => undefined);
  }
}

function clientOf(host: DurableHost): {
  client: MspClient;
  retired: PendingRetirement<TurnInput>[];
  watch: (session: Session) => Session;
} {
  const retired: PendingRetirement<TurnInput>[] = [];
  const client = new MspClient({
    clientInfo: CLIENT_INFO,
    fingerprint: "ignore",
    connect: () => host.connect(),
  });
  return {
    client,
    retired,
    watch: (session) => {
      session.on((event) => {
        if (event.kind === "retired") retired.push(event.retirement);
      });
      return session;
    },
  };
}

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => value,
    (error: unknown) =>
      isClientError(error) ? { kind: error.kind, outcome: (error as { outcome?: unknown }).outcome } : error,
  );

describe("the death of a durable host", () => {
  it("before the ack: what is pending is sent again under its id, and runs once", async () => {
    const host = new DurableHost();
    const { client, retired, watch } = clientOf(host);
    await client.connect();
    const session = watch(await client.startSession());
    host.answers = false;
    const sent = failure(session.send("ship it"));
    await until(() => host.acks.size === 1);
    host.kill();
    expect(await sent).toEqual({ kind: "outcomeUnknown", outcome: "outcomeUnknown" });
    expect(session.pending.size).toBe(1);
    const [commandId = ""] = host.acks.keys();
    host.answers = true;
    await client.connect();
    const starts = host.sent.filter(({ method }) => method === "turn/start");
    expect(starts.map(({ life, params }) => [life, params])).toEqual([
      [1, starts[0]?.params],
      [2, starts[0]?.params],
    ]);
    expect(host.acks.size).toBe(1);
    expect(session.pending.get(commandId)?.ack).toEqual({ turnId: commandId, disposition: "started" });
    host.run(commandId);
    expect(await session.turn(commandId).completed).toMatchObject({ kind: "completed", started: true });
    expect(retired).toMatchObject([{ kind: "materialized", commandId }]);
  });

  it("before the frame was taken in: it is new to the host, under the same id", async () => {
    const host = new DurableHost();
    const { client } = clientOf(host);
    await client.connect();
    const session = await client.startSession();
    host.admits = false;
    const sent = failure(session.send("ship it"));
    await until(() => host.sent.some(({ method }) => method === "turn/start"));
    host.kill();
    await sent;
    host.admits = true;
    await client.connect();
    expect(host.acks.size).toBe(1);
    expect([...host.acks.keys()]).toEqual(session.pending.list().map(({ commandId }) => commandId));
  });

  it("during a turn: the wait says so, and after the reconnect the suffix brings the end", async () => {
    const host = new DurableHost();
    const { client } = clientOf(host);
    await client.connect();
    const session = await client.startSession();
    const turn = await session.send("ship it");
    const wait = failure(turn.completed);
    host.kill();
    expect(await wait).toMatchObject({ kind: "hostDied" });
    // It goes on without us.
    host.run(turn.turnId);
    await client.connect();
    expect(await turn.completed).toMatchObject({ kind: "completed", params: { terminal: "completed" } });
    expect(session.pending.size).toBe(0);
  });

  it("and of the program too: what was saved is sent again under its id by the next one", async () => {
    const host = new DurableHost();
    const first = clientOf(host);
    await first.client.connect();
    const session = await first.client.startSession();
    host.answers = false;
    void failure(session.send("ship it", { displayText: "Ship" }));
    await until(() => host.acks.size === 1);
    const saved = JSON.parse(JSON.stringify(session.save())) as SavedSession;
    host.kill();
    host.answers = true;
    const next = clientOf(host);
    await next.client.connect();
    const again = next.watch(await next.client.resumeSession(SESSION, { saved }));
    const [commandId = ""] = host.acks.keys();
    const starts = host.sent.filter(({ method }) => method === "turn/start");
    expect(starts).toHaveLength(2);
    expect(starts[1]?.params).toEqual(starts[0]?.params);
    host.run(commandId);
    await again.turn(commandId).completed;
    expect(next.retired).toMatchObject([{ kind: "materialized", commandId }]);
  });

  it.each([
    [null, ""],
    [{ format: 2, sessionId: "s", pending: {} }, "/format"],
    [{ format: 1, sessionId: 5, pending: {} }, "/sessionId"],
    [{ format: 1, sessionId: "s", cursor: 5, pending: {} }, "/cursor"],
    [{ format: 1, sessionId: "s" }, "/pending"],
    [{ format: 1, sessionId: "s", pending: { format: 1 }, more: 1 }, "/more"],
  ])("what was not saved is refused, saying where: %j", async (saved, where) => {
    const { client } = clientOf(new DurableHost());
    await client.connect();
    await expect(client.resumeSession("s", { saved: saved as never })).rejects.toMatchObject({
      kind: "invalidSavedSession",
      where,
    });
  });
});

describe("a host that refuses a session after its restart", () => {
  it("is told of it; the connection is there, and the session can be resumed later", async () => {
    const host = new DurableHost();
    const { client } = clientOf(host);
    await client.connect();
    const session = await client.startSession();
    const told: unknown[] = [];
    session.on((event) => {
      if (event.kind === "rejoinFailed") told.push((event.error as { kind: string }).kind);
    });
    host.kill();
    await until(() => client.connection === undefined);
    host.refuses = true;
    const connection = await client.connect();
    expect(connection.open).toBe(true);
    expect(told).toEqual(["sessionInUse"]);
    host.refuses = false;
    expect(await client.resumeSession(SESSION)).toBe(session);
    host.run("01900000-0000-7000-8000-000000000099");
    await until(() => session.view.items.size === 1);
  });
});

describe("the death of an ephemeral host", () => {
  it("ends what is open with an end that nobody knows; nothing of it is ever sent again", async () => {
    const host = new DurableHost();
    host.durability = "ephemeral";
    const { client, retired, watch } = clientOf(host);
    await client.connect();
    const session = watch(await client.startSession());
    const turn = await session.send("ship it");
    host.kill();
    expect(await turn.completed).toEqual({ kind: "terminalUnknown" });
    expect(retired).toMatchObject([{ kind: "terminalUnknown", commandId: turn.commandId }]);
    await client.connect();
    const before = host.sent.length;
    expect(await failure(session.send("again"))).toMatchObject({ kind: "sessionDiscarded" });
    expect(await failure(session.send("again", { commandId: turn.commandId }))).toMatchObject({
      kind: "sessionDiscarded",
    });
    expect(await failure(session.interrupt(turn.turnId))).toMatchObject({ kind: "sessionDiscarded" });
    expect(host.sent).toHaveLength(before);
    expect(host.sent.filter(({ life, method }) => life === 2 && method !== "initialize")).toEqual([]);
  });

  it("so does any word for durability that is not known", async () => {
    const host = new DurableHost();
    host.durability = "somewhat";
    const { client } = clientOf(host);
    expect((await client.connect()).durability).toBe("ephemeral");
  });
});

describe("closing", () => {
  it("is no death: waits end, and a later connection goes on", async () => {
    const host = new DurableHost();
    const { client } = clientOf(host);
    await client.connect();
    const session = await client.startSession();
    const turn = await session.send("ship it");
    const wait = failure(turn.completed);
    await client.close();
    expect(await wait).toEqual({ kind: "outcomeUnknown", outcome: undefined });
    expect(await failure(session.send("no connection"))).toEqual({
      kind: "notSent",
      outcome: "nothingAdmitted",
    });
    host.run(turn.turnId);
    await client.connect();
    expect(await turn.completed).toMatchObject({ kind: "completed" });
  });
});
