/** `mspkit doors serve`: an application behind REST, WebSocket and MCP. */
import type { Command } from "../command.js";
import { doorsWords } from "./words.js";

export const serveCommand: Command = {
  summary: "Serve an application over REST, WebSocket and MCP; each command is carried out once for its id.",
  operands: "",
  maxOperands: 0,
  options: {
    app: {
      type: "string",
      value: "MODULE",
      help: "a module whose createApp({ store }) gives the application (default: the workspace example)",
    },
    store: {
      type: "string",
      value: "URL",
      help: "memory, sqlite:PATH or postgres://...: results of commands, and what the application keeps (default: memory)",
    },
    listen: {
      type: "string",
      value: "URL",
      help: "http://HOST:PORT (default: http://127.0.0.1:0, any free port; with --mcp stdio: nowhere)",
    },
    mcp: { type: "string", value: "stdio|http", help: "how MCP is served (default: http, at /mcp)" },
    tokens: {
      type: "string",
      value: "FILE",
      help: "who may come in: a list in JSON of token or sha256, tenant, participant, expiresAt",
    },
    token: {
      type: "string",
      value: "TENANT/PARTICIPANT=TOKEN",
      repeatable: true,
      help: "one more; other users of the machine see it: --tokens keeps it from them",
    },
    "allow-anonymous": {
      type: "boolean",
      help: "let in whoever shows no token, as local/anonymous; on the loopback alone",
    },
    identity: {
      type: "string",
      value: "first-result|checked",
      help: "what a repeated id stands for: the first result, or one command (default: first-result)",
    },
    "require-command-id": {
      type: "boolean",
      help: "refuse calls of MCP tools that change something and have no command_id",
    },
    "keep-newest": { type: "string", value: "N", help: "how many results are remembered (default: 10000)" },
    "keep-ms": { type: "string", value: "MS", help: "remember results by age instead" },
    "wait-ms": {
      type: "string",
      value: "MS",
      help: "how long a repeat waits for the first attempt (default: 30000)",
    },
    "deadline-ms": { type: "string", value: "MS", help: "how long a command may take (default: 60000)" },
    origin: {
      type: "string",
      value: "ORIGIN",
      repeatable: true,
      help: "a page that may ask, such as https://app.example; more than once, or with commas (default: none)",
    },
    host: {
      type: "string",
      value: "NAME",
      repeatable: true,
      help: "a name by which the server is asked, where not any will do; more than once, or with commas",
    },
    "body-limit": { type: "string", value: "BYTES", help: "the largest body and frame (default: 1048576)" },
    rate: { type: "string", value: "N", help: "requests a second of one participant (default: 1000)" },
    connections: { type: "string", value: "N", help: "connections at once (default: 1024)" },
  },
  async run(given, io) {
    const words = doorsWords(given, io);
    const { serve } = await import("./run.js");
    return serve(words, io);
  },
};
