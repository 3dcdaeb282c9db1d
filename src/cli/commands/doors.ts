/** `mspkit doors`: applications whose commands are carried out once per id, served. */
import type { CommandGroup } from "../command.js";

export const doorsCommands: CommandGroup = {
  summary: "Serve an application over REST, WebSocket and MCP.",
  options: {},
  commands: {
    serve: async () => (await import("../doors/serve.js")).serveCommand,
  },
};
