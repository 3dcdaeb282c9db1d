import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { Peer } from "../../src/wire/index.js";
import { connectWebSocket, listenWebSocket, type WebSocketListenOptions } from "../../src/wire/node.js";
import { behave } from "../fixtures/wire/behave.mjs";

async function listening(options: Partial<WebSocketListenOptions> = {}): Promise<string> {
  const listener = await listenWebSocket({
    onConnection: (transport) => behave(new Peer(transport, { drainTimeoutMs: 50 })),
    ...options,
  });
  onTestFinished(() => listener.close());
  return listener.url;
}

/** A socket without a transport, to send what no peer would. */
async function raw(
  url: string,
  options: object = {},
): Promise<{ socket: WebSocket; next: () => Promise<unknown> }> {
  const socket = new WebSocket(url, options);
  const got: unknown[] = [];
  const waiting: ((value: unknown) => void)[] = [];
  socket.on("message", (data) => {
    for (const line of String(data)
      .split("\n")
      .filter((text) => text !== "")) {
      const take = waiting.shift();
      if (take === undefined) got.push(JSON.parse(line));
      else take(JSON.parse(line));
    }
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return {
    socket,
    next: () =>
      got.length > 0 ? Promise.resolve(got.shift()) : new Promise((resolve) => waiting.push(resolve)),
  };
}

const ECHO = '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"n":1}}';
const ANSWER = { jsonrpc: "2.0", id: 1, result: { params: { n: 1 } } };

describe("a message of a WebSocket", () => {
  it("is a frame with or without its line end, or several, as text or as bytes", async () => {
    const { socket, next } = await raw(await listening());
    for (const data of [ECHO, `${ECHO}\n`, `${ECHO}\r\n`, Buffer.from(ECHO)]) {
      socket.send(data);
      expect(await next()).toEqual(ANSWER);
    }
    socket.send(`${ECHO}\n${ECHO}`);
    expect([await next(), await next()]).toEqual([ANSWER, ANSWER]);
    socket.close();
  });

  it("that is not UTF-8 is refused, and the connection goes on", async () => {
    const { socket, next } = await raw(await listening());
    socket.send(Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]), {
      binary: false,
    });
    expect(await next()).toMatchObject({ id: null, error: { code: -32700 } });
    socket.send(ECHO);
    expect(await next()).toEqual(ANSWER);
    socket.close();
  });

  it("that is far over the limit ends its connection with 1009", async () => {
    const { socket } = await raw(await listening({ limitBytes: 1_000 }));
    const code = new Promise((resolve) => socket.once("close", resolve));
    socket.send("x".repeat(3_000));
    expect(await code).toBe(1009);
  });
});

describe("a listener", () => {
  it("tells the address that it took, with the path", async () => {
    expect(await listening()).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    const url = await listening({ path: "/msp" });
    expect(url).toMatch(/:\d+\/msp$/);
    const { socket } = await raw(url);
    socket.close();
    await expect(raw(url.replace("/msp", "/other"))).rejects.toThrow("400");
  });

  it("refuses pages of origins that it was not told of, and lets programs in", async () => {
    const url = await listening({ origins: ["http://127.0.0.1:8080"] });
    await expect(raw(url, { origin: "https://evil.example" })).rejects.toThrow("403");
    for (const options of [{}, { origin: "http://127.0.0.1:8080" }]) {
      const { socket, next } = await raw(url, options);
      socket.send(ECHO);
      expect(await next()).toEqual(ANSWER);
      socket.close();
    }
  });

  it("says that an address is taken", async () => {
    const port = Number(new URL(await listening()).port);
    await expect(listenWebSocket({ port, onConnection: () => undefined })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });
});

describe("a connection", () => {
  it("that is refused rejects", async () => {
    const url = await listening();
    const { port } = new URL(url);
    await expect(connectWebSocket(`ws://127.0.0.1:${port === "1" ? 2 : 1}`)).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });
  });

  it("that is closed with a code of trouble says so", async () => {
    const listener = await listenWebSocket({
      limitBytes: 100,
      onConnection: (transport) => void new Peer(transport),
    });
    onTestFinished(() => listener.close());
    const peer = new Peer(await connectWebSocket(listener.url));
    await expect(peer.request("a", { a: "x".repeat(300) })).rejects.toMatchObject({
      kind: "outcomeUnknown",
      cause: { kind: "webSocketClosed", code: 1009 },
    });
  });
});
