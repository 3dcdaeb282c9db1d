/** A server of MCP for one participant: the tools of the bundle, and how to use them. */
import type { CallToolResult, ListToolsResult } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject, Rejection } from "../../commands/app.js";
import type { Desk } from "../desk.js";
import type { Identity } from "../identity/authenticate.js";
import { type AskedFor, refusal, rejectionData } from "../reasons.js";
import { COMMAND_ID, type Surface } from "../surface.js";
import type { McpSdk } from "./sdk.js";
import { COMMAND_ID_ARGUMENT, type MethodTool, toolsOf } from "./tools.js";

/** What servers are made of. */
export interface McpOptions {
  readonly sdk: McpSdk;
  readonly desk: Desk;
  /** Whether a command has to have an id. Default: without one, a new one is minted for every call. */
  readonly requireCommandId?: boolean;
}

/** Makes servers, one for each connection or request. */
export type McpServers = (
  identity: Identity,
  allow?: () => Rejection | undefined,
) => InstanceType<McpSdk["Server"]>;

/**
 * Makes what makes servers. `allow` of a server is asked before each call; its rejection is the answer.
 * @throws {DoorError} where the bundle has no tools
 */
export function mcpServers({ sdk, desk, requireCommandId = false }: McpOptions): McpServers {
  const { surface } = desk;
  const tools = toolsOf(surface, { requireCommandId, firstResult: desk.firstResult });
  const list = { tools: [...tools.values()].map(({ tool }) => tool) } as unknown as ListToolsResult;
  const { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } = sdk.types;
  return (identity, allow) => {
    const server = new sdk.Server(
      { name: surface.name, title: surface.title, version: String(surface.version) },
      { capabilities: { tools: {} }, instructions: instructionsOf(surface, requireCommandId) },
    );
    server.setRequestHandler(ListToolsRequestSchema, () => list);
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      const tool = tools.get(params.name);
      if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `there is no tool ${params.name}`);
      const rejection = allow?.();
      if (rejection !== undefined) return failed(rejection, { asked: "query" });
      return call(desk, identity, tool, (params.arguments ?? {}) as JsonObject, !requireCommandId);
    });
    return server;
  };
}

/** What a client is asked to do. */
export function instructionsOf({ title, description }: Surface, requireCommandId: boolean): string {
  const without = requireCommandId
    ? `A call without a ${COMMAND_ID_ARGUMENT} is refused.`
    : `A call without a ${COMMAND_ID_ARGUMENT} is carried out every time.`;
  return [
    description === undefined ? `${title}.` : `${title}. ${description}`,
    `Give each change an id of its own in the argument ${COMMAND_ID_ARGUMENT}, such as a new UUID of version 7, and give the same ${COMMAND_ID_ARGUMENT} again when you retry it: whatever was lost on the way, it is carried out once, and you are told its first result. ${without}`,
    "Never use an id again for another change. A request id of MCP does not serve, since a retry is a new request.",
    "A tool that fails says why in structuredContent: branch on `reason`; where `retryable` is true, call again with the same id.",
  ].join("\n\n");
}

async function call(
  desk: Desk,
  actor: Identity,
  { method, wrapped }: MethodTool,
  given: JsonObject,
  mint: boolean,
): Promise<CallToolResult> {
  const asked = method.kind === "query" ? "query" : "command";
  let params = given;
  if (method.kind === "command") {
    // What would be dropped otherwise, and with it the promise.
    if (Object.hasOwn(given, COMMAND_ID)) return failed(MISNAMED, { asked });
    const { [COMMAND_ID_ARGUMENT]: commandId, ...rest } = given;
    params = commandId === undefined ? rest : { ...rest, [COMMAND_ID]: commandId };
  }
  const { result, commandId } = await desk.ask({ actor, method, params, mint });
  if (result.status === "rejected") return failed(result.rejection, { asked, commandId });
  const content = wrapped ? { result: result.result } : (result.result as JsonObject);
  return { content: [{ type: "text", text: JSON.stringify(content) }], structuredContent: content };
}

const MISNAMED = refusal("invalid_params", {
  violations: [
    {
      instanceLocation: `/${COMMAND_ID}`,
      keyword: "properties",
      message: `must be given as ${COMMAND_ID_ARGUMENT}`,
    },
  ],
});

/** A rejection, as the result of a tool: never as an error of JSON-RPC, which MCP has its own codes for. */
function failed(rejection: Rejection, asked: AskedFor): CallToolResult {
  const { reason, message } = rejection;
  return {
    isError: true,
    content: [{ type: "text", text: `${reason}: ${message}` }],
    structuredContent: { message, ...rejectionData(rejection, asked) },
  };
}
