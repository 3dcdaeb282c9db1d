/** The transport of a connection to strangers. */
import type { Receiver, Transport } from "../../wire/transport.js";

const LF = 10;

/** Bytes of a frame over the limit in which its id is looked for. */
const PREFIX_BYTES = 65_536;

/**
 * A transport whose other side may send frames of so many bytes, whatever this side may. `tooLong` gets the beginning of one
 * that has more. Each chunk of the transport has to hold whole frames, as the messages of a WebSocket do. What waits to be
 * written when the other side has ended is not waited for.
 */
export function limitedTransport(
  transport: Transport,
  limitBytes: number,
  tooLong: (prefix: string) => void,
): Transport {
  const lines = (chunk: Uint8Array, receiver: Receiver): void => {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(LF, from);
      const line = chunk.subarray(from, end === -1 ? chunk.length : end + 1);
      if (line.length - (end === -1 ? 0 : 1) <= limitBytes) receiver.bytes(line);
      else tooLong(new TextDecoder().decode(line.subarray(0, PREFIX_BYTES)));
      from += line.length;
    }
  };
  return {
    open(receiver) {
      transport.open({
        bytes(chunk) {
          if (chunk.length <= limitBytes) receiver.bytes(chunk);
          else lines(chunk, receiver);
        },
        drained: () => receiver.drained(),
        ended(error) {
          receiver.ended(error);
          // Written now it goes nowhere.
          receiver.drained();
        },
      });
    },
    write: (frames) => transport.write(frames),
    pause: () => transport.pause(),
    resume: () => transport.resume(),
    close: () => transport.close(),
  };
}
