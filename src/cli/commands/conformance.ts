/** `mspkit conformance`: recorded sessions, and hosts and clients that are held to them. */
import type { CommandGroup } from "../command.js";

export const conformanceCommands: CommandGroup = {
  summary: "Play recorded sessions to a client, record them, and check them.",
  options: {
    root: {
      type: "string",
      value: "DIR",
      help: "the folder of the transcripts (default: the ones of the package)",
    },
  },
  commands: {
    "serve-fixture": async () => (await import("../conformance/serve-fixture.js")).serveFixtureCommand,
    validate: async () => (await import("../conformance/validate.js")).validateCommand,
    staleness: async () => (await import("../conformance/staleness.js")).stalenessCommand,
    repin: async () => (await import("../conformance/repin.js")).repinCommand,
    replay: async () => (await import("../conformance/replay.js")).replayCommand,
    regen: async () => (await import("../conformance/regen.js")).regenCommand,
    "agent-script": async () => (await import("../conformance/agent-script.js")).agentScriptCommand,
    record: async () => (await import("../conformance/record.js")).recordCommand,
  },
};
