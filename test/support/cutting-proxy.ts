/** A way to a server that can be cut: a TCP proxy that looks at what passes, and ends connections when it is told. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/**
 * What happens to a connection. `before`: what the client sent has not reached the server, and it ends. `after`: the
 * answer is lost, and it ends. `silentBefore`, `silentAfter`: the same, and it stays open and answers nothing.
 */
export type Cut = "before" | "after" | "silentBefore" | "silentAfter";

/** A proxy. */
export interface CuttingProxy {
  /** The same address, by way of the proxy. */
  url(of: string): string;
  /** Cuts the connection on which the client next sends these bytes, once. */
  cutAt(bytes: string, cut: Cut): void;
  /**
   * Lets nothing through in either direction from now on, without ending anything; or again. What was sent in between
   * comes through then, as the network would deliver it, also where its sender has gone.
   */
  freeze(frozen: boolean): void;
  /** How many connections were cut. */
  readonly cuts: number;
  /** How often something was held back while it was frozen. */
  readonly held: number;
  close(): Promise<void>;
}

/** Starts one, to a port of the loopback. */
export async function cuttingProxy(port: number): Promise<CuttingProxy> {
  let wanted: { readonly bytes: Buffer; readonly cut: Cut } | undefined;
  let cuts = 0;
  let held = 0;
  let frozen = false;
  const late: (() => void)[] = [];
  const sockets = new Set<Socket>();
  const pass = (action: () => void): void => {
    if (frozen) {
      held++;
      late.push(action);
    } else action();
  };
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let deaf = false;
    let silent = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        if (!silent) client.destroy();
        // What the server was sent it keeps: only the way back is gone.
        pass(() => upstream.end());
      });
    }
    client.on("data", (chunk) => {
      if (wanted === undefined || !chunk.includes(wanted.bytes)) {
        pass(() => upstream.write(chunk));
        return;
      }
      const { cut } = wanted;
      wanted = undefined;
      cuts++;
      deaf = true;
      silent = cut === "silentBefore" || cut === "silentAfter";
      if (cut === "before" || cut === "silentBefore") {
        upstream.destroy();
        if (cut === "before") client.destroy();
        return;
      }
      upstream.write(chunk);
      // The server answers when it has done it: that answer is what is lost.
      if (cut === "after") upstream.once("data", () => client.destroy());
    });
    upstream.on("data", (chunk) => {
      if (!deaf) pass(() => client.write(chunk));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as { readonly port: number };
  return {
    url(of) {
      const read = new URL(of);
      read.port = String(address.port);
      return read.href;
    },
    cutAt(bytes, cut) {
      wanted = { bytes: Buffer.from(bytes), cut };
    },
    freeze(now) {
      frozen = now;
      if (!now) for (const action of late.splice(0)) action();
    },
    get cuts() {
      return cuts;
    },
    get held() {
      return held;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
