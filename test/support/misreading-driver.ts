/** The embedded host in simulation, with a fault in what it reads. */
import { Host } from "../../src/host/host.js";
import type { Driver } from "../../src/laws/driver/driver.js";
import { embeddedDriver } from "../../src/laws/simulation/embedded.js";
import type { Transport } from "../../src/wire/transport.js";

/** A driver whose host reads what `misread` makes of a text; where it makes nothing of it the connection is over. */
export function misreadingDriver(misread: (text: string) => string | undefined): Promise<Driver> {
  return embeddedDriver({
    makeHost: (options) => {
      const host = new Host(options);
      return {
        accept: (transport) => host.accept(misreading(transport, misread)),
        close: () => host.close(),
      };
    },
  });
}

function misreading(transport: Transport, misread: (text: string) => string | undefined): Transport {
  return {
    open: (receiver) =>
      transport.open({
        bytes: (chunk) => {
          const text = misread(new TextDecoder().decode(chunk));
          if (text === undefined) void transport.close();
          else receiver.bytes(new TextEncoder().encode(text));
        },
        drained: () => receiver.drained(),
        ended: (error) => receiver.ended(error),
      }),
    write: (frames) => transport.write(frames),
    pause: () => transport.pause(),
    resume: () => transport.resume(),
    close: () => transport.close(),
  };
}
