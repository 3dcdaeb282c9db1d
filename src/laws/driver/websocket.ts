/** Connections to a host that listens: by the address that it prints, or by one that is known. */
import { MissingPackageError } from "../../wire/missing-package.js";
import type { Transport } from "../../wire/transport.js";
import { connectWebSocket } from "../../wire/websocket-node.js";
import { DriverError } from "./driver.js";

/** Where a host listens, and what it wants to be told. */
export interface Address {
  readonly url: string;
  readonly token?: string | undefined;
  /** Milliseconds that opening may take. */
  readonly openMs: number;
}

/**
 * A connection to an address.
 * @throws {DriverError} `cannotStart` where the package for it is missing, `noConnection` where nobody answers
 */
export async function dial({ url, token, openMs }: Address): Promise<Transport> {
  try {
    return await connectWebSocket(url, { token, openTimeoutMs: openMs });
  } catch (error) {
    const missing = error instanceof MissingPackageError;
    throw new DriverError(
      missing ? "cannotStart" : "noConnection",
      missing ? error.message : `${url} takes no connection: ${(error as Error).message}`,
      { cause: error },
    );
  }
}

/** Ends a connection that nobody has opened. */
export async function hangUp(transport: Transport): Promise<void> {
  transport.open({ bytes: () => undefined, drained: () => undefined, ended: () => undefined });
  await transport.close();
}

/** A connection that is over before it began: that of a host that has ended. */
export function endedTransport(): Transport {
  return {
    open: (receiver) => queueMicrotask(() => receiver.ended()),
    write: () => true,
    pause: () => undefined,
    resume: () => undefined,
    close: async () => undefined,
  };
}

/** A ws:// or wss:// address at the beginning of a line; undefined where there is none. */
export function addressIn(line: string): string | undefined {
  return /^\s*(wss?:\/\/\S+)/.exec(line)?.[1];
}

/** The first line that comes on a transport, which is read to its end; undefined where it ends before, or is too long. */
export function firstLine(transport: Transport): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let said = "";
  let over = false;
  return new Promise((resolve) => {
    const end = (line?: string) => {
      over = true;
      resolve(line);
    };
    transport.open({
      bytes: (chunk) => {
        if (over) return;
        said += decoder.decode(chunk, { stream: true });
        const at = said.indexOf("\n");
        if (at !== -1) end(said.slice(0, at));
        else if (said.length > MOST) end();
      },
      drained: () => undefined,
      ended: () => end(),
    });
  });
}

const MOST = 4_096;
