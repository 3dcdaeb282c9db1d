/** `mspkit call`: one method of a host, from the shell. */
import { prepareCall } from "../call/prepare.js";
import { runCall } from "../call/run.js";
import { type CallSurface, entry, loadCallSurface } from "../call/surface.js";
import { type CallWords, callWords } from "../call/words.js";
import { type Command, EXIT, UsageError } from "../command.js";
import { SURFACE_OPTIONS } from "../settings.js";

export const callCommand: Command = {
  summary: "Call one method of a host, and print what it sends as NDJSON.",
  operands: "METHOD [JSON|@FILE|-]",
  maxOperands: 2,
  rest: "HOST...",
  options: {
    url: {
      type: "string",
      value: "URL",
      help: "a WebSocket, instead of a command behind --; its token from MSPKIT_TOKEN",
    },
    ...SURFACE_OPTIONS,
    "command-id": {
      type: "string",
      value: "ID",
      help: "the id of the command (default: minted, and told on stderr)",
    },
    repeat: {
      type: "string",
      value: "N",
      help: "make the same call N times, under one command id; answers must agree",
    },
    until: {
      type: "string",
      value: "METHOD",
      help: "when there is a result, listen until this notification or request has come",
    },
    wait: { type: "string", value: "MS", help: "keep listening so long after the last answer (default: 0)" },
    timeout: {
      type: "string",
      value: "MS",
      help: "how long the handshake, each answer, --until and the host's end may take (default: 30000)",
    },
    capability: {
      type: "string",
      value: "NAME",
      repeatable: true,
      help: "a capability to ask for; more than once, or with commas",
    },
    "client-name": { type: "string", value: "NAME", help: "who the client says it is (default: mspkit)" },
    "no-validate": { type: "boolean", help: "send whatever was given, for tests of hosts" },
    quiet: { type: "boolean", short: "q", help: "print results alone, bare" },
  },
  async run(given, io) {
    const words = callWords(given);
    const of = await loadCallSurface(words.surface);
    checkClientName(words, of);
    const prepared = await prepareCall(words, of, io);
    return prepared === undefined ? EXIT.finding : runCall(words, prepared, of, io);
  },
};

/** The name that the schema of `initialize` allows. */
function checkClientName({ clientName, validate }: CallWords, { validators }: CallSurface): void {
  const params = { clientInfo: { name: clientName, version: "0.0.0" } };
  const [violation] = entry(validators.methods, "initialize")?.params?.(params, { all: true }) ?? [];
  if (violation !== undefined && validate)
    throw new UsageError(`--client-name: "${clientName}" ${violation.message}`);
}
