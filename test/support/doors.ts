/** Front doors of an application, each asked as its clients ask, and what came of it in one form. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished } from "vitest";
import type { App, JsonObject, WorkspaceHandle } from "../../src/commands/app.js";
import { Workspaces, type WorkspacesOptions } from "../../src/commands/index.js";
import {
  byTokens,
  type Doors,
  type DoorsOptions,
  type Identity,
  openApiDocument,
  serveDoors,
  surfaceOf,
  tokenRow,
} from "../../src/doors/index.js";
import { Peer } from "../../src/wire/index.js";
import { connectWebSocket } from "../../src/wire/node.js";
import { document, holdToDocument } from "./documented.js";
import { stdioClient } from "./stdio-client.js";

/** What came of something that was asked: the same members at every door. */
export type Outcome =
  | { readonly accepted: JsonObject }
  | { readonly rejected: JsonObject & { readonly reason: string } };

/** A front door. */
export interface FrontDoor {
  readonly name: string;
  /** Asks; `id` undefined: without a command id. */
  call(method: string, params: JsonObject, id?: unknown): Promise<Outcome>;
}

/** Where doors are. */
export interface Addresses {
  readonly url: string;
  readonly webSocketUrl: string;
  readonly mcpUrl: string;
  /** Behind them, where they are of this process. */
  readonly workspaces?: Workspaces;
}

/** The token of a test for somebody. */
export function tokenOf(tenant: string, participant: string): string {
  return `token-of.${Buffer.from(JSON.stringify([tenant, participant])).toString("hex")}`;
}

/** Who a token of {@link tokenOf} stands for. */
function identityOf(token: string): Identity {
  const [tenant, participant] = JSON.parse(
    Buffer.from(token.slice("token-of.".length), "hex").toString(),
  ) as [string, string];
  return { tenant, participant };
}

/** Opens the doors of an application to `orchard/ann`, and whoever else is named; closed after the test. */
export async function openDoors(
  app: App,
  {
    people = [],
    commands = {},
    ...options
  }: Partial<DoorsOptions> & {
    readonly people?: readonly (readonly [tenant: string, participant: string])[];
    readonly commands?: WorkspacesOptions;
  } = {},
): Promise<Doors & Addresses> {
  const workspaces = new Workspaces(commands);
  const rows = [["orchard", "ann"] as const, ...people].map(([tenant, participant]) =>
    tokenRow(tokenOf(tenant, participant), { tenant, participant }),
  );
  const doors = await serveDoors({
    app,
    workspaces,
    authenticate: byTokens(rows),
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  onTestFinished(async () => {
    await doors.close();
    await workspaces.close();
  });
  const firstResult = workspaces.identity === "first-result";
  document(doors.url, openApiDocument(surfaceOf(app), { anonymous: false, firstResult }));
  return { ...doors, workspaces } as Doors & Addresses;
}

/** A request by REST, as it is; the answer is held to the document of the doors. */
export async function request(
  url: string,
  { token = tokenOf("orchard", "ann"), ...init }: RequestInit & { readonly token?: string | undefined } = {},
): Promise<{
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: JsonObject;
}> {
  const headers = new Headers(init.headers);
  if (token !== "" && !headers.has("authorization")) headers.set("authorization", `Bearer ${token}`);
  const response = await fetch(url, { ...init, headers });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  const json = isJson ? (JSON.parse(text) as JsonObject) : {};
  holdToDocument(url, init.method ?? "GET", { status: response.status, json });
  return { status: response.status, headers: response.headers, text, json };
}

/** A POST of JSON. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}, token?: string) {
  return request(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    token,
  });
}

/** The status and the reason of a problem, which is what RFC 9457 says, with the status that was answered. */
export function problem({
  status,
  headers,
  json,
}: Awaited<ReturnType<typeof request>>): readonly [number, unknown] {
  expect(headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect(json).toMatchObject({ status, type: `urn:mspkit:problem:${String(json["reason"])}` });
  expect(typeof json["title"]).toBe("string");
  return [status, json["reason"]];
}

/** A problem in the form of all doors. */
export function outcomeOf({ status, json }: { readonly status: number; readonly json: JsonObject }): Outcome {
  if (status === 200) return { accepted: json };
  const { type: _, title: __, status: ___, ...rejected } = json;
  return { rejected: rejected as JsonObject & { readonly reason: string } };
}

/** REST. The id goes in the body, or in the header. */
export function restDoor(
  app: App,
  { url }: Addresses,
  { token, header = false }: { readonly token?: string; readonly header?: boolean } = {},
): FrontDoor {
  const { methods } = surfaceOf(app);
  return {
    name: header ? "REST with a header" : "REST",
    async call(name, params, id) {
      const method = methods.get(name);
      if (method?.flat !== undefined) {
        const query = new URLSearchParams(
          Object.entries(params).map(([member, value]): [string, string] => [member, String(value)]),
        );
        return outcomeOf(await request(`${url}${method.path}?${query}`, { token }));
      }
      const path = method?.path ?? `/v1/${name}`;
      if (header && typeof id === "string")
        return outcomeOf(await post(url + path, params, { "idempotency-key": id }, token));
      return outcomeOf(
        await post(url + path, id === undefined ? params : { ...params, commandId: id }, {}, token),
      );
    },
  };
}

/** A WebSocket, and its notifications. */
export async function webSocketDoor(
  { webSocketUrl }: Addresses,
  { token = tokenOf("orchard", "ann") }: { readonly token?: string } = {},
): Promise<FrontDoor & { readonly peer: Peer; readonly notices: { method: string; params: unknown }[] }> {
  const peer = new Peer(
    await connectWebSocket(webSocketUrl, { ...(token === "" ? {} : { token }), limitBytes: 1 << 24 }),
  );
  const notices: { method: string; params: unknown }[] = [];
  peer.onNotification((method, params) => void notices.push({ method, params }));
  onTestFinished(() => peer.close());
  return {
    name: "WebSocket",
    peer,
    notices,
    async call(method, params, id) {
      try {
        const result = await peer.request(method, id === undefined ? params : { ...params, commandId: id });
        return { accepted: result as JsonObject };
      } catch (error) {
        const { data } = error as { readonly data?: JsonObject };
        if (data === undefined) throw error;
        return { rejected: data as JsonObject & { readonly reason: string } };
      }
    },
  };
}

/** A client of MCP over streamable HTTP; closed after the test. */
export async function mcpClient({ mcpUrl }: Addresses, token = tokenOf("orchard", "ann")): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(mcpUrl), {
    requestInit: { headers: token === "" ? {} : { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  onTestFinished(() => client.close());
  return client;
}

/** MCP, by whatever client. */
export async function mcpDoor(app: App, client: Client, name = "MCP"): Promise<FrontDoor> {
  const { methods } = surfaceOf(app);
  await client.listTools(); // so that results are held to their schemas
  return {
    name,
    async call(method, params, id) {
      const tool = methods.get(method)?.tool ?? method;
      const args = id === undefined ? params : { ...params, command_id: id };
      return toolOutcome((await client.callTool({ name: tool, arguments: args })) as CallToolResult);
    },
  };
}

/** The result of a tool in the form of all doors. */
export function toolOutcome({ isError, structuredContent }: CallToolResult): Outcome {
  if (isError !== true) return { accepted: structuredContent as JsonObject };
  const { message: _, ...rejected } = structuredContent as JsonObject;
  return { rejected: rejected as JsonObject & { readonly reason: string } };
}

/** All front doors for one participant; that of standard streams where the doors are of this process. */
export async function frontDoors(
  app: App,
  at: Addresses,
  token = tokenOf("orchard", "ann"),
): Promise<readonly FrontDoor[]> {
  return [
    restDoor(app, at, { token }),
    restDoor(app, at, { token, header: true }),
    await webSocketDoor(at, { token }),
    await mcpDoor(app, await mcpClient(at, token)),
    ...(at.workspaces === undefined
      ? []
      : [
          await mcpDoor(
            app,
            await stdioClient({ app, workspaces: at.workspaces, identity: identityOf(token) }),
            "MCP over standard streams",
          ),
        ]),
  ];
}

/** A command that an application was given to carry out. */
export interface CarriedOut {
  readonly method: string;
  readonly commandId: string;
  readonly params: JsonObject;
}

/** The application with its commands counted, as they reach it. */
export function counted(app: App): { readonly app: App; readonly carriedOut: CarriedOut[] } {
  const carriedOut: CarriedOut[] = [];
  return {
    carriedOut,
    app: {
      bundle: app.bundle,
      close: () => app.close(),
      async open(actor, workspace) {
        const handle = await app.open(actor, workspace);
        if ("reason" in handle) return handle;
        const { tenant, participant } = handle;
        const wrapped: WorkspaceHandle = {
          tenant,
          workspace: handle.workspace,
          participant,
          carryOut(command, context) {
            carriedOut.push({ ...command, commandId: context.commandId });
            return handle.carryOut(command, context);
          },
          query: (method, params) => handle.query(method, params),
          subscribe: (listener) => handle.subscribe(listener),
        };
        return wrapped;
      },
    },
  };
}
