/** What every transport does; the far end behaves as test/fixtures/wire/behave.mjs says, with a limit of 1,000,000 bytes. */
import { expect, test } from "vitest";
import {
  isAnsweredError,
  isWireError,
  Peer,
  type PeerOptions,
  type Transport,
} from "../../src/wire/index.js";

/** A connection whose far end behaves. */
export interface Connected {
  readonly transport: Transport;
  /** Ends the far end at once, as a crash does. */
  readonly crash: () => void;
}

/** Bytes as they leave a transport: some tests write what no peer would. */
export const LIMIT = 1_000_000;

/** The suite; `connect` makes a new connection each time. */
export function behavesLikeEveryTransport(connect: () => Promise<Connected>): void {
  async function start(
    options: PeerOptions = {},
  ): Promise<{ peer: Peer; transport: Transport; crash: () => void }> {
    const connected = await connect();
    return { ...connected, peer: new Peer(connected.transport, { answerMalformed: false, ...options }) };
  }

  test("requests go both ways, and each gets its own answer", async () => {
    const { peer } = await start();
    peer.onRequest((_, params) => ({ result: { from: "here", params } }));
    const calls = Array.from({ length: 200 }, (_, n) => peer.request(n % 2 ? "echo" : "ask back", { n }));
    for (const [n, result] of (await Promise.all(calls)).entries())
      expect(result).toEqual(n % 2 ? { params: { n } } : { answer: { from: "here", params: { n } } });
    await peer.close();
  });

  test("text arrives as it was: many bytes a character, line separators, escapes, a lone surrogate", async () => {
    const { peer } = await start();
    const text = '😀é€\u2028\u2029\u0085\ufeff"\\\n\r\t\0\ud800 ';
    const params = { text: text.repeat(1_000), [text]: null, n: 1e21 };
    expect(await peer.request("echo", params)).toEqual({ params });
    await peer.close();
  });

  test("notifications arrive in order, before the answer that follows them", async () => {
    const { peer } = await start();
    const numbers: number[] = [];
    peer.onNotification((_, params) => numbers.push((params as { n: number }).n));
    await peer.request("count", { to: 5_000 });
    expect(numbers).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
    await peer.close();
  });

  test("a frame of nearly the limit passes, one over it is refused and the connection goes on", async () => {
    const { peer, transport } = await start();
    const text = "x".repeat(LIMIT - 200);
    expect(await peer.request("echo", { text })).toMatchObject({ params: { text } });
    const id = 2;
    transport.write(
      `{"jsonrpc":"2.0","id":${id},"method":"echo","params":{"text":"${"x".repeat(LIMIT)}"}}\n`,
    );
    // The peer's next request has that id; it gets the refusal, its own answer is nobody's.
    await expect(peer.request("wait", { ms: 50 })).rejects.toMatchObject({ data: { limitBytes: LIMIT } });
    expect(await peer.request("echo", { n: 3 })).toEqual({ params: { n: 3 } });
    await peer.close();
  });

  test("what is no frame is answered, and the connection goes on", async () => {
    const faults: string[] = [];
    const { peer, transport } = await start({ onProtocolFault: ({ why }) => faults.push(why ?? "") });
    transport.write('garbage\n\n{"jsonrpc":"2.0"}\n[]\n');
    expect(await peer.request("echo", {})).toEqual({ params: {} });
    expect(faults).toEqual([
      expect.stringContaining("-32700"),
      expect.stringContaining("-32600"),
      expect.stringContaining("-32600"),
    ]);
    await peer.close();
  });

  test("a side that is busy makes the writer wait, and loses nothing", async () => {
    const { peer } = await start({ highWater: 10_000 });
    const busy = peer.request("busy", { ms: 300 });
    let waits = 0;
    const pad = "x".repeat(1_000);
    for (let i = 0; i < 16_000; i++) {
      const wait = peer.notify("more", { pad });
      if (wait === undefined) continue;
      waits++;
      await wait;
    }
    await peer.notify("stop", undefined);
    await busy;
    expect(waits).toBeGreaterThan(0);
    expect(await peer.request("wait", { ms: 0 })).toEqual({ stop: true });
    await peer.close();
  });

  test("a side that reads late gets everything", async () => {
    const { peer, transport } = await start();
    let bytes = 0;
    peer.onNotification((_, params) => {
      bytes += (params as { pad: string }).pad.length;
    });
    const counting = peer.request("count", { to: 300, pad: 10_000 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    transport.pause();
    await new Promise((resolve) => setTimeout(resolve, 100));
    transport.resume();
    await counting;
    expect(bytes).toBe(3_000_000);
    await peer.close();
  });

  test("closing ends both sides; the same promise again; nothing is sent any more", async () => {
    const { peer } = await start();
    await peer.request("echo", {});
    const closing = peer.close();
    expect(peer.close()).toBe(closing);
    await closing;
    expect(await peer.closed).toBeUndefined();
    await expect(peer.request("echo", {})).rejects.toMatchObject({ kind: "notSent" });
  });

  test("the far side may close: its answer arrives, what waits is over", async () => {
    const { peer } = await start();
    const waits = peer.request("never", {}).then(
      () => "answered",
      (error: unknown) => (isWireError(error) ? error.kind : error),
    );
    // Its handler never ends, so that the far end closes when its patience does; a crash is not needed.
    await expect(Promise.race([peer.request("close", {}), peer.closed])).resolves.toEqual({});
    void peer.close();
    expect(await waits).toBe("outcomeUnknown");
  });

  test("a crash settles every wait with outcome unknown", async () => {
    const { peer, crash } = await start();
    const calls = Array.from({ length: 20 }, () => peer.request("never", {}));
    await peer.request("echo", {});
    crash();
    for (const call of await Promise.allSettled(calls)) {
      const reason: unknown = call.status === "rejected" ? call.reason : undefined;
      expect(isWireError(reason) && reason.kind).toBe("outcomeUnknown");
      expect(isAnsweredError(reason)).toBe(false);
    }
    await peer.closed;
    await peer.close();
  });
}
