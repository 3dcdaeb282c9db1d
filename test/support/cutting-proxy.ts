/** A way to a server that can be cut: a TCP proxy that looks at what passes, and ends connections when it is told. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** When a connection is cut. `before`: what the client sent has not reached the server. `after`: its answer is lost. */
export type Cut = "before" | "after";

/** A proxy. */
export interface CuttingProxy {
  /** The same address, by way of the proxy. */
  url(of: string): string;
  /** Cuts the connection on which the client next sends these bytes, once. */
  cutAt(bytes: string, cut: Cut): void;
  /** Lets nothing through in either direction from now on, without ending anything; or again. */
  freeze(frozen: boolean): void;
  /** How many connections were cut. */
  readonly cuts: number;
  close(): Promise<void>;
}

/** Starts one, to a port of the loopback. */
export async function cuttingProxy(port: number): Promise<CuttingProxy> {
  let wanted: { readonly bytes: Buffer; readonly cut: Cut } | undefined;
  let cuts = 0;
  let frozen = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    let deaf = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        // What the server was sent it keeps: only the way back is gone.
        upstream.end();
      });
    }
    client.on("data", (chunk) => {
      if (frozen) return;
      if (wanted !== undefined && chunk.includes(wanted.bytes)) {
        const { cut } = wanted;
        wanted = undefined;
        cuts++;
        if (cut === "before") {
          upstream.destroy();
          client.destroy();
          return;
        }
        deaf = true;
        upstream.write(chunk);
        // The server answers when it has done it: that answer is what is lost.
        upstream.once("data", () => client.destroy());
        return;
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (!deaf && !frozen) client.write(chunk);
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
    },
    get cuts() {
      return cuts;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
