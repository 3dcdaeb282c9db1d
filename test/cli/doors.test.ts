/** `mspkit doors serve`, as it is run: real processes, real stores, the official client of MCP. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { methods } from "../../generated/workspace/stable/tables.js";
import type { JsonObject } from "../../src/commands/app.js";
import { migratePostgres } from "../../src/commands/node.js";
import { mspkit } from "../support/cli.js";
import { MSPKIT } from "../support/conversation.js";
import {
  type FrontDoor,
  frontDoors,
  mcpClient,
  post,
  request,
  toolOutcome,
  webSocketDoor,
} from "../support/doors.js";
import { doorsProcess } from "../support/doors-process.js";
import { hasPostgres, startPostgres, type TestPostgres } from "../support/postgres.js";
import { slowApp } from "../support/slow-app.js";
import { appOf } from "../support/workspace-app.js";
import { type Ask, contents, scenes, sizes } from "../support/workspace-commands.js";

const TOKEN = "a-token-for-the-tests";
const WORDS = ["--token", `orchard/ann=${TOKEN}`];
const PUBLISH = { workspaceId: "w1", type: "apple.fell" };
const COMMANDS = Object.entries(methods)
  .filter(([, { commandId }]) => commandId === "required")
  .map(([name]) => name);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mspkit-doors-"));
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe("mspkit doors serve", () => {
  it("serves the example at every door, prints where, and ends in order", async () => {
    const doors = await doorsProcess(WORDS);
    expect(doors.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await request(`${doors.url}/openapi.json`, { token: TOKEN })).json["openapi"]).toMatch(/^3\.1/);
    const all = await frontDoors(appOf(), doors, TOKEN);
    const outcome = await (all[0] as FrontDoor).call("event/publish", PUBLISH, "one");
    expect(outcome).toMatchObject({ accepted: { position: 1 } });
    for (const door of all) expect(await door.call("event/publish", PUBLISH, "one")).toEqual(outcome);
    expect((await request(`${doors.url}/openapi.json`, { token: "" })).status).toBe(401);
    expect(await doors.end("SIGTERM")).toBe(0);
    expect(doors.stderr()).toMatch(/"message":"serving"[\s\S]*"message":"ended"/);
    expect(doors.stderr()).not.toContain(TOKEN);
  });

  it("answers a command that runs when it is asked to end, and refuses what comes then", async () => {
    const doors = await doorsProcess([...WORDS, "--app", slowApp(folder)]);
    const asked = post(`${doors.url}/v1/event/publish`, { ...PUBLISH, commandId: "one" }, {}, TOKEN);
    while (!doors.stderr().includes("carrying out")) await new Promise((resolve) => setTimeout(resolve, 5));
    const ended = doors.end("SIGTERM");
    expect((await asked).json).toEqual({ commandId: "one", store: "memory" });
    expect(await ended).toBe(0);
    expect(doors.stderr()).toMatch(/asked to end[\s\S]*the application is closed[\s\S]*"ended"/);
  });

  it.each([
    ["nobody could come in", [], 2, /nobody could come in/],
    [
      "anybody could come in from elsewhere",
      ["--allow-anonymous", "--listen", "http://0.0.0.0:0"],
      2,
      /loopback/,
    ],
    ["an address that is none", [...WORDS, "--listen", "ws://127.0.0.1:0"], 2, /--listen/],
    ["a store that is none", [...WORDS, "--store", "cellar:7"], 2, /--store/],
    ["a short token", ["--token", "a/b=short"], 2, /at least 16/],
    ["a token of nobody", ["--token", "0123456789abcdef"], 2, /TENANT\/PARTICIPANT/],
    ["a word that is none", [...WORDS, "--identity", "any"], 2, /first-result or checked/],
    ["two retentions", [...WORDS, "--keep-newest", "1", "--keep-ms", "1"], 2, /exclude/],
    ["one token stands for two", [...WORDS, "--token", `orchard/bob=${TOKEN}`], 2, /stands for two/],
    ["a host has a port", [...WORDS, "--host", "name:8080"], 2, /--host: "name:8080"/],
    ["an origin has a path", [...WORDS, "--origin", "https://app.example/"], 2, /--origin: "https/],
    ["an origin is a name", [...WORDS, "--origin", "app.example"], 2, /--origin: "app/],
    ["an origin has capitals", [...WORDS, "--origin", "https://App.example"], 2, /--origin: "https/],
    ["no file of tokens", ["--tokens", "/no/such/file"], 3, /cannot be read/],
    ["no module", [...WORDS, "--app", "./none.mjs"], 3, /cannot be loaded/],
  ] as const)("is not run where %s", async (_what, words, code, message) => {
    const run = await mspkit(["doors", "serve", ...words], { cwd: folder });
    expect([run.code, run.stdout]).toEqual([code, ""]);
    expect(run.stderr).toMatch(message);
    expect(run.stderr).not.toContain("0123456789abcdef");
  });

  it("does not take the place of another", async () => {
    const first = await doorsProcess(WORDS);
    const run = await mspkit(["doors", "serve", ...WORDS, "--listen", first.url]);
    expect(run.code).toBe(3);
    expect(run.stderr).toMatch(/cannot be had/);
  });

  it("reads who may come in from a file", async () => {
    const file = join(folder, "tokens.json");
    writeFileSync(
      file,
      JSON.stringify([
        { token: TOKEN, tenant: "orchard", participant: "ann" },
        {
          token: "a-token-that-was-good",
          tenant: "orchard",
          participant: "bob",
          expiresAt: "2020-01-01T00:00:00Z",
        },
      ]),
    );
    const doors = await doorsProcess(["--tokens", file]);
    const status = async (token: string) => (await request(`${doors.url}/openapi.json`, { token })).status;
    expect([await status(TOKEN), await status("a-token-that-was-good")]).toEqual([200, 401]);
    // Somebody who stands on the command line as well would be one of two.
    const both = await mspkit(["doors", "serve", "--tokens", file, "--token", `orchard/bob=${TOKEN}`]);
    expect([both.code, both.stderr.includes(TOKEN)]).toEqual([3, false]);
    expect(both.stderr).toMatch(/stands for somebody already/);
    writeFileSync(file, `[{"token":"${TOKEN}"}]`);
    const run = await mspkit(["doors", "serve", "--tokens", file]);
    expect([run.code, run.stderr.includes(TOKEN)]).toEqual([3, false]);
  });
});

describe("MCP over standard streams", () => {
  it.each([
    ["no token", {}],
    ["an unknown token", { MSPKIT_TOKEN: "a-token-of-nobody-here" }],
    ["a token that has expired", { MSPKIT_TOKEN: "a-token-that-was-good" }],
  ])("is not served for %s", async (_what, env) => {
    const file = join(folder, "tokens.json");
    const expired = { token: "a-token-that-was-good", expiresAt: "2020-01-01T00:00:00Z" };
    const rows = [{ token: TOKEN }, expired].map((row) => ({
      ...row,
      tenant: "orchard",
      participant: "ann",
    }));
    writeFileSync(file, JSON.stringify(rows));
    const run = await mspkit(["doors", "serve", "--tokens", file, "--mcp", "stdio"], { env });
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toMatch(/MSPKIT_TOKEN/);
    expect(run.stderr).not.toContain("a-token-");
  });

  async function client(words: readonly string[], env: Record<string, string>): Promise<Client> {
    const made = new Client({ name: "test", version: "1" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MSPKIT, "doors", "serve", "--mcp", "stdio", ...words],
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stderr: "pipe",
    });
    await made.connect(transport as Parameters<Client["connect"]>[0]);
    onTestFinished(() => made.close());
    return made;
  }

  it("serves whoever started it, and outlives nobody", async () => {
    const mcp = await client(["--allow-anonymous"], {});
    const { tools } = await mcp.listTools();
    expect(tools).toHaveLength(Object.keys(methods).length);
    expect(mcp.getInstructions()).toMatch(/same command_id again/);
    const args = { ...PUBLISH, command_id: "one" };
    const call = async () =>
      (await mcp.callTool({ name: "publish_event", arguments: args })) as CallToolResult;
    const first = await call();
    expect(toolOutcome(first)).toMatchObject({ accepted: { position: 1 } });
    expect(await call()).toEqual(first);
    await mcp.close(); // waits for its end
  });

  it("whose process is killed is asked again by a new request to another, and nothing changes twice", async () => {
    const words = ["--allow-anonymous", "--store", `sqlite:${join(folder, "doors.db")}`];
    const publish = { name: "publish_event", arguments: { ...PUBLISH, command_id: "one" } };
    const first = await client(words, {});
    const result = await first.callTool(publish);
    process.kill((first.transport as unknown as StdioClientTransport).pid as number, "SIGKILL");
    const second = await client(words, {});
    // So that the request has another id as well.
    await second.listTools();
    expect(await second.callTool(publish)).toEqual(result);
    const { structuredContent } = await second.callTool({
      name: "list_event",
      arguments: { workspaceId: "w1" },
    });
    expect((structuredContent as JsonObject)["events"]).toHaveLength(1);
  });

  it("shares ids and results with the other doors of its process", async () => {
    const port = 20_000 + (process.pid % 20_000);
    const mcp = await client([...WORDS, "--listen", `http://127.0.0.1:${port}`], { MSPKIT_TOKEN: TOKEN });
    const outcome = toolOutcome(
      (await mcp.callTool({
        name: "publish_event",
        arguments: { ...PUBLISH, command_id: "one" },
      })) as CallToolResult,
    );
    const { json } = await post(
      `http://127.0.0.1:${port}/v1/event/publish`,
      { ...PUBLISH, commandId: "one" },
      {},
      TOKEN,
    );
    expect({ accepted: json }).toEqual(outcome);
    expect(json["position"]).toBe(1);
    expect((await request(`http://127.0.0.1:${port}/mcp`, { method: "POST", token: TOKEN })).status).toBe(
      404,
    );
  });
});

/** Asks by a door, each command under an id of its own. */
function asking(door: FrontDoor, workspaceId: string): Ask {
  let ids = 0;
  return async (method, params) => {
    const id = COMMANDS.includes(method) ? `setting-${++ids}` : undefined;
    const outcome = await door.call(method, { ...params, workspaceId }, id);
    if ("rejected" in outcome) throw new Error(`${method}: ${JSON.stringify(outcome.rejected)}`);
    return outcome.accepted;
  };
}

/** Every command once by every door of two processes, in turn and at once. */
async function everyCommandOnce(store: string): Promise<void> {
  const app = appOf();
  const processes = [
    await doorsProcess([...WORDS, "--store", store]),
    await doorsProcess([...WORDS, "--store", store]),
  ];
  const doors = (await Promise.all(processes.map((at) => frontDoors(app, at, TOKEN)))).flat();
  expect(doors).toHaveLength(8);
  let sent = 0;
  expect(COMMANDS.length).toBeGreaterThanOrEqual(9);
  for (const method of COMMANDS) {
    /** What is in a workspace before the command, and the command. */
    const sceneIn = async (workspaceId: string) => {
      const ask = asking(doors[0] as FrontDoor, workspaceId);
      const given = await (scenes[method] as (ask: Ask) => Promise<JsonObject>)(ask);
      return { ask, params: { ...given, workspaceId } };
    };
    const alone = await sceneIn(`${method.replace("/", ".")}-alone`);
    await (doors[0] as FrontDoor).call(method, alone.params, "one");
    const once = sizes(await contents(alone.ask));
    for (const together of [false, true]) {
      const { ask, params } = await sceneIn(`${method.replace("/", ".")}-${together}`);
      const send = (door: FrontDoor) => {
        sent++;
        return door.call(method, params, "one");
      };
      const outcomes = [];
      if (together) outcomes.push(...(await Promise.all(doors.map(send))));
      else for (const door of doors) outcomes.push(await send(door));
      expect([method, outcomes[0]]).toMatchObject([
        method,
        { accepted: { commandId: "one", status: "accepted" } },
      ]);
      for (const outcome of outcomes) expect([method, outcome]).toEqual([method, outcomes[0]]);
      // One effect: what there is of it is what there is where it was sent once, and stays when it is sent again.
      const after = await contents(ask);
      expect([method, together, sizes(after)]).toEqual([method, together, once]);
      for (const door of doors) expect(await send(door)).toEqual(outcomes[0]);
      expect(await contents(ask)).toEqual(after);
    }
  }
  expect(sent).toBe(COMMANDS.length * 2 * 16);
}

describe("two processes on one SQLite file", () => {
  it("carry every command of the bundle out once, whichever door it comes in by", async () => {
    await everyCommandOnce(`sqlite:${join(folder, "doors.db")}`);
  }, 240_000);

  it("remember over a restart what they answered", async () => {
    const store = `sqlite:${join(folder, "doors.db")}`;
    const first = await doorsProcess([...WORDS, "--store", store]);
    const { json } = await post(`${first.url}/v1/event/publish`, { ...PUBLISH, commandId: "one" }, {}, TOKEN);
    await first.end("SIGKILL");
    const second = await doorsProcess([...WORDS, "--store", store]);
    expect(
      (await post(`${second.url}/v1/event/publish`, { ...PUBLISH, commandId: "one" }, {}, TOKEN)).json,
    ).toEqual(json);
  });

  it("tell at one what changes by the other", async () => {
    const store = `sqlite:${join(folder, "doors.db")}`;
    const [one, other] = [
      await doorsProcess([...WORDS, "--store", store]),
      await doorsProcess([...WORDS, "--store", store]),
    ];
    const door = await webSocketDoor(one, { token: TOKEN });
    await door.call("event/list", { workspaceId: "w1" });
    const mcp = await mcpClient(other, TOKEN);
    await mcp.callTool({ name: "publish_event", arguments: { ...PUBLISH, command_id: "one" } });
    while (door.notices.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(door.notices[0]).toMatchObject({ method: "event/published", params: { event: { position: 1 } } });
  });
});

describe.skipIf(!hasPostgres)("two processes on one PostgreSQL", () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.remove());

  it("carry every command of the bundle out once, whichever door it comes in by", async () => {
    const url = await postgres.database();
    await migratePostgres(url);
    await everyCommandOnce(url);
  }, 240_000);

  it("are not started on a database that was not prepared", async () => {
    const run = await mspkit(["doors", "serve", ...WORDS, "--store", await postgres.database()], {
      timeout: 20_000,
    });
    expect(run.code).toBe(3);
    expect(run.stderr).toMatch(/migrate/);
  });
});
