/** `mspkit store`: where a host keeps its sessions, looked into; and the tables of results, made. */
import type { CommandGroup } from "../command.js";

export const storeCommands: CommandGroup = {
  summary: "Look into the store of a host, or make the tables for results of commands.",
  options: {
    store: {
      type: "string",
      value: "URL",
      help: "file:DIR or sqlite:PATH (default: the user's own, in the state folder); for migrate postgres://...",
    },
  },
  commands: {
    log: async () => (await import("../store/log.js")).logCommand,
    check: async () => (await import("../store/check.js")).checkCommand,
    fence: async () => (await import("../store/fence.js")).fenceCommand,
    migrate: async () => (await import("../store/migrate.js")).migrateCommand,
  },
};
