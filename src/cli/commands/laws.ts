/** `mspkit laws`: the promises of a host, put to the test. */
import type { CommandGroup } from "../command.js";

export const lawsCommands: CommandGroup = {
  summary: "Hold a host to the laws of the protocol: crashes, races and repeats, with cases that shrink.",
  options: {},
  bare: "run",
  commands: {
    run: async () => (await import("../laws/run.js")).runCommand,
    list: async () => (await import("../laws/list.js")).listCommand,
    merge: async () => (await import("../laws/merge.js")).mergeCommand,
    init: async () => (await import("../laws/init.js")).initCommand,
  },
};
