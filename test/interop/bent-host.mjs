// A host that does one thing otherwise: starts the real one, and changes what it says.
//   node bent-host.mjs deltas|acks|ends|lists COMMAND...
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [, , bend, command, ...args] = process.argv;
/** The commands that were answered, by the id of their request and by their own. */
const commands = new Map();
const answered = new Set();

/** The host's message as it is passed on; undefined where it is kept back. */
const bends = {
  /** Tells no piece of a text. */
  deltas: (message) => (message.method === "item/delta" ? undefined : message),
  /** Says of a repeated command the opposite of what it said first: that it begins a turn, or that it does not. */
  acks: (message) => {
    const commandId = commands.get(message.id);
    if (message.result?.startedNewTurn === undefined || commandId === undefined) return message;
    if (!answered.has(commandId)) {
      answered.add(commandId);
      return message;
    }
    return { ...message, result: { ...message.result, startedNewTurn: !message.result.startedNewTurn } };
  },
  /** Says of every turn that it has failed. */
  ends: (message) =>
    message.method === "turn/completed"
      ? { ...message, params: { ...message.params, terminal: "failed" } }
      : message,
  /** Lists no model but the last. */
  lists: (message) => {
    const models = message.result?.models;
    return models === undefined
      ? message
      : { ...message, result: { ...message.result, models: models.slice(-1) } };
  },
};

// In the group of this program: who kills the one kills the other.
const host = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
host.stdin.on("error", () => undefined);
process.stdin.pipe(host.stdin);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, params } = JSON.parse(line);
  if (params?.commandId !== undefined) commands.set(id, params.commandId);
});
createInterface({ input: host.stdout }).on("line", (line) => {
  const message = bends[bend](JSON.parse(line));
  if (message !== undefined) process.stdout.write(`${JSON.stringify(message)}\n`);
});
host.on("close", (code) => {
  process.exitCode = code ?? 1;
});
