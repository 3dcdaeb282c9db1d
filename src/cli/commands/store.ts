/** `mspkit store`: where a host keeps its sessions, looked into. */
import type { CommandGroup } from "../command.js";

export const storeCommands: CommandGroup = {
  summary: "Look into the store of a host.",
  options: {
    store: {
      type: "string",
      value: "URL",
      help: "file:DIR or sqlite:PATH (default: the user's own, in the state folder)",
    },
  },
  commands: {
    log: async () => (await import("../store/log.js")).logCommand,
    check: async () => (await import("../store/check.js")).checkCommand,
    fence: async () => (await import("../store/fence.js")).fenceCommand,
  },
};
