/** The framing vectors: bytes from a hostile peer, each with its one outcome, however they are cut. */
import { describe, expect, it } from "vitest";
import { errors } from "../../generated/msp/stable/tables.js";
import { Random } from "../../src/laws/random.js";
import { isAnsweredError, isWireError, Peer, wireErrors } from "../../src/wire/index.js";
import { type FramingRow, framingRows, ManualTransport, type Outcome, turn } from "../support/wire.js";

const rows = framingRows();

/** What came of the bytes of a row, in pieces. */
async function outcomesOf(row: FramingRow, pieces: readonly Uint8Array[]): Promise<Outcome[]> {
  const transport = new ManualTransport();
  const outcomes: Outcome[] = [];
  const peer = new Peer(transport, {
    errors: wireErrors(errors),
    ...(row.limitBytes === undefined ? {} : { limitBytes: row.limitBytes }),
    onProtocolFault: ({ kind }) => {
      // Told with each refusal too, which is an outcome of its own.
      if (["unknownId", "malformedAnswer", "truncated"].includes(kind))
        outcomes.push({ type: "dropped", reason: kind });
      else if (kind === "tooLong" && isAnswer(row)) outcomes.push({ type: "dropped", reason: kind });
    },
  });
  peer.onRequest((method, params, { id }) => {
    outcomes.push({ type: "request", id, method, ...(params === undefined ? {} : { params }) });
    return { result: {} };
  });
  peer.onNotification((method, params) => {
    outcomes.push({ type: "notification", method, ...(params === undefined ? {} : { params }) });
  });
  peer.request("open", undefined).then(
    (result) => outcomes.push({ type: "settled", id: 1, result }),
    (error: unknown) => {
      if (isAnsweredError(error)) outcomes.push({ type: "settled", id: 1, code: error.code });
      else if (isWireError(error) && error.kind !== "notSent") outcomes.push({ type: "unknown", id: 1 });
    },
  );
  await turn();
  for (const piece of pieces) transport.feed(piece);
  await turn();
  if (row.ends === true) {
    transport.receiver.ended();
    await turn();
  } else {
    const before = outcomes.length;
    transport.feed('{"jsonrpc":"2.0","id":"still there","method":"ping"}\n');
    await turn();
    expect(outcomes.splice(before)).toEqual([{ type: "request", id: "still there", method: "ping" }]);
  }
  for (const { id, error } of transport.frames as {
    id: unknown;
    error?: { code: number; data: { limitBytes?: number } };
  }[]) {
    if (error === undefined) continue;
    const limit = error.data.limitBytes === undefined ? {} : { limitBytes: error.data.limitBytes };
    outcomes.push({ type: "refused", id, code: error.code, ...limit });
  }
  return outcomes;
}

function isAnswer({ outcomes }: FramingRow): boolean {
  return outcomes.some(({ type }) => type === "dropped");
}

/** Outcomes without their order: what is sent and what is handed on are two streams. */
function sorted(outcomes: readonly Outcome[]): string[] {
  return outcomes
    .map((outcome) => JSON.stringify(outcome, Object.keys(outcome).sort().concat("a", "n")))
    .sort();
}

function cut(bytes: Buffer, random: Random): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const next = at + random.int(1, 40);
    pieces.push(bytes.subarray(at, next));
    at = next;
  }
  return pieces;
}

describe("the bytes of each framing vector", () => {
  it("are many and have names of their own", () => {
    expect(rows.length).toBeGreaterThan(60);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    expect(new Set(rows.flatMap(({ outcomes }) => outcomes.map(({ type }) => type))).size).toBe(6);
  });

  it.each(rows.map((row) => [row.name, row] as const))("%s", async (_, row) => {
    expect(sorted(await outcomesOf(row, [row.bytes]))).toEqual(sorted(row.outcomes));
    const single = [...row.bytes].map((byte) => Uint8Array.of(byte));
    expect(sorted(await outcomesOf(row, single))).toEqual(sorted(row.outcomes));
    const random = new Random(row.bytes.length);
    for (let i = 0; i < 10; i++)
      expect(sorted(await outcomesOf(row, cut(row.bytes, random)))).toEqual(sorted(row.outcomes));
  });

  it("have another outcome when one of them is changed", async () => {
    const row = rows.find(({ name }) => name === "a frame") as FramingRow;
    const broken = Buffer.from(row.bytes);
    broken[0] = 0x5b;
    expect(sorted(await outcomesOf(row, [broken]))).not.toEqual(sorted(row.outcomes));
  });
});

describe("a lone surrogate", () => {
  it("leaves as the escape that it came as", async () => {
    const transport = new ManualTransport();
    const peer = new Peer(transport);
    peer.onRequest((_, params) => ({ result: params }));
    transport.feed('{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":"\\ud800"}}\n');
    await turn();
    expect(transport.written.join("")).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":"\\ud800"}}\n');
  });
});
