/** What goes wrong elsewhere when answers are lost and turns move while words are under way. */
import { describe, expect, it } from "vitest";
import { isMspError, MspClient } from "../../src/client/index.js";
import { type Answer, inProcess, Peer, type Transport } from "../../src/wire/index.js";
import { CLIENT_INFO } from "../support/canned.js";

const INITIALIZED: Answer = {
  result: {
    schema: { version: 1, fingerprint: "sha256:0" },
    serverInfo: { name: "test", version: "0" },
    grantedCapabilities: [],
    experimentalApi: false,
  },
};

/** A client whose host is a function; each connection has its own number. */
function against(
  host: (life: number, method: string, params: Record<string, unknown>) => Answer | Promise<Answer>,
) {
  const ends: Transport[] = [];
  const sent: { life: number; method: string; params: Record<string, unknown> }[] = [];
  const client = new MspClient({
    clientInfo: CLIENT_INFO,
    fingerprint: "ignore",
    connect: () => {
      const [here, there] = inProcess();
      const life = ends.push(there);
      new Peer(there, { drainTimeoutMs: 0 }).onRequest((method, params) => {
        if (method === "initialize") return INITIALIZED;
        sent.push({ life, method, params: params as Record<string, unknown> });
        return host(life, method, params as Record<string, unknown>);
      });
      return here;
    },
  });
  return { client, sent, kill: () => void ends.at(-1)?.close() };
}

const never = (): Promise<Answer> => new Promise(() => undefined);
const ack = ({ commandId }: Record<string, unknown>): Answer => ({
  result: { commandId, status: "accepted" },
});

describe("an answer that is lost", () => {
  it("a retry before the reconnect and again after it: one id, and each caller gets the one ack", async () => {
    const { client, sent, kill } = against((life, _, params) => (life === 1 ? never() : ack(params)));
    await client.connect();
    const commandId = client.mintCommandId();
    const send = () => client.connection!.command("goal/clear", { sessionId: "s" }, { commandId });
    const first = [send(), send()].map((call) => call.catch((error: { outcome: string }) => error.outcome));
    await new Promise((resolve) => setTimeout(resolve, 5));
    kill();
    expect(await Promise.all(first)).toEqual(["outcomeUnknown", "outcomeUnknown"]);
    await client.connect();
    const answers = await Promise.all([send(), send()]);
    expect(answers).toEqual([
      { commandId, status: "accepted" },
      { commandId, status: "accepted" },
    ]);
    expect(new Set(sent.map(({ params }) => JSON.stringify(params))).size).toBe(1);
    expect(sent.map(({ life }) => life)).toEqual([1, 1, 2, 2]);
  });

  it("a new client takes up the id that was pinned; another command of the same options gets its own", async () => {
    const { client, sent } = against((_, __, params) => ack(params));
    await client.connect();
    const pinned = "01900000-0000-7000-8000-000000000001";
    const options = { maxAttempts: 2 };
    await client.connection!.command("goal/clear", { sessionId: "s" }, { ...options, commandId: pinned });
    await client.connection!.command("goal/clear", { sessionId: "s" }, options);
    await client.connection!.command("goal/clear", { sessionId: "s" }, options);
    const ids = sent.map(({ params }) => params["commandId"]);
    expect(ids[0]).toBe(pinned);
    expect(new Set(ids).size).toBe(3);
  });
});

describe("a steer that comes too late", () => {
  it("is told with its reason, and its words are not moved to another turn", async () => {
    const rejected = {
      code: -32030,
      message: "no",
      data: { kind: "commandRejected", reason: "turn_not_running", turnId: "t2" },
    };
    const row = { sessionId: "s", turnCount: 0 };
    const { client, sent } = against((_, method) =>
      method === "session/start" ? { result: { session: row, viewCursor: "c" } } : { error: rejected },
    );
    await client.connect();
    const session = await client.startSession();
    const error = await session.steer("t1", "and the ditch").catch((reason: unknown) => reason);
    expect(isMspError(error)).toBe(true);
    expect(error).toMatchObject({
      outcome: "rejected",
      reason: "turn_not_running",
      data: { turnId: "t2" },
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(sent.map(({ method }) => method)).toEqual(["session/start", "turn/steer"]);
    expect(session.pending.size).toBe(0);
  });
});
