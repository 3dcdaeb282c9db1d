/** The door of WebSockets: what it tells, and what it bears. */
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import * as validators from "../../generated/workspace/stable/validators.js";
import type { JsonObject } from "../../src/commands/app.js";
import { Peer } from "../../src/wire/index.js";
import { connectWebSocket } from "../../src/wire/node.js";
import {
  type Addresses,
  counted,
  openDoors,
  post,
  request,
  tokenOf,
  webSocketDoor,
} from "../support/doors.js";
import { appOf } from "../support/workspace-app.js";

const TOKEN = tokenOf("orchard", "ann");
const PUBLISH = { workspaceId: "w1", type: "apple.fell" };

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A socket without a peer. */
async function bare({ webSocketUrl }: Addresses, headers: Record<string, string> = {}): Promise<WebSocket> {
  const socket = new WebSocket(webSocketUrl, { headers: { authorization: `Bearer ${TOKEN}`, ...headers } });
  onTestFinished(() => socket.terminate());
  socket.on("error", () => undefined);
  await once(socket, "open");
  return socket;
}

/** What is answered to frames as they are. */
async function answers(
  socket: WebSocket,
  frames: readonly string[],
): Promise<readonly { error?: { code: number } }[]> {
  const got: string[] = [];
  socket.on(
    "message",
    (data) =>
      void got.push(
        ...String(data)
          .split("\n")
          .filter((line) => line !== ""),
      ),
  );
  for (const frame of frames) socket.send(frame);
  await until(() => got.length >= frames.length);
  return got.map((line) => JSON.parse(line));
}

describe("a connection", () => {
  it("hears of a workspace from the first query about it on, and of no other", async () => {
    const at = await openDoors(appOf());
    const door = await webSocketDoor(at);
    await door.call("event/publish", PUBLISH, "1");
    await door.call("event/list", { workspaceId: "w2" });
    await door.call("event/publish", PUBLISH, "2");
    expect(door.notices).toEqual([]);
    const listed = await door.call("event/list", { workspaceId: "w1" });
    expect((listed as { accepted: { events: unknown[] } }).accepted.events).toHaveLength(2);
    // By another door: what changes is told to whoever hears.
    await post(`${at.url}/v1/event/publish`, { ...PUBLISH, commandId: "3" });
    await post(`${at.url}/v1/event/publish`, { ...PUBLISH, workspaceId: "w3", commandId: "4" });
    await post(`${at.url}/v1/event/publish`, { ...PUBLISH, workspaceId: "w2", commandId: "5" });
    await until(() => door.notices.length >= 2);
    expect(door.notices).toMatchObject([
      { method: "event/published", params: { workspaceId: "w1", event: { position: 3 } } },
      { method: "event/published", params: { workspaceId: "w2", event: { position: 1 } } },
    ]);
    for (const { params } of door.notices)
      expect(validators.notifications["event/published"](params)).toBeNull();
  });

  it("misses nothing that changes while it asks", async () => {
    const at = await openDoors(appOf());
    const door = await webSocketDoor(at);
    const total = 30;
    const publishing = (async () => {
      for (let n = 1; n <= total; n++)
        await post(`${at.url}/v1/event/publish`, { ...PUBLISH, commandId: `c${n}` });
    })();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const listed = await door.call("event/list", { workspaceId: "w1" });
    const known = new Set(
      (listed as { accepted: { events: { position: number }[] } }).accepted.events.map(
        ({ position }) => position,
      ),
    );
    await publishing;
    const told = () =>
      door.notices.map(({ params }) => (params as { event: { position: number } }).event.position);
    await until(() => new Set([...known, ...told()]).size === total);
    // One that is in the answer may be told as well; none is lost in between.
    expect([...new Set([...known, ...told()])].sort((a, b) => a - b)).toEqual(
      Array.from({ length: total }, (_, n) => n + 1),
    );
  });

  it("hears no more than it may", async () => {
    const at = await openDoors(appOf(), { limits: { heard: 2 } });
    const door = await webSocketDoor(at);
    for (const workspaceId of ["w1", "w2", "w1"])
      expect(await door.call("event/list", { workspaceId })).toHaveProperty("accepted");
    expect(await door.call("event/list", { workspaceId: "w3" })).toEqual({
      rejected: { kind: "overloaded", reason: "too_many_workspaces", retryable: false, details: { most: 2 } },
    });
  });

  it("that does not read what it is told is ended, and others are not", async () => {
    const at = await openDoors(appOf(), { limits: { bodyBytes: 8_192, perSecond: 1e9 } });
    const socket = await bare(at);
    socket.send(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "event/list", params: { workspaceId: "w1" } }),
    );
    await once(socket, "message");
    socket.pause();
    const data = { text: "x".repeat(7_000) };
    let published = 0;
    const hears = await webSocketDoor(at);
    await hears.call("event/list", { workspaceId: "w1" });
    const closed = once(socket, "close").then(([code]) => code as number);
    let over = false;
    void closed.then(() => (over = true));
    while (!over && published < 5_000) {
      await Promise.all(
        Array.from({ length: 20 }, () =>
          hears.call("event/publish", { ...PUBLISH, data }, `c${published++}`),
        ),
      );
      // Whoever pauses does not see the end either, until it reads on.
      if (published % 1_000 === 0) socket.resume();
    }
    socket.resume();
    expect(await closed).toBe(1013);
    expect(await hears.call("event/list", { workspaceId: "w1", limit: 1 })).toHaveProperty("accepted");
  }, 120_000);

  it("answers what is no request as JSON-RPC has it, and goes on", async () => {
    const socket = await bare(await openDoors(appOf()));
    const got = await answers(socket, [
      "not JSON",
      "[]",
      "{}",
      '{"jsonrpc":"2.0","id":1,"method":"no/such"}',
      '{"jsonrpc":"2.0","id":2,"method":"__proto__","params":{}}',
      '{"jsonrpc":"2.0","id":3,"method":"event/list"}',
      '{"jsonrpc":"2.0","id":4,"method":"event/list","params":[]}',
      '{"jsonrpc":"2.0","id":5,"method":"event/list","params":{"workspaceId":"w1"}}',
    ]);
    expect(got.map(({ error }) => error?.code)).toEqual([
      -32700,
      -32600,
      -32600,
      -32601,
      -32601,
      -32602,
      -32602,
      undefined,
    ]);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  it("with a message over the limit is answered, and with one far over it is ended", async () => {
    const { app, carriedOut } = counted(appOf());
    const at = await openDoors(app, { limits: { bodyBytes: 4_096 } });
    const frame = (size: number) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "event/publish",
        params: { ...PUBLISH, commandId: "c", data: { x: "y".repeat(size) } },
      });
    const socket = await bare(at);
    const [answer] = await answers(socket, [frame(5_000)]);
    expect(answer).toMatchObject({ id: 1, error: { data: { kind: "inputTooLarge", limitBytes: 4_096 } } });
    const ended = once(socket, "close");
    socket.send(frame(20_000));
    expect((await ended)[0]).toBe(1009);
    expect(carriedOut).toEqual([]);
  });

  it("is answered more than it may ask for, and every frame of a message but the one over the limit", async () => {
    const at = await openDoors(appOf(), { limits: { bodyBytes: 4_096 } });
    for (let n = 0; n < 10; n++)
      await post(`${at.url}/v1/event/publish`, {
        ...PUBLISH,
        commandId: `c${n}`,
        data: { text: "x".repeat(3_000) },
      });
    const door = await webSocketDoor(at);
    const listed = await door.call("event/list", { workspaceId: "w1" });
    expect((listed as { accepted: { events: unknown[] } }).accepted.events).toHaveLength(10);
    const frame = (id: number, type: string) =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "event/list", params: { workspaceId: "w1", type } });
    const socket = await bare(at);
    const got: { id: number | null; error?: { data: JsonObject } }[] = [];
    socket.on("message", (data) => {
      for (const line of String(data).split("\n")) if (line !== "") got.push(JSON.parse(line));
    });
    const answerOver = `{"jsonrpc":"2.0","id":9,"result":"${"x".repeat(4_096)}"}`;
    socket.send([frame(1, "a"), frame(2, "b".repeat(5_000)), frame(3, "c")].join("\n"));
    socket.send(`${frame(4, "d")}\r\n"${"x".repeat(4_096)}"\n`);
    socket.send(`${answerOver}\n${frame(5, "e")}`);
    await until(() => got.length === 6);
    const of = (wanted: number | null) => got.filter(({ id }) => id === wanted);
    for (const id of [1, 3, 4, 5]) expect(of(id)).toMatchObject([{ result: { events: [] } }]);
    for (const id of [2, null])
      expect(of(id)).toMatchObject([
        { error: { data: { kind: "inputTooLarge", reason: "payload_too_large", limitBytes: 4_096 } } },
      ]);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  it("that asks too much is told so, and one that sends garbage without end is ended", async () => {
    const at = await openDoors(appOf(), { limits: { perSecond: 0.001, burst: 5 } });
    const door = await webSocketDoor(at); // takes the first
    const told = [];
    for (let n = 0; n < 6; n++) told.push(await door.call("event/list", { workspaceId: "w1" }));
    expect(told.slice(0, 4).every((outcome) => "accepted" in outcome)).toBe(true);
    expect(told.at(-1)).toMatchObject({
      rejected: { reason: "rate_limited", kind: "overloaded", retryable: true },
    });
    const other = await openDoors(appOf(), { limits: { perSecond: 0.001, burst: 5 } });
    const socket = await bare(other);
    const ended = once(socket, "close");
    for (let n = 0; n < 50; n++) socket.send("garbage");
    expect((await ended)[0]).toBe(1008);
  });

  it("is refused where its participant has as many as it may, until one ends", async () => {
    const at = await openDoors(appOf(), { limits: { sockets: 2 }, people: [["orchard", "bob"]] });
    const first = await webSocketDoor(at);
    await webSocketDoor(at);
    await expect(webSocketDoor(at)).rejects.toThrow(/503/);
    await webSocketDoor(at, { token: tokenOf("orchard", "bob") });
    await first.peer.close();
    for (;;) {
      const again = await webSocketDoor(at).catch(() => undefined);
      if (again !== undefined) break;
    }
  });

  it("opens at its own address alone, by a token in a header or a subprotocol", async () => {
    const at = await openDoors(appOf());
    await expect(
      connectWebSocket(`${at.url.replace("http", "ws")}/elsewhere`, { token: TOKEN }),
    ).rejects.toThrow(/404/);
    const socket = new WebSocket(at.webSocketUrl, ["msp", `mspkit.token.${TOKEN}`]);
    await once(socket, "open");
    expect(socket.protocol).toBe(`mspkit.token.${TOKEN}`);
    socket.close();
    // Who asks for it without the words of a WebSocket is told what is there.
    expect((await request(at.webSocketUrl.replace("ws", "http"))).status).toBe(426);
  });

  it("that is closing is answered first", async () => {
    const { app, carriedOut } = counted(appOf());
    const at = await openDoors(app);
    const peer = new Peer(await connectWebSocket(at.webSocketUrl, { token: TOKEN }));
    const asked = peer.request("event/publish", { ...PUBLISH, commandId: "one" });
    await until(() => carriedOut.length === 1);
    await at.close();
    expect(await asked).toMatchObject({ commandId: "one" });
    await peer.closed;
    await expect(connectWebSocket(at.webSocketUrl, { token: TOKEN })).rejects.toThrow();
  });
});
