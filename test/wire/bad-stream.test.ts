/** One connection on which everything goes wrong that is known to go wrong: late and doubled answers, split characters, a line without an end. */
import { expect, it } from "vitest";
import { isWireError, Peer } from "../../src/wire/index.js";
import { ManualTransport, turn } from "../support/wire.js";

it("each answer goes to its own request or nowhere, the long line is skipped, and every wait is settled at the end", async () => {
  const transport = new ManualTransport();
  const faults: string[] = [];
  const peer = new Peer(transport, {
    answerMalformed: false,
    onProtocolFault: ({ kind }) => faults.push(kind),
  });
  const settled: string[] = [];
  const ask = (name: string, signal?: AbortSignal): void => {
    peer.request(name, undefined, { signal }).then(
      (result) => settled.push(`${name}: ${(result as { of: string }).of}`),
      (error: unknown) => settled.push(`${name}: ${isWireError(error) ? error.kind : String(error)}`),
    );
  };
  const slowly = (text: string): void => {
    for (const byte of Buffer.from(text)) transport.feed(Uint8Array.of(byte));
  };
  for (let id = 1; id <= 6; id++) {
    ask(`request ${id}`);
    transport.say({ jsonrpc: "2.0", id, result: { of: `${id}` } });
  }
  await turn();
  settled.length = 0;

  // Request 7 stalls until its caller gives up; request 8 follows. The answers: 8, 7, 7.
  const patience = new AbortController();
  ask("request 7", patience.signal);
  await turn();
  patience.abort();
  ask("request 8");
  await turn();
  const answer = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{"of":"${id} 😀\u2028"}}\n`;
  slowly(answer(8) + answer(7) + answer(7));
  await turn();
  expect(settled).toEqual(["request 7: cancelled", "request 8: 8 😀\u2028"]);
  expect(faults).toEqual(["unknownId"]);

  const before = process.memoryUsage().arrayBuffers;
  const piece = Buffer.alloc(65_536, 0x78);
  for (let sent = 0; sent < 64 * 1024 * 1024; sent += piece.length) transport.feed(piece);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * 10_485_760);
  transport.feed("\n\ngarbage\n");
  expect(faults).toEqual(["unknownId", "tooLong", "notJson"]);

  ask("request 9");
  await turn();
  slowly(answer(9));
  ask("request 10");
  ask("request 11");
  await turn();
  transport.receiver.ended();
  await peer.closed;
  expect(settled.slice(2).sort()).toEqual([
    "request 10: outcomeUnknown",
    "request 11: outcomeUnknown",
    "request 9: 9 😀\u2028",
  ]);
  expect(peer.pending).toBe(0);
});
