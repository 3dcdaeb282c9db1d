import { describe, expect, it } from "vitest";
import { errors } from "../../generated/msp/stable/tables.js";
import {
  type Answer,
  inProcess,
  isAnsweredError,
  isWireError,
  Peer,
  type PeerOptions,
  wireErrors,
} from "../../src/wire/index.js";
import { ManualTransport, turn } from "../support/wire.js";

function manual(options: PeerOptions = {}): { transport: ManualTransport; peer: Peer; faults: string[] } {
  const transport = new ManualTransport();
  const faults: string[] = [];
  const peer = new Peer(transport, {
    errors: wireErrors(errors),
    onProtocolFault: ({ kind }) => faults.push(kind),
    ...options,
  });
  return { transport, peer, faults };
}

/** How a call ended, as a word. */
function endOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (result) => result,
    (error: unknown) => {
      if (isAnsweredError(error)) return `answered ${error.data?.kind}`;
      if (isWireError(error)) return error.kind;
      throw error;
    },
  );
}

describe("requests of this side", () => {
  it("have integer ids from 1 and no params where there are none", async () => {
    const { transport, peer } = manual();
    void endOf(peer.request("a/b", undefined));
    void endOf(peer.request("c", { n: 1 }, { trace: { traceparent: "00-x" } }));
    await turn();
    expect(transport.frames).toEqual([
      { jsonrpc: "2.0", id: 1, method: "a/b" },
      { jsonrpc: "2.0", id: 2, method: "c", params: { n: 1 }, trace: { traceparent: "00-x" } },
    ]);
  });

  it("of one turn leave in one write", async () => {
    const { transport, peer } = manual();
    for (let i = 0; i < 10; i++) void endOf(peer.request("a", undefined));
    await turn();
    expect(transport.written).toHaveLength(1);
  });

  it("get their own answer, whatever the order", async () => {
    const { transport, peer } = manual();
    const calls = ["a", "b", "c"].map((method) => endOf(peer.request(method, undefined)));
    await turn();
    transport.say({ jsonrpc: "2.0", id: 3, result: { of: "c" } });
    transport.say({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32001, message: "later", data: { kind: "overloaded" } },
    });
    transport.say({ jsonrpc: "2.0", id: 2, result: { of: "b" } });
    expect(await Promise.all(calls)).toEqual(["answered overloaded", { of: "b" }, { of: "c" }]);
    expect(peer.pending).toBe(0);
  });

  it("leave a late answer to whose it is: the second call never gets the first one's", async () => {
    const { transport, peer, faults } = manual();
    const patience = new AbortController();
    const first = endOf(peer.request("stalls", undefined, { signal: patience.signal }));
    await turn();
    patience.abort();
    expect(await first).toBe("cancelled");
    const second = endOf(peer.request("next", undefined));
    await turn();
    transport.say({ jsonrpc: "2.0", id: 2, result: { of: "next" } });
    transport.say({ jsonrpc: "2.0", id: 1, result: { of: "stalls" } });
    expect(faults).toEqual([]);
    transport.say({ jsonrpc: "2.0", id: 1, result: { of: "stalls" } });
    expect(await second).toEqual({ of: "next" });
    // What was given up is awaited once; a second answer to it belongs to nobody.
    expect(faults).toEqual(["unknownId"]);
  });

  it("that were given up before they were made are not sent", async () => {
    const { transport, peer } = manual();
    const reason = new Error("enough");
    const call = peer.request("a", undefined, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toMatchObject({ kind: "notSent", method: "a", cause: reason });
    await turn();
    expect(transport.written).toEqual([]);
  });

  it.each([
    ["NaN", { a: { "b/c": [1, Number.NaN] } }, "/a/b~1c/1"],
    ["infinity", { a: Number.POSITIVE_INFINITY }, "/a"],
    ["undefined in an array", { a: [undefined] }, "/a/0"],
    ["a function in an array", { a: [() => 1] }, "/a/0"],
    ["a bigint", { a: 1n }, "BigInt"],
  ])("with %s are refused alone, saying where", async (_, params, where) => {
    const { transport, peer } = manual();
    const refused = peer.request("a", params);
    await expect(refused).rejects.toMatchObject({ kind: "unencodable" });
    await expect(refused).rejects.toThrow(where);
    const fine = endOf(peer.request("b", { a: [null, "null"] }));
    await turn();
    transport.say({ jsonrpc: "2.0", id: transport.frames[0]?.["id"], result: {} });
    expect(await fine).toEqual({});
  });

  it("with a cycle, or over the limit, are refused alone", async () => {
    const { transport, peer } = manual({ limitBytes: 100 });
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(await endOf(peer.request("a", cycle))).toBe("unencodable");
    expect(await endOf(peer.request("a", { a: "€".repeat(30) }))).toBe("unencodable");
    void endOf(peer.request("a", { a: "x".repeat(30) }));
    await turn();
    expect(transport.frames).toHaveLength(1);
  });

  it("of which too many wait are refused unsent", async () => {
    const { peer } = manual({ maxPending: 2 });
    void endOf(peer.request("a", undefined));
    void endOf(peer.request("b", undefined));
    expect(await endOf(peer.request("c", undefined))).toBe("queueFull");
  });
});

describe("the end of the stream", () => {
  it("settles every wait: unknown what was sent, not sent what was not", async () => {
    const { transport, peer } = manual({ drainTimeoutMs: 20 });
    transport.takes = false;
    const sent = endOf(peer.request("sent", undefined));
    await turn();
    const queued = endOf(peer.request("queued", undefined));
    await turn();
    transport.receiver.ended();
    const after = endOf(peer.request("after", undefined));
    expect(await Promise.all([sent, queued, after])).toEqual(["outcomeUnknown", "notSent", "notSent"]);
    expect(peer.pending).toBe(0);
    expect(await peer.closed).toBeUndefined();
  });

  it("says why, where it was no orderly one", async () => {
    const { transport, peer } = manual();
    const call = peer.request("a", undefined);
    await turn();
    const broken = new Error("broken");
    transport.receiver.ended(broken);
    await expect(call).rejects.toMatchObject({ kind: "outcomeUnknown", cause: broken });
    expect(await peer.closed).toBe(broken);
  });

  it("lets requests that are being handled be answered, and last words be said", async () => {
    const said: string[] = [];
    let answer = (_: Answer): void => undefined;
    const { transport, peer } = manual({
      onEnd: async () => {
        await peer.notify("bye", undefined);
        said.push("bye");
      },
    });
    peer.onRequest(() => new Promise((resolve) => (answer = resolve)));
    transport.say({ jsonrpc: "2.0", id: "q", method: "slow" });
    transport.receiver.ended();
    await turn();
    expect(transport.closed).toBe(false);
    answer({ result: { late: true } });
    await peer.closed;
    expect(transport.closed).toBe(true);
    expect(said).toEqual(["bye"]);
    expect(transport.frames).toEqual([
      { jsonrpc: "2.0", method: "bye" },
      { jsonrpc: "2.0", id: "q", result: { late: true } },
    ]);
  });
});

describe("requests of the other side", () => {
  it('are answered under their own id: 1 and "1" are two', async () => {
    const { transport, peer } = manual();
    peer.onRequest((method, params, { id, trace }) => ({ result: { method, params, id, trace } }));
    transport.say({ jsonrpc: "2.0", id: 1, method: "a", params: { x: 1 }, trace: { traceparent: "t" } });
    transport.say({ jsonrpc: "2.0", id: "1", method: "b" });
    await turn();
    expect(transport.frames).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        result: { method: "a", params: { x: 1 }, id: 1, trace: { traceparent: "t" } },
      },
      { jsonrpc: "2.0", id: "1", result: { method: "b", id: "1" } },
    ]);
  });

  it("are answered when nobody handles them, when the handler fails, and when its answer is no JSON", async () => {
    const thrown: unknown[] = [];
    const { transport, peer } = manual({ onError: (error) => thrown.push(error) });
    const kinds = (): unknown[] =>
      transport.frames.map(({ error }) => (error as { data: { kind: string } }).data.kind);
    transport.say({ jsonrpc: "2.0", id: 1, method: "a" });
    await turn();
    expect(kinds()).toEqual(["methodNotFound"]);
    peer.onRequest((method) => {
      if (method === "throws") throw new Error("secret");
      if (method === "rejects") return Promise.reject(new Error("secret"));
      return { result: { n: Number.NaN } };
    });
    for (const [i, method] of ["throws", "rejects", "answers NaN"].entries())
      transport.say({ jsonrpc: "2.0", id: 2 + i, method });
    await turn();
    expect(kinds()).toEqual(["methodNotFound", "internal", "internal", "internal"]);
    expect(thrown).toHaveLength(3);
    // What went wrong inside is not told to the other side.
    expect(transport.written.join("")).not.toContain("secret");
  });

  it("of which too many are handled at once are answered overloaded, and may come again", async () => {
    const answers: ((answer: Answer) => void)[] = [];
    const { transport, peer } = manual({ maxConcurrent: 2 });
    peer.onRequest(() => new Promise((resolve) => answers.push(resolve)));
    for (const id of [1, 2, 3]) transport.say({ jsonrpc: "2.0", id, method: "slow" });
    await turn();
    expect(transport.frames).toEqual([
      {
        jsonrpc: "2.0",
        id: 3,
        error: expect.objectContaining({ code: -32001, data: { kind: "overloaded", retryable: true } }),
      },
    ]);
    answers[0]?.({ result: {} });
    await turn();
    transport.say({ jsonrpc: "2.0", id: 4, method: "slow" });
    expect(answers).toHaveLength(3);
  });

  it("that are malformed are refused by a host and left alone by a client", async () => {
    for (const [answerMalformed, sent] of [
      [true, 1],
      [false, 0],
    ] as const) {
      const { transport, faults } = manual({ answerMalformed });
      transport.feed("garbage\n");
      await turn();
      expect(transport.frames).toHaveLength(sent);
      expect(faults).toEqual(["notJson"]);
    }
  });

  it("keep going when a listener of notifications throws", () => {
    const thrown: unknown[] = [];
    const heard: string[] = [];
    const { transport, peer } = manual({ onError: (error) => thrown.push(error) });
    peer.onNotification((method, _, { emittedAtMs }) => {
      heard.push(`${method} ${emittedAtMs}`);
      if (method === "a") throw new Error("a");
    });
    transport.say({ jsonrpc: "2.0", method: "a", emittedAtMs: 5 });
    transport.say({ jsonrpc: "2.0", method: "b" });
    expect(heard).toEqual(["a 5", "b undefined"]);
    expect(thrown).toHaveLength(1);
  });
});

describe("back-pressure", () => {
  it("makes notifications wait, in order, and refuses what would not fit", async () => {
    const { transport, peer } = manual({ highWater: 1_000, maxQueued: 5_000 });
    transport.takes = false;
    const params = { text: "x".repeat(400) };
    await peer.notify("n", params); // handed over: the transport asks to wait from now on
    await turn();
    const waits = Array.from({ length: 10 }, () => peer.notify("n", params));
    expect(waits.slice(0, 2)).toEqual([undefined, undefined]);
    expect(waits.slice(2, 10).every((wait) => wait instanceof Promise)).toBe(true);
    expect(await endOf(Promise.resolve().then(() => peer.notify("n", { text: "x".repeat(2_000) })))).toBe(
      "queueFull",
    );
    expect(transport.frames).toHaveLength(1);
    transport.takes = true;
    transport.receiver.drained();
    await Promise.all(waits);
    expect(transport.frames).toHaveLength(11);
  });

  it("stops reading while answers wait, and goes on when they are gone", async () => {
    const { transport, peer } = manual({ pauseAbove: 1_000 });
    peer.onRequest(() => ({ result: { text: "x".repeat(500) } }));
    transport.takes = false;
    transport.say({ jsonrpc: "2.0", id: 1, method: "a" });
    await turn();
    expect(transport.paused).toBe(false);
    for (const id of [2, 3]) transport.say({ jsonrpc: "2.0", id, method: "a" });
    expect(transport.paused).toBe(true);
    transport.takes = true;
    transport.receiver.drained();
    expect(transport.paused).toBe(false);
    expect(transport.frames).toHaveLength(3);
  });

  it("ends with the connection: nobody waits for ever", async () => {
    const { transport, peer } = manual({ highWater: 10, drainTimeoutMs: 20 });
    transport.takes = false;
    await peer.notify("n", undefined);
    await turn();
    const wait = peer.notify("n", { text: "x".repeat(100) });
    expect(wait).toBeInstanceOf(Promise);
    transport.receiver.ended();
    await wait;
    await expect(Promise.resolve(peer.notify("n", undefined))).rejects.toMatchObject({ kind: "notSent" });
  });
});

describe("closing", () => {
  it("waits for a handler that does not end, and not for ever", async () => {
    const { transport, peer } = manual({ drainTimeoutMs: 20 });
    peer.onRequest(() => new Promise(() => undefined));
    transport.say({ jsonrpc: "2.0", id: 1, method: "hangs" });
    await peer.close();
    expect(transport.closed).toBe(true);
    expect(transport.frames).toEqual([]);
  });

  it("answers what is being handled, writes what waits, and is the same promise again", async () => {
    const [left, right] = inProcess();
    const host = new Peer(right);
    const client = new Peer(left, { answerMalformed: false });
    host.onRequest(async () => {
      await turn();
      return { result: { done: true } };
    });
    const call = endOf(client.request("slow", undefined));
    await turn();
    const closing = host.close();
    expect(host.close()).toBe(closing);
    await closing;
    expect(await call).toEqual({ done: true });
    await client.closed;
    expect(await endOf(host.request("a", undefined))).toBe("notSent");
  });
});
