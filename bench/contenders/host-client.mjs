// The least client of a host: a handshake, a session, and `session/setReasoningEffort` with many calls under way. It
// does not listen to the session: an ack is all that it gets. Requests are written out before a clock starts and
// answers are read after it stopped, so that the time is the host's.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { lineReader } from "../floors/wire-lines.mjs";
import { commandId } from "../lib/command-ids.mjs";
import { serverCommand } from "../lib/pinning.mjs";

const LF = 10;

/** Connects to a host that is started with these words, and begins a session. */
export async function connectHost(words, pinned) {
  const { command, words: all } = serverCommand(words, pinned);
  const child = spawn(command, all, { stdio: ["pipe", "pipe", "inherit"] });
  let onChunk = () => {};
  child.stdout.on("data", (chunk) => onChunk(chunk));
  let id = 0;
  const request = (method, params) => `${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`;

  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      const line = request(method, params);
      const wanted = id;
      onChunk = lineReader((text) => {
        const message = JSON.parse(text);
        if (message.id !== wanted || message.method !== undefined) return;
        if (message.error === undefined) resolve(message.result);
        else reject(new Error(message.error.message));
      });
      child.stdin.write(line);
    });

  await ask("initialize", { clientInfo: { name: "bench", version: "1" }, capabilities: {} });
  child.stdin.write('{"jsonrpc":"2.0","method":"initialized"}\n');
  const { session } = await ask("session/start", { commandId: commandId(0) });
  const { sessionId } = session;
  await ask("view/unsubscribe", { sessionId });

  const method = "session/setReasoningEffort";
  /** Each number asks for another effort than the one before. */
  const paramsOf = (n, reasoningEffort = n % 2 === 0 ? "low" : "high") => ({
    sessionId,
    commandId: commandId(n),
    reasoningEffort,
  });

  return {
    set: (n, effort) => ask(method, paramsOf(n, effort)),
    /** Sends the commands of some numbers, so many under way. The milliseconds that it took. */
    async setAll(inFlight, numbers) {
      const first = id + 1;
      const lines = numbers.map((n) => request(method, paramsOf(n)));
      const chunks = [];
      let sent = 0;
      let answered = 0;
      const send = (count) => {
        const from = sent;
        sent = Math.min(lines.length, sent + count);
        if (sent > from) child.stdin.write(lines.slice(from, sent).join(""));
      };
      const start = performance.now();
      await new Promise((resolve) => {
        onChunk = (chunk) => {
          chunks.push(chunk);
          let count = 0;
          for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) count++;
          answered += count;
          send(count);
          if (answered === lines.length) resolve();
        };
        send(inFlight);
      });
      const ms = performance.now() - start;
      requireAcks(chunks, first, numbers);
      return ms;
    },
    /** Has the host, which was started with `lib/collect.cjs`, collect its garbage. */
    async collect() {
      child.kill("SIGUSR2");
      await setTimeout(500);
      await ask("view/unsubscribe", { sessionId });
    },
    async close() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** One ack for each number, and nothing else. */
function requireAcks(chunks, first, numbers) {
  const left = new Set(numbers.keys());
  lineReader((text) => {
    const { id, result } = JSON.parse(text);
    const wanted = commandId(numbers[id - first] ?? -1);
    if (!left.delete(id - first) || result?.commandId !== wanted || result.status !== "accepted")
      throw new Error(`the host answered ${text}`);
  })(Buffer.concat(chunks));
}
