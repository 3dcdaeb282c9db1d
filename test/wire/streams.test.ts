/** A pair of streams of which one has failed. */
import { PassThrough, Writable } from "node:stream";
import { expect, it } from "vitest";
import { StreamsTransport } from "../../src/wire/streams.js";
import { turn } from "../support/wire.js";

it("closes after its reader has gone, though a stream that has failed says nothing more", async () => {
  // As standard output of a process does it: it fails, and is neither destroyed nor ever closed.
  const output = new Writable({
    autoDestroy: false,
    emitClose: false,
    write: (_chunk, _encoding, done) => done(new Error("EPIPE")),
  });
  const input = new PassThrough();
  const transport = new StreamsTransport({ input, output, endsInput: true });
  const ends: (Error | undefined)[] = [];
  transport.open({ bytes: () => undefined, drained: () => undefined, ended: (error) => ends.push(error) });
  transport.write("{}\n");
  await turn();
  expect(output.destroyed).toBe(false);
  await transport.close();
  expect(ends.map((error) => error?.message)).toEqual(["EPIPE"]);
});
