/** The embedded host in simulation, with a fault: the lines that it writes are changed on their way. */
import { Host } from "../../src/host/host.js";
import type { Driver } from "../../src/laws/driver/driver.js";
import { type EmbeddedOptions, embeddedDriver } from "../../src/laws/simulation/embedded.js";
import type { Transport } from "../../src/wire/transport.js";

/** A driver whose host has a fault; `flaw` makes what becomes of a line, for each connection. */
export function flawedDriver(
  flaw: () => (line: string) => string,
  options: Omit<EmbeddedOptions, "makeHost"> = {},
): Promise<Driver> {
  return embeddedDriver({
    ...options,
    makeHost: (hostOptions) => {
      const host = new Host(hostOptions);
      return {
        accept: (transport) => host.accept(changed(transport, flaw())),
        close: () => host.close(),
      };
    },
  });
}

function changed(transport: Transport, change: (line: string) => string): Transport {
  return {
    open: (receiver) => transport.open(receiver),
    write: (frames) => transport.write(frames.replace(/[^\n]+/g, (line) => change(line))),
    pause: () => transport.pause(),
    resume: () => transport.resume(),
    close: () => transport.close(),
  };
}
