/** A peer fed with ten thousand frames that were valid before something was done to their bytes. */
import { describe, expect, it } from "vitest";
import { errors } from "../../generated/msp/stable/tables.js";
import { Random } from "../../src/laws/random.js";
import { Peer, wireErrors } from "../../src/wire/index.js";
import { ManualTransport, turn } from "../support/wire.js";

const VALID = [
  { jsonrpc: "2.0", id: 1, result: { commandId: "c", status: "accepted", turnId: "t", n: 12.5e3 } },
  {
    jsonrpc: "2.0",
    id: 2,
    error: { code: -32030, message: "no", data: { kind: "commandRejected", reason: "r" } },
  },
  {
    jsonrpc: "2.0",
    id: 7,
    method: "turn/start",
    params: { sessionId: "s", input: [{ type: "text", text: "é😀\u2028" }] },
  },
  {
    jsonrpc: "2.0",
    id: "a",
    method: "view/page",
    params: { limit: 200, cursor: null },
    trace: { traceparent: "00" },
  },
  { jsonrpc: "2.0", method: "item/delta", params: { itemId: "i", delta: '"\\\n' }, emittedAtMs: 1 },
].map((message) => Buffer.from(`${JSON.stringify(message)}\n`));

/** Pieces that are apt to confuse a reader. */
const PIECES = [
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "\n",
  "\r",
  "\0",
  "null",
  "1e999",
  '"id":1,',
  '"id":null,',
  '"method":5,',
  '"result":{},',
  "\\ud800",
  "é",
].map((text) => Buffer.from(text));

function mutated(random: Random): Buffer {
  let bytes = Buffer.from(random.pick(VALID));
  for (let i = random.int(1, 4); i > 0; i--) {
    const at = random.int(0, bytes.length);
    const to = Math.min(bytes.length, at + random.int(0, 12));
    const middle = random.pick([
      () => Buffer.alloc(0),
      () => Buffer.from([random.int(0, 255)]),
      () => random.pick(PIECES),
      () => Buffer.concat([bytes.subarray(at, to), bytes.subarray(at, to)]),
      () => random.pick(VALID).subarray(0, random.int(0, 40)),
    ])();
    bytes = Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(to)]);
  }
  return bytes;
}

describe("ten thousand mutated frames", () => {
  it("kill no peer and leave nobody waiting", async () => {
    const random = new Random(20_261_129);
    const counts = { frames: 0, faults: 0, requests: 0, notifications: 0, settled: 0, unknown: 0, alive: 0 };
    for (let round = 0; round < 500; round++) {
      const transport = new ManualTransport();
      const peer = new Peer(transport, {
        errors: wireErrors(errors),
        onProtocolFault: () => counts.faults++,
        limitBytes: 300,
      });
      let probe: unknown;
      peer.onRequest((method, params) => {
        if (method === "probe") probe = params;
        counts.requests++;
        return { result: {} };
      });
      peer.onNotification(() => counts.notifications++);
      let open = 3;
      for (let i = 0; i < open; i++) {
        peer
          .request("m", undefined)
          .then(
            () => counts.settled++,
            (error: { kind: string }) =>
              error.kind === "outcomeUnknown" ? counts.unknown++ : counts.settled++,
          )
          .finally(() => open--);
      }
      await turn();
      for (let i = 0; i < 20; i++) {
        counts.frames++;
        transport.feed(mutated(random));
        transport.say({});
        transport.feed(`\n{"jsonrpc":"2.0","id":"p","method":"probe","params":{"i":${i}}}\n`);
        if ((probe as { i: number } | undefined)?.i === i) counts.alive++;
      }
      // What was written is whole frames of JSON, whatever came in.
      expect(transport.frames.length).toBeGreaterThan(0);
      transport.receiver.ended();
      await turn();
      expect(open).toBe(0);
      expect(peer.pending).toBe(0);
    }
    expect(counts.frames).toBe(10_000);
    expect(counts.alive).toBe(10_000);
    for (const count of [
      counts.faults,
      counts.requests,
      counts.notifications,
      counts.settled,
      counts.unknown,
    ])
      expect(count).toBeGreaterThan(50);
  });
});
