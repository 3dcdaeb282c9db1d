/** The behaviour suite over each transport of this process. */
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { inProcess, Peer } from "../../src/wire/index.js";
import { connectWebSocket, listenWebSocket, spawnHost, type WebSocketListener } from "../../src/wire/node.js";
import { behave } from "../fixtures/wire/behave.mjs";
import { ROOT } from "../support/repo.js";
import { behavesLikeEveryTransport, LIMIT } from "./transport-behaviour.js";

describe("in one process", () => {
  behavesLikeEveryTransport(async () => {
    const [here, there] = inProcess();
    behave(new Peer(there, { limitBytes: LIMIT, drainTimeoutMs: 100 }));
    return { transport: here, crash: () => void there.close() };
  });
});

describe("a child process and its standard streams", () => {
  behavesLikeEveryTransport(async () => {
    const transport = spawnHost({
      command: process.execPath,
      args: [join(ROOT, "test/fixtures/wire/child.mjs")],
      shutdownTimeoutMs: 1_000,
    });
    return { transport, crash: () => transport.kill("SIGKILL") };
  });
});

describe("a WebSocket", () => {
  let listener: WebSocketListener;
  const far: (() => void)[] = [];

  beforeAll(async () => {
    listener = await listenWebSocket({
      limitBytes: LIMIT,
      onConnection: (transport, request) => {
        behave(new Peer(transport, { limitBytes: LIMIT, drainTimeoutMs: 100 }));
        far.push(() => request.socket.destroy());
      },
    });
  });

  afterAll(() => listener.close());

  behavesLikeEveryTransport(async () => {
    const transport = await connectWebSocket(listener.url);
    return { transport, crash: () => far.at(-1)?.() };
  });
});
