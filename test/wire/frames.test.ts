import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FrameFault, FrameReader } from "../../src/wire/index.js";
import { framingRows } from "../support/wire.js";

type Event = string | FrameFault;

function eventsOf(pieces: Iterable<Uint8Array>, limitBytes?: number): Event[] {
  const events: Event[] = [];
  const reader = new FrameReader({
    ...(limitBytes === undefined ? {} : { limitBytes }),
    onFrame: (text) => events.push(text),
    onFault: (fault) => events.push(fault),
  });
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return events;
}

function singles(bytes: Uint8Array): Uint8Array[] {
  return [...bytes].map((byte) => Uint8Array.of(byte));
}

const hostile = Buffer.concat(framingRows().map(({ bytes }) => bytes));

/** Bytes that look like frames, with all that a framer looks at. */
const stream = fc
  .array(
    fc.oneof(
      fc.json().map((text) => Buffer.from(text)),
      fc.constantFrom(...framingRows().map(({ bytes }) => bytes)),
      fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom("\n", "\r\n", "\r", " ", "\ufeff", "😀\n", "{}\n").map((text) => Buffer.from(text)),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts));

describe("frames", () => {
  it("are the same however the bytes are cut", () => {
    let frames = 0;
    let faults = 0;
    fc.assert(
      fc.property(
        stream,
        fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constant(100_000)),
        fc.array(fc.integer({ min: 1, max: 50 })),
        (bytes, limit, cuts) => {
          const whole = eventsOf([bytes], limit);
          for (const event of whole) typeof event === "string" ? frames++ : faults++;
          expect(eventsOf(singles(bytes), limit)).toEqual(whole);
          const pieces: Uint8Array[] = [];
          let at = 0;
          for (const length of cuts) {
            pieces.push(bytes.subarray(at, at + length));
            at += length;
          }
          pieces.push(bytes.subarray(at));
          expect(eventsOf(pieces, limit)).toEqual(whole);
        },
      ),
      { numRuns: 500 },
    );
    expect(frames).toBeGreaterThan(500);
    expect(faults).toBeGreaterThan(200);
  });

  it("are the same for all hostile bytes in one stream, one byte at a time", () => {
    const whole = eventsOf([hostile], 100_000);
    expect(whole.length).toBeGreaterThan(60);
    expect(eventsOf(singles(hostile), 100_000)).toEqual(whole);
  });

  it("are what a slow and plain reading of the bytes gives", () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        const expected: Event[] = [];
        const lines = bytes.toString("latin1").split("\n");
        const last = lines.pop() as string;
        for (const line of lines) {
          const raw = Buffer.from(line, "latin1");
          const text = raw.toString("utf8");
          if (!Buffer.from(text, "utf8").equals(raw)) expected.push({ kind: "notUtf8", text });
          else if (!/^[ \t\r]*$/.test(text)) expected.push(text.replace(/\r$/, ""));
        }
        const text = Buffer.from(last, "latin1").toString("utf8");
        if (!/^[ \t\r]*$/.test(text)) expected.push({ kind: "truncated", bytes: last.length, text });
        expect(eventsOf([bytes])).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("may have as many bytes as the limit says, whatever characters they make", () => {
    for (const filler of ["x", "é", "€", "😀"]) {
      const size = Buffer.byteLength(filler);
      const frame = filler.repeat(60 / size);
      for (const end of ["\n", "\r\n"]) {
        expect(eventsOf([Buffer.from(frame + end)], 60)).toEqual([frame]);
        expect(eventsOf(singles(Buffer.from(frame + end)), 60)).toEqual([frame]);
        const [fault] = eventsOf([Buffer.from(`${frame}x${end}`)], 60);
        expect(fault).toMatchObject({ kind: "tooLong", limitBytes: 60 });
        expect(eventsOf(singles(Buffer.from(`${frame}x${end}`)), 60)).toEqual([fault]);
      }
    }
  });

  it("are not changed by a caller who uses his bytes again", () => {
    const events: Event[] = [];
    const reader = new FrameReader({
      onFrame: (text) => events.push(text),
      onFault: (fault) => events.push(fault),
    });
    const buffer = Buffer.from("abc");
    reader.push(buffer);
    buffer.fill(0);
    reader.push(Buffer.from("d\n"));
    expect(events).toEqual(["abcd"]);
  });

  it("have a limit that is a positive integer", () => {
    const make = (limitBytes: number) => () => eventsOf([], limitBytes);
    for (const wrong of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(make(wrong)).toThrow(RangeError);
  });
});

describe("a line without an end", () => {
  const MiB = 1024 * 1024;
  const limit = 10_485_760;

  function memory(): number {
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    return arrayBuffers + heapUsed;
  }

  it("of 64 MiB takes less than twice the limit, and is one fault", () => {
    const events: Event[] = [];
    const reader = new FrameReader({
      onFrame: (text) => events.push(text),
      onFault: (fault) => events.push(fault),
    });
    const piece = Buffer.from(
      `{"jsonrpc":"2.0","id":5,"method":"m","params":{"a":"${"x".repeat(65_536 - 51)}`,
    );
    const rest = Buffer.alloc(piece.length, 0x78);
    const before = memory();
    let most = 0;
    for (let sent = 0; sent < 64 * MiB; sent += piece.length) {
      reader.push(sent === 0 ? piece : rest);
      most = Math.max(most, memory() - before);
    }
    expect(most).toBeLessThan(2 * limit);
    // It did hold what could still have become a frame.
    expect(most).toBeGreaterThan(limit / 2);
    reader.push(Buffer.from('"}}\n{"next":1}\n'));
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({ kind: "tooLong", limitBytes: limit });
    expect((events[0] as { prefix: string }).prefix.startsWith('{"jsonrpc":"2.0","id":5')).toBe(true);
    expect(events[1]).toBe('{"next":1}');
  });

  it("in single bytes is held in blocks, not in bytes", () => {
    const reader = new FrameReader({ onFrame: () => undefined, onFault: () => undefined });
    const byte = Uint8Array.of(0x78);
    const before = memory();
    for (let i = 0; i < MiB; i++) reader.push(byte);
    expect(memory() - before).toBeLessThan(16 * MiB);
  });
});
