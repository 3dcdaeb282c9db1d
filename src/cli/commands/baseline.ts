/** `mspkit baseline`: the schema of the last release, which the gate compares with. */
import type { CommandGroup } from "../command.js";

export const baselineCommands: CommandGroup = {
  summary: "Keep the schema of the last release beside that of today.",
  options: {},
  commands: {
    set: async () => (await import("../drift/baseline-set.js")).baselineSetCommand,
    show: async () => (await import("../drift/baseline-show.js")).baselineShowCommand,
  },
};
