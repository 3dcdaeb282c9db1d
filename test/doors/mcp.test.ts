/** The door of MCP, asked by the official client: over streamable HTTP and over standard streams. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { Ajv } from "ajv";
import * as fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { methods } from "../../generated/workspace/stable/tables.js";
import type { App, JsonObject } from "../../src/commands/app.js";
import { Workspaces } from "../../src/commands/index.js";
import { surfaceOf, toolsOf } from "../../src/doors/index.js";
import { counted, mcpClient, openDoors, request, tokenOf, toolOutcome } from "../support/doors.js";
import { stdioClient } from "../support/stdio-client.js";
import { appOf } from "../support/workspace-app.js";
import { contents, scenes } from "../support/workspace-commands.js";
import { samplesOf } from "../support/workspace-samples.js";

type Counted = ReturnType<typeof counted>;
const METHODS = Object.entries(methods);

async function overStdio({ app }: Counted, requireCommandId: boolean): Promise<Client> {
  const workspaces = new Workspaces();
  onTestFinished(() => workspaces.close());
  return stdioClient({ app, workspaces, requireCommandId });
}

async function overHttp({ app }: Counted, requireCommandId: boolean): Promise<Client> {
  return mcpClient(await openDoors(app, { requireCommandId }));
}

const call = async (client: Client, name: string, args: JsonObject) =>
  (await client.callTool({ name, arguments: args })) as CallToolResult;

describe.each([
  ["standard streams", overStdio],
  ["streamable HTTP", overHttp],
] as const)("a client over %s", (_name, connect) => {
  it("lists a tool for each method, and is told how to use them", async () => {
    const client = await connect(counted(appOf()), false);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(
      METHODS.map(([name]) => name.split("/").reverse().join("_")).sort(),
    );
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["publish_event", "give_feedback", "retry_run"]),
    );
    for (const [name, { kind }] of METHODS) {
      const tool = tools.find((listed) => listed.name === name.split("/").reverse().join("_"));
      // Nobody promises that a call without an id may be repeated.
      expect([name, tool?.annotations]).toEqual([name, { readOnlyHint: kind === "query" }]);
      const { properties = {}, required = [] } = tool?.inputSchema ?? {};
      expect([name, Object.hasOwn(properties, "command_id")]).toEqual([name, kind === "command"]);
      expect(required).not.toContain("command_id");
      expect(Object.keys(properties)).not.toContain("commandId");
      expect(tool?.description).toMatch(/\w{3}/);
    }
    const instructions = client.getInstructions() ?? "";
    expect(instructions).toMatch(/each change an id of its own/);
    expect(instructions).toMatch(/same command_id again when you retry/);
  });

  it("calls each tool, and repeats it under one id without another effect", async () => {
    const { app, carriedOut } = counted(appOf());
    const client = await connect({ app, carriedOut }, false);
    await client.listTools(); // from now on it holds results to their schemas
    const { methods: rows } = surfaceOf(app);
    const called = new Set<string>();
    for (const [method, scene] of Object.entries(scenes)) {
      const workspaceId = method.replace("/", "-");
      let ids = 0;
      const ask = async (name: string, params: JsonObject): Promise<JsonObject> => {
        const row = rows.get(name);
        const id = row?.kind === "command" ? { command_id: `setting-${++ids}` } : {};
        const outcome = toolOutcome(await call(client, row?.tool ?? "", { ...params, ...id, workspaceId }));
        if ("rejected" in outcome) throw new Error(`${name}: ${outcome.rejected.reason}`);
        called.add(row?.tool ?? "");
        return outcome.accepted;
      };
      const given = { ...(await scene(ask)), workspaceId, command_id: "one" };
      const before = carriedOut.length;
      const tool = rows.get(method)?.tool ?? "";
      const first = await call(client, tool, given);
      expect(toolOutcome(first)).toMatchObject({ accepted: { commandId: "one", status: "accepted" } });
      expect(JSON.parse((first.content as { text: string }[])[0]!.text)).toEqual(first.structuredContent);
      expect(await call(client, tool, given)).toEqual(first);
      expect(carriedOut.slice(before)).toMatchObject([{ method, commandId: "one" }]);
      called.add(tool);
      const after = await contents(ask);
      const [event] = after["events"] as readonly JsonObject[];
      const [rule] = after["rules"] as readonly JsonObject[];
      const [run] = after["attempts"] as readonly JsonObject[];
      if (event !== undefined) await ask("event/read", { eventId: event["eventId"] as string });
      if (rule !== undefined) await ask("rule/read", { ruleId: rule["ruleId"] as string });
      if (run !== undefined) await ask("run/read", { runId: run["runId"] as string });
    }
    const { tools } = await client.listTools();
    expect([...called].sort()).toEqual(tools.map(({ name }) => name).sort());
  });

  it("is told a rejection as the result of its tool, with a reason", async () => {
    const client = await connect(counted(appOf()), false);
    await client.listTools();
    expect(await call(client, "read_run", { workspaceId: "w1", runId: "none" })).toEqual({
      isError: true,
      content: [{ type: "text", text: "run_not_found: there is no run none" }],
      structuredContent: {
        reason: "run_not_found",
        message: "there is no run none",
        kind: "queryRejected",
        retryable: false,
      },
    });
    const invalid = await call(client, "publish_event", { workspaceId: "w1", type: 7 });
    expect(invalid).toMatchObject({
      isError: true,
      structuredContent: {
        reason: "invalid_params",
        details: { violations: [{ instanceLocation: "/type", keyword: "type" }] },
      },
    });
    // Said wrongly it would be lost, and with it the promise.
    const misnamed = await call(client, "publish_event", { workspaceId: "w1", type: "t", commandId: "one" });
    expect(misnamed).toMatchObject({ isError: true, structuredContent: { reason: "invalid_params" } });
  });

  it("whatever it sends, is answered no error of JSON-RPC that MCP keeps for itself", async () => {
    const client = await connect(counted(appOf()), false);
    let answered = 0;
    const anything = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.constant({}));
    for (const tool of toolsOf(surfaceOf(appOf()), { requireCommandId: false, firstResult: true }).keys()) {
      for (const args of fc.sample(anything, { numRuns: 5, seed: answered })) {
        const result = await call(client, tool, JSON.parse(JSON.stringify(args)) as JsonObject);
        expect(typeof (result.structuredContent as JsonObject)["reason"]).toBe("string");
        answered++;
      }
    }
    expect(answered).toBe(5 * METHODS.length);
    const error = await client
      .callTool({ name: "no_tool", arguments: {} })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: -32602 });
  });

  it("has to give an id where the operator says so, and may then repeat what it likes", async () => {
    const { app, carriedOut } = counted(appOf());
    const client = await connect({ app, carriedOut }, true);
    const { tools } = await client.listTools();
    for (const { name, annotations, inputSchema } of tools) {
      const changes = annotations?.readOnlyHint === false;
      expect([name, annotations?.idempotentHint ?? false]).toEqual([name, changes]);
      expect([name, inputSchema.required?.includes("command_id") ?? false]).toEqual([name, changes]);
    }
    expect(toolOutcome(await call(client, "publish_event", { workspaceId: "w1", type: "t" }))).toMatchObject({
      rejected: { reason: "command_id_missing" },
    });
    expect(carriedOut).toEqual([]);
    expect(client.getInstructions()).toMatch(/without a command_id is refused/);
  });
});

describe("the schemas of the tools", () => {
  it("stand for themselves, and take what the bundle takes", () => {
    const app = appOf();
    const tools = toolsOf(surfaceOf(app), { requireCommandId: true, firstResult: false });
    let taken = 0;
    for (const { tool, method } of tools.values()) {
      const ajv = new Ajv({ strict: false });
      const input = ajv.compile(tool.inputSchema);
      const output = ajv.compile(tool.outputSchema);
      for (const value of samplesOf(method.name, "params", 20, 7)) {
        const { commandId, ...rest } = value;
        expect(input(commandId === undefined ? rest : { ...rest, command_id: commandId })).toBe(true);
        expect(input({ ...rest, workspaceId: 7 })).toBe(false);
        taken++;
      }
      for (const value of samplesOf(method.name, "result", 20, 7)) expect(output(value)).toBe(true);
      expect(output({ reason: "r", message: "m", kind: "k", retryable: false })).toBe(true);
      expect(output({ reason: "r" })).toBe(false);
    }
    expect(taken).toBe(20 * METHODS.length);
  });
});

describe("a client that loses its stream", () => {
  it("asks again by a new request with the same command_id, and nothing changes twice", async () => {
    let begin!: () => void;
    let end!: () => void;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const gate = new Promise<void>((resolve) => (end = resolve));
    const { app: inner, carriedOut } = counted(appOf());
    const app: App = {
      ...inner,
      close: () => inner.close(),
      async open(actor, workspace) {
        const handle = await inner.open(actor, workspace);
        if ("reason" in handle) return handle;
        return {
          ...handle,
          async carryOut(command, context) {
            begin();
            await gate;
            return handle.carryOut(command, context);
          },
        };
      },
    };
    const at = await openDoors(app);
    const args = { workspaceId: "w1", type: "apple.fell", command_id: "one" };
    // A client whose connections are cut in the middle of the call. It connects again, and asks by a new request.
    let cut = new AbortController();
    const requestIds: unknown[] = [];
    const client = new Client({ name: "losing", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL(at.mcpUrl), {
      requestInit: { headers: { authorization: `Bearer ${tokenOf("orchard", "ann")}` } },
      fetch: (url, init) => {
        if (init?.method !== "POST") return fetch(url, init);
        const message = JSON.parse(String(init.body)) as { readonly id?: unknown; readonly method?: string };
        if (message.method === "tools/call") requestIds.push(message.id);
        return fetch(url, { ...init, signal: cut.signal });
      },
    });
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    onTestFinished(() => client.close());
    let failed: unknown;
    // The client's own request outlives the stream that its answer would have come by.
    const controller = new AbortController();
    const lost = client
      .callTool({ name: "publish_event", arguments: args }, undefined, { signal: controller.signal })
      .catch((error: unknown) => (failed = error));
    await begun;
    cut.abort();
    cut = new AbortController();
    const again = call(client, "publish_event", args);
    end();
    const result = await again;
    expect(toolOutcome(result)).toMatchObject({ accepted: { commandId: "one", position: 1 } });
    expect(await call(client, "publish_event", args)).toEqual(result);
    // So does another client.
    expect(await call(await mcpClient(at), "publish_event", args)).toEqual(result);
    controller.abort();
    await lost;
    expect(failed).toBeInstanceOf(Error);
    expect(requestIds).toHaveLength(3);
    expect(new Set(requestIds).size).toBe(3);
    expect(carriedOut).toHaveLength(1);
    const events = await request(`${at.url}/v1/event/list?workspaceId=w1`);
    expect(events.json["events"]).toHaveLength(1);
  });
});

describe("the address of MCP", () => {
  it("has no streams to listen on and no sessions to end", async () => {
    const at = await openDoors(appOf());
    for (const method of ["GET", "DELETE"]) {
      const { status, headers } = await request(at.mcpUrl, {
        method,
        headers: { accept: "text/event-stream" },
      });
      expect([method, status, headers.get("allow")]).toEqual([method, 405, "POST, OPTIONS"]);
    }
  });

  it("takes no batch, which would be many calls at the price of one", async () => {
    const { app, carriedOut } = counted(appOf());
    const at = await openDoors(app);
    const one = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "publish_event", arguments: { workspaceId: "w1", type: "t" } },
    };
    const { status, json } = await request(at.mcpUrl, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify([one, { ...one, id: 2 }]),
    });
    expect([status, json["reason"]]).toEqual([400, "malformed_request"]);
    expect(carriedOut).toEqual([]);
  });
});
