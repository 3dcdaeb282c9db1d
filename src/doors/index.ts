/**
 * Doors to an application whose commands are carried out once per id: REST with OpenAPI, WebSocket, MCP. Each is made from
 * the tables of a bundle. Needs Node; `fastify`, `ws` and `@modelcontextprotocol/sdk` are loaded when they are used.
 */
export { MissingPackageError } from "../wire/missing-package.js";
export { type Ask, type Asked, Desk, type DeskOptions } from "./desk.js";
export { DoorError, type DoorErrorKind, isDoorError } from "./door-error.js";
export { type OpenApiOptions, openApiDocument } from "./http/openapi.js";
export type { Problem } from "./http/problem.js";
export type { Allowed } from "./identity/addresses.js";
export type { Authenticate, Credentials, DoorName, Identity } from "./identity/authenticate.js";
export { byTokens, readTokens, repeatedToken, type TokenRow, tokenRow } from "./identity/tokens.js";
export { type Limits, limitsOf } from "./limits.js";
export { loadMcpSdk, type McpSdk } from "./mcp/sdk.js";
export { type McpOptions, type McpServers, mcpServers } from "./mcp/server.js";
export { type McpStdio, type McpStdioOptions, serveMcpStdio } from "./mcp/stdio.js";
export { type MethodTool, type Tool, type ToolOptions, toolsOf } from "./mcp/tools.js";
export { type DoorReason, REASONS, type ReasonRow, type RejectionData, reasonRow } from "./reasons.js";
export type { Definitions } from "./schema.js";
export { ANONYMOUS, type Doors, type DoorsOptions, PATHS, serveDoors } from "./serve.js";
export { type DoorMethod, type Surface, surfaceOf, type Violation } from "./surface.js";
