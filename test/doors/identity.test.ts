/** Who may come in, at every door. */
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { Workspaces } from "../../src/commands/index.js";
import {
  byTokens,
  type DoorsOptions,
  type Identity,
  readTokens,
  serveDoors,
  tokenRow,
} from "../../src/doors/index.js";
import { connectWebSocket } from "../../src/wire/node.js";
import {
  type Addresses,
  counted,
  mcpClient,
  mcpDoor,
  openDoors,
  post,
  request,
  restDoor,
  tokenOf,
  webSocketDoor,
} from "../support/doors.js";
import { stdioClient } from "../support/stdio-client.js";
import { appOf } from "../support/workspace-app.js";

const PUBLISH = { workspaceId: "w1", type: "apple.fell", commandId: "one" };
const RIGHT = tokenOf("orchard", "ann");

/** What each door answers to a token: its reason, or `in`. */
async function told(at: Addresses, token: string): Promise<readonly string[]> {
  const paths = ["/openapi.json", "/v1/event/list?workspaceId=w1", "/nothing"];
  const reasons: string[] = [];
  for (const path of paths) {
    const { status, json } = await request(at.url + path, { token });
    reasons.push(status === 401 ? String(json["reason"]) : "in");
  }
  const { status, json, headers } = await post(`${at.url}/v1/event/publish`, PUBLISH, {}, token);
  reasons.push(status === 401 ? String(json["reason"]) : "in");
  if (status === 401) expect(headers.get("www-authenticate")).toBe("Bearer");
  reasons.push(
    await webSocketDoor(at, { token }).then(
      async (door) => {
        const outcome = await door.call("event/list", { workspaceId: "w1" });
        return "rejected" in outcome ? outcome.rejected.reason : "in";
      },
      (error: unknown) => (/401/.test(String(error)) ? "unauthenticated" : String(error)),
    ),
    await mcpClient(at, token).then(
      () => "in",
      (error: unknown) => ((error as { code?: number }).code === 401 ? "unauthenticated" : String(error)),
    ),
  );
  return reasons;
}

const OUT = Array.from({ length: 6 }, () => "unauthenticated");
const IN = Array.from({ length: 6 }, () => "in");

describe("a token", () => {
  it("that is known opens every door", async () => {
    expect(await told(await openDoors(appOf()), RIGHT)).toEqual(IN);
  });

  it.each([
    ["missing", ""],
    ["unknown", "0".repeat(32)],
    ["of the right length", `${RIGHT.slice(0, -1)}0`],
    ["with more behind it", `${RIGHT}a`],
    ["cut off", RIGHT.slice(0, -1)],
  ])("%s opens none, and nothing is carried out", async (_what, token) => {
    const { app, carriedOut } = counted(appOf());
    expect(await told(await openDoors(app), token)).toEqual(OUT);
    expect(carriedOut).toEqual([]);
  });

  it.each([
    "Basic abc",
    "Bearer",
    "Bearer a b",
    `Token ${RIGHT}`,
    `Bearer ${RIGHT}, Bearer ${RIGHT}`,
    `bearer=${RIGHT}`,
  ])("is not in the header %s", async (authorization) => {
    const at = await openDoors(appOf());
    const { status } = await request(`${at.url}/openapi.json`, { headers: { authorization } });
    expect(status).toBe(401);
  });

  it("that has expired opens none", async () => {
    const identity = { tenant: "orchard", participant: "ann" };
    const at = await openDoors(appOf(), {
      authenticate: byTokens([
        tokenRow(RIGHT, { ...identity, expiresAtMs: Date.now() - 1 }),
        tokenRow("still.good.for.ever", identity),
      ]),
    });
    expect(await told(at, RIGHT)).toEqual(OUT);
    expect(await told(at, "still.good.for.ever")).toEqual(IN);
  });

  it("that expires while a WebSocket is open ends it", async () => {
    let known = { tenant: "orchard", participant: "ann", expiresAtMs: Number.MAX_SAFE_INTEGER };
    const at = await openDoors(appOf(), {
      authenticate: () => {
        known = { ...known };
        return known;
      },
    });
    const door = await webSocketDoor(at);
    expect(await door.call("event/list", { workspaceId: "w1" })).toHaveProperty("accepted");
    known.expiresAtMs = 1;
    expect(await door.call("event/list", { workspaceId: "w1" })).toMatchObject({
      rejected: { reason: "unauthenticated" },
    });
    expect(await door.peer.closed).toMatchObject({ code: 1008 });
  });
});

describe("a token that expires while its client is there", () => {
  /** Somebody whose token is good until `end` is called. */
  function leaving() {
    let expiresAtMs = Number.MAX_SAFE_INTEGER;
    const identity: Identity = {
      tenant: "orchard",
      participant: "ann",
      get expiresAtMs() {
        return expiresAtMs;
      },
    };
    return { identity, end: () => void (expiresAtMs = 1) };
  }

  it("is refused to the next request of REST and of MCP over HTTP, and nothing is carried out", async () => {
    const { app, carriedOut } = counted(appOf());
    const { identity, end } = leaving();
    const at = await openDoors(app, { authenticate: () => identity });
    const client = await mcpClient(at);
    const mcp = await mcpDoor(app, client);
    const rest = restDoor(app, at);
    for (const door of [rest, mcp])
      expect(await door.call("event/publish", { workspaceId: "w1", type: "t" }, door.name)).toHaveProperty(
        "accepted",
      );
    end();
    expect(await rest.call("event/publish", { workspaceId: "w1", type: "t" }, "late")).toMatchObject({
      rejected: { reason: "unauthenticated" },
    });
    // Its old results are not told either.
    expect(await rest.call("event/publish", { workspaceId: "w1", type: "t" }, "REST")).toMatchObject({
      rejected: { reason: "unauthenticated" },
    });
    await expect(mcp.call("event/publish", { workspaceId: "w1", type: "t" }, "late")).rejects.toMatchObject({
      code: 401,
    });
    await expect(client.listTools()).rejects.toMatchObject({ code: 401 });
    expect(carriedOut).toHaveLength(2);
  });

  it("is refused to the next call over standard streams", async () => {
    const { app, carriedOut } = counted(appOf());
    const workspaces = new Workspaces();
    const expiresAtMs = Date.now() + 1_500;
    const identity = { tenant: "orchard", participant: "ann", expiresAtMs };
    const door = await mcpDoor(app, await stdioClient({ app, workspaces, identity }));
    expect(await door.call("event/publish", { workspaceId: "w1", type: "t" }, "one")).toHaveProperty(
      "accepted",
    );
    while (Date.now() < expiresAtMs) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const id of ["one", "two"])
      expect(await door.call("event/publish", { workspaceId: "w1", type: "t" }, id)).toMatchObject({
        rejected: { reason: "unauthenticated", kind: "unauthenticated", retryable: false },
      });
    expect(carriedOut).toHaveLength(1);
    await workspaces.close();
  });
});

describe("a token in the subprotocol of a WebSocket", () => {
  it("is held to the same: one that is unknown or has expired opens nothing", async () => {
    const identity = { tenant: "orchard", participant: "ann" };
    const at = await openDoors(appOf(), {
      authenticate: byTokens([
        tokenRow(RIGHT, identity),
        tokenRow("no.longer.good.at.all", { ...identity, expiresAtMs: Date.now() - 1 }),
      ]),
    });
    const status = async (token: string): Promise<number> => {
      const socket = new WebSocket(at.webSocketUrl, [`mspkit.token.${token}`]);
      socket.on("error", () => undefined);
      return new Promise((resolve) => {
        socket.on("open", () => {
          socket.terminate();
          resolve(101);
        });
        socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
      });
    };
    expect([
      await status(RIGHT),
      await status("no.longer.good.at.all"),
      await status("0".repeat(32)),
    ]).toEqual([101, 401, 401]);
  });
});

describe("authenticate", () => {
  it("is told the door, the token and the headers, and says who it is", async () => {
    const asked: string[] = [];
    const at = await openDoors(appOf(), {
      authenticate: async ({ door, token, headers }) => {
        asked.push(door);
        return headers["x-badge"] === "7" || token === RIGHT ? { tenant: "t", participant: "p" } : undefined;
      },
    });
    const badge = { "x-badge": "7" };
    const { json } = await post(`${at.url}/v1/event/publish`, PUBLISH, badge, "");
    expect(json).toMatchObject({ status: "accepted" });
    await webSocketDoor(at);
    await mcpClient(at);
    expect(new Set(asked)).toEqual(new Set(["http", "websocket", "mcp"]));
    const events = await request(`${at.url}/v1/event/list?workspaceId=w1`, { token: RIGHT });
    expect(events.json["events"]).toMatchObject([{ publishedBy: "p" }]);
  });

  it("that refuses is believed, with its reason", async () => {
    const at = await openDoors(appOf(), {
      authenticate: () => ({ reason: "forbidden", message: "not today", retryable: false }),
    });
    const { status, json } = await request(`${at.url}/openapi.json`);
    expect([status, json["reason"], json["title"]]).toEqual([403, "forbidden", "not today"]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("the wall fell");
      },
    ],
    ["rejects", () => Promise.reject(new Error("the wall fell"))],
  ])("that %s lets nobody in, and its error is not told", async (_how, authenticate) => {
    const errors: unknown[] = [];
    const at = await openDoors(appOf(), { authenticate, onError: (error) => void errors.push(error) });
    const { status, text } = await request(`${at.url}/v1/event/list?workspaceId=w1`);
    expect(status).toBe(500);
    expect(text).not.toMatch(/wall/);
    expect(errors).toHaveLength(1);
    await expect(connectWebSocket(at.webSocketUrl)).rejects.toThrow(/500/);
  });
});

describe("doors to anybody", () => {
  const open = (options: Partial<DoorsOptions>) =>
    serveDoors({ app: appOf(), workspaces: new Workspaces(), ...options });

  it("are not opened where nothing says who may come in", async () => {
    await expect(open({})).rejects.toMatchObject({ kind: "unguarded" });
  });

  it.each(["0.0.0.0", "::", "example.org", "192.168.1.7", "127.0.0.1.example.org"])(
    "are not opened on %s",
    async (host) => {
      await expect(open({ host, allowAnonymous: true })).rejects.toMatchObject({ kind: "unguarded" });
    },
  );

  it("are opened on the loopback where that is allowed, and a wrong token is still wrong", async () => {
    for (const host of ["127.0.0.1", "localhost", "::1"]) {
      const doors = await open({ host, allowAnonymous: true }).catch((error: { kind?: string }) => error);
      // A machine may have no IPv6.
      if (!("url" in doors)) {
        expect([host, doors.kind]).toEqual(["::1", "addressUnavailable"]);
        continue;
      }
      expect(await request(`${doors.url}/openapi.json`, { token: "" })).toMatchObject({ status: 200 });
      expect(await request(`${doors.url}/openapi.json`, { token: RIGHT })).toMatchObject({ status: 401 });
      await doors.close();
    }
  });

  it("beside tokens know both", async () => {
    const at = await openDoors(appOf(), { allowAnonymous: true });
    expect(await told(at, RIGHT)).toEqual(IN);
    expect(await told(at, "")).toEqual(IN);
    expect(await told(at, "0".repeat(32))).toEqual(OUT);
  });
});

describe("wrong tokens", () => {
  it("are not tried for ever", async () => {
    const at = await openDoors(appOf(), { limits: { failuresPerMinute: 5 } });
    const answers: number[] = [];
    for (let i = 0; i < 8; i++)
      answers.push((await request(`${at.url}/openapi.json`, { token: `${i}`.repeat(20) })).status);
    expect(answers.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
    expect(answers.at(-1)).toBe(429);
    // Whoever guesses does not learn from it that the next guess was right.
    const right = await request(`${at.url}/openapi.json`);
    expect([right.status, right.json["reason"]]).toEqual([429, "rate_limited"]);
    expect(Number(right.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});

describe("a table of tokens", () => {
  it("has tokens, or what stands for them", async () => {
    const sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    const rows = readTokens(
      JSON.stringify([
        { token: RIGHT, tenant: "a", participant: "b", expiresAt: "2999-01-01T00:00:00Z" },
        { sha256, tenant: "c", participant: "d" },
      ]),
    );
    const authenticate = byTokens(rows);
    const known = (token: string) =>
      authenticate({ door: "http", token, headers: {}, remoteAddress: undefined });
    expect(known(RIGHT)).toMatchObject({ tenant: "a", participant: "b", expiresAtMs: Date.UTC(2999, 0) });
    expect(known("test")).toMatchObject({ tenant: "c", participant: "d" });
    expect(known("tesT")).toBeUndefined();
  });

  it.each([
    ["no JSON", `[{"token":"${RIGHT}"`],
    ["no list", "{}"],
    ["no object in it", "[7]"],
    ["a short token", '[{"token":"short","tenant":"a","participant":"b"}]'],
    ["a token with a space", '[{"token":"a token with space","tenant":"a","participant":"b"}]'],
    ["no tenant", `[{"token":"${RIGHT}","participant":"b"}]`],
    ["an empty participant", `[{"token":"${RIGHT}","tenant":"a","participant":""}]`],
    ["no time", `[{"token":"${RIGHT}","tenant":"a","participant":"b","expiresAt":"soon"}]`],
    [
      "a time of no zone",
      `[{"token":"${RIGHT}","tenant":"a","participant":"b","expiresAt":"2027-01-01T00:00"}]`,
    ],
    ["a day for a time", `[{"token":"${RIGHT}","tenant":"a","participant":"b","expiresAt":"2027-01-01"}]`],
    ["a year for a time", `[{"token":"${RIGHT}","tenant":"a","participant":"b","expiresAt":"2027"}]`],
    [
      "a day that is none",
      `[{"token":"${RIGHT}","tenant":"a","participant":"b","expiresAt":"2027-13-01T00:00:00Z"}]`,
    ],
    [
      "a misspelt member",
      `[{"token":"${RIGHT}","tenant":"a","participant":"b","expiresAT":"2027-01-01T00:00:00Z"}]`,
    ],
    ["a member for somebody else", `[{"token":"${RIGHT}","tenant":"a","participant":"b","note":"of ann"}]`],
    ["a number for a time", `[{"token":"${RIGHT}","tenant":"a","participant":"b","expiresAt":7}]`],
    ["no digest", '[{"sha256":"abc","tenant":"a","participant":"b"}]'],
    ["two of one", `[{"token":"${RIGHT}","sha256":"${"a".repeat(64)}","tenant":"a","participant":"b"}]`],
    [
      "one token twice",
      `[{"token":"${RIGHT}","tenant":"a","participant":"b"},{"token":"${RIGHT}","tenant":"c","participant":"d"}]`,
    ],
  ])("with %s is none, and no token is told", (_what, text) => {
    let thrown: unknown;
    try {
      readTokens(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ kind: "malformedTokens" });
    expect(String(thrown)).not.toContain(RIGHT);
  });
});
