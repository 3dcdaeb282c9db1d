/** Pages of browsers: which may ask, by their origin and by the name of the server. */
import { describe, expect, it } from "vitest";
import { counted, openDoors, post, problem, request } from "../support/doors.js";
import { headOf, rawAnswer, rawSocket } from "../support/raw-http.js";
import { appOf } from "../support/workspace-app.js";

const PUBLISH = { workspaceId: "w1", type: "apple.fell", commandId: "one" };

async function scene(options: Parameters<typeof openDoors>[1] = {}) {
  const { app, carriedOut } = counted(appOf());
  return { carriedOut, at: await openDoors(app, options) };
}

describe("a page", () => {
  const origin = "https://app.example";

  it("of another origin is refused by every door, before anything is carried out", async () => {
    const { at, carriedOut } = await scene({ origins: [origin] });
    for (const other of [
      "https://evil.example",
      "null",
      "http://app.example",
      "https://app.example:8443",
      "https://app.example.evil",
    ]) {
      const answer = await post(`${at.url}/v1/event/publish`, PUBLISH, { origin: other });
      expect([other, ...problem(answer)]).toEqual([other, 403, "origin_not_allowed"]);
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      const mcp = await post(at.mcpUrl, { jsonrpc: "2.0", id: 1, method: "tools/list" }, { origin: other });
      expect(problem(mcp)).toEqual([403, "origin_not_allowed"]);
      const socket = await rawSocket(at.url);
      socket.write(
        headOf(`${at.url}/socket`, "GET", [
          `Origin: ${other}`,
          "Upgrade: websocket",
          "Connection: Upgrade",
          "Sec-WebSocket-Version: 13",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]),
      );
      expect(await rawAnswer(socket)).toMatchObject({ status: 403, json: { reason: "origin_not_allowed" } });
    }
    expect(carriedOut).toEqual([]);
  });

  it("of an allowed origin may ask, and is told so before", async () => {
    const { at } = await scene({ origins: [origin] });
    const before = await request(`${at.url}/v1/event/publish`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,idempotency-key",
      },
      token: "",
    });
    expect(before.status).toBe(204);
    expect(Object.fromEntries(before.headers)).toMatchObject({
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "POST, OPTIONS",
      vary: "Origin",
    });
    expect(before.headers.get("access-control-allow-headers")).toMatch(/authorization.*idempotency-key/);
    const answer = await post(`${at.url}/v1/event/publish`, PUBLISH, { origin });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
    // Cookies are not taken, so none are asked for.
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    const refused = await post(`${at.url}/v1/event/publish`, PUBLISH, { origin }, "0".repeat(20));
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, origin]);
  });

  it("whose name was made to lead to the loopback is refused by its name", async () => {
    const { at, carriedOut } = await scene();
    for (const host of [
      "evil.example",
      "evil.example:80",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "",
      "a@127.0.0.1",
    ]) {
      const socket = await rawSocket(at.url);
      socket.write(headOf(`${at.url}/v1/event/list?workspaceId=w1`, "GET", [`Host: ${host}`]));
      expect([host, await rawAnswer(socket)]).toMatchObject([
        host,
        { status: 403, json: { reason: "host_not_allowed" } },
      ]);
    }
    for (const host of ["localhost", "localhost:7", "127.0.0.1", "[::1]:8080", "LOCALHOST"]) {
      const socket = await rawSocket(at.url);
      socket.write(headOf(`${at.url}/v1/event/list?workspaceId=w1`, "GET", [`Host: ${host}`]));
      expect([host, await rawAnswer(socket)]).toMatchObject([host, { status: 200 }]);
    }
    expect(carriedOut).toEqual([]);
  });

  it("may use a name that the operator gave the server", async () => {
    const { at } = await scene({ hosts: ["doors.example"] });
    for (const [host, status] of [
      ["doors.example", 200],
      ["other.example", 403],
    ] as const) {
      const socket = await rawSocket(at.url);
      socket.write(headOf(`${at.url}/v1/event/list?workspaceId=w1`, "GET", [`Host: ${host}`]));
      expect([host, (await rawAnswer(socket)).status]).toEqual([host, status]);
    }
  });
});
