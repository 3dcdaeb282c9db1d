/** Requests to change the protocol: who is refused keeps no connection, and another protocol than WebSocket is let be. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDoors, post, request, tokenOf, webSocketDoor } from "../support/doors.js";
import { headOf, rawAnswer, rawSocket } from "../support/raw-http.js";
import { appOf } from "../support/workspace-app.js";

const UPGRADE = [
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];
const H2C = [
  "Connection: Upgrade, HTTP2-Settings",
  "Upgrade: h2c",
  "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk",
];
const PUBLISH = { workspaceId: "w1", type: "apple.fell", commandId: "one" };

/** A connection that is never ended by this side. */
async function halfOpen(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** A request with lines of its own alone. */
function bare(verb: string, path: string, lines: readonly string[], body = ""): string {
  const all = ["Host: 127.0.0.1", `Authorization: Bearer ${tokenOf("orchard", "ann")}`, ...lines];
  return `${verb} ${path} HTTP/1.1\r\n${all.join("\r\n")}\r\n\r\n${body}`;
}

describe("a connection that its client leaves half open", () => {
  it.each([
    [
      "a refused upgrade",
      `GET /socket HTTP/1.1\r\nHost: 127.0.0.1\r\n${UPGRADE.join("\r\n")}\r\n\r\n`,
      "401",
    ],
    ["an upgrade elsewhere", bare("GET", "/elsewhere", UPGRADE), "404"],
    ["what is no request", "nonsense\r\n\r\n", "400"],
  ])("after %s is cut, and makes room for others", async (_what, text, status) => {
    const at = await openDoors(appOf(), { limits: { connections: 5 } });
    const sockets = await Promise.all(Array.from({ length: 5 }, () => halfOpen(at.url)));
    const answers = sockets.map(async (socket) => {
      let answer = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk));
      socket.write(text);
      await once(socket, "end");
      return answer.split(" ")[1];
    });
    expect(await Promise.all(answers)).toEqual(Array(5).fill(status));
    let others: number | undefined;
    while (others === undefined)
      others = await request(at.openApiUrl).then(
        (answer) => answer.status,
        () => undefined, // there is no room yet
      );
    expect(others).toBe(200);
    // This side has ended none of them.
    expect(sockets.map((socket) => socket.writable)).toEqual(Array(5).fill(true));
    await at.close();
  });

  it("while it is not said who asks is cut when the doors are closed", async () => {
    let asked = 0;
    const at = await openDoors(appOf(), {
      limits: { drainMs: 200 },
      authenticate: () => {
        asked++;
        return new Promise(() => undefined);
      },
    });
    const socket = await halfOpen(at.url);
    socket.write(bare("GET", "/socket", UPGRADE));
    while (asked === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await at.close();
    socket.resume();
    await once(socket, "end");
    expect(asked).toBe(1);
  });
});

describe("an upgrade to another protocol than WebSocket", () => {
  it("is answered as a request that asks for none, one after another on one connection", async () => {
    const at = await openDoors(appOf());
    const warnings: string[] = [];
    const warned = ({ name }: Error): void => void warnings.push(name);
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    const socket = await rawSocket(at.url);
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    const total = 30;
    for (let n = 1; n <= total; n++) {
      const body = JSON.stringify({ ...PUBLISH, commandId: `c${n}`, data: { text: "é" } });
      const lines = [...H2C, "Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`];
      const head = bare("POST", "/v1/event/publish", lines);
      // The body comes with its head, or behind it.
      socket.write(n % 2 === 0 ? head + body : head);
      if (n % 2 === 1) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        socket.write(body);
      }
      while (text.split(`"position":${n}`).length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(total);
    expect(socket.destroyed).toBe(false);
    const chunked = bare("POST", "/v1/event/publish", [
      ...H2C,
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    ]);
    const last = JSON.stringify({ ...PUBLISH, commandId: "last" });
    socket.write(`${chunked}${last.length.toString(16)}\r\n${last}\r\n0\r\n\r\n`);
    while (!text.includes(`"position":${total + 1}`)) await new Promise((resolve) => setTimeout(resolve, 2));
    // Nobody listens twice to a socket that was given back.
    expect(warnings).toEqual([]);
    socket.destroy();
  });

  it("is refused as the same request without it, and one for the address of WebSockets is told what is there", async () => {
    const at = await openDoors(appOf());
    for (const [path, token, status, reason] of [
      ["/v1/event/list?workspaceId=w1", "wrong", 401, "unauthenticated"],
      ["/socket", tokenOf("orchard", "ann"), 426, "upgrade_required"],
      ["/elsewhere", tokenOf("orchard", "ann"), 404, "unknown_method"],
    ] as const) {
      const socket = await rawSocket(at.url);
      const answer = rawAnswer(socket);
      socket.write(headOf(`${at.url}${path}`, "GET", H2C, token));
      expect([path, await answer]).toMatchObject([path, { status, json: { reason } }]);
    }
  });

  it("with more lines in its head than can be given back is refused", async () => {
    const at = await openDoors(appOf());
    const socket = await rawSocket(at.url);
    const answer = rawAnswer(socket);
    const many = Array.from({ length: 1_100 }, (_, n) => `x${n}: 1`);
    socket.write(headOf(at.openApiUrl, "GET", [...H2C, ...many]));
    expect(await answer).toMatchObject({ status: 400, json: { reason: "malformed_request" } });
  });

  it("leaves WebSockets as they are", async () => {
    const at = await openDoors(appOf());
    await post(`${at.url}/v1/event/publish`, PUBLISH);
    const door = await webSocketDoor(at);
    expect(await door.call("event/list", { workspaceId: "w1" })).toHaveProperty("accepted");
  });
});
