// A server of the MCP SDK with one tool: its answer is the text of ours.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { acknowledge } from "../lib/turn-start.mjs";

const server = new Server({ name: "bench", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
  content: [{ type: "text", text: JSON.stringify(acknowledge(params.arguments)) }],
}));
await server.connect(new StdioServerTransport());
