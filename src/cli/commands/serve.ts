/** `mspkit serve`: a host of its own, over standard streams or a WebSocket. */
import type { Command } from "../command.js";
import { serveWords } from "../serve/words.js";

export const serveCommand: Command = {
  summary: "Serve sessions: the embedded host, over standard streams or a WebSocket.",
  operands: "",
  maxOperands: 0,
  options: {
    store: {
      type: "string",
      value: "URL",
      help: "memory, file:DIR or sqlite:PATH (default: file: below $XDG_STATE_HOME/mspkit)",
    },
    listen: {
      type: "string",
      value: "URL",
      help: "stdio:// or ws://HOST:PORT (default: stdio://); ws needs a token, from MSPKIT_TOKEN or made up",
    },
    grant: {
      type: "string",
      value: "CAPABILITY",
      repeatable: true,
      help: "a capability that clients get when they ask, such as userShell; more than once, or with commas",
    },
    "agent-command": {
      type: "string",
      value: "CMD",
      help: "run this program for each turn: prompt on stdin, text on stdout (default: the scripted test agent)",
    },
    workspace: {
      type: "string",
      value: "DIR",
      help: "the working folder of sessions that name none (default: this one)",
    },
    "frame-limit": { type: "string", value: "N", help: "bytes of a frame, each way (default: 10485760)" },
    "approval-mode": {
      type: "string",
      value: "MODE",
      help: "what new sessions begin with (default: promptUnmatched)",
    },
    origin: {
      type: "string",
      value: "ORIGIN",
      repeatable: true,
      help: "a page that may connect to the WebSocket (default: none)",
    },
    "as-release": {
      type: "string",
      value: "RELEASE",
      help: "say the published fingerprint of this release, for clients that insist on it",
    },
    "agent-script": {
      type: "string",
      value: "FILE",
      help: "for tests: what each turn does, in order",
    },
    "workspace-map": {
      type: "string",
      value: "A=B",
      repeatable: true,
      help: "for tests: the folder B where clients say A; more than once, or with commas",
    },
  },
  async run(given, io) {
    const words = serveWords(given, io);
    const { serve } = await import("../serve/run.js");
    return serve(words, io);
  },
};
