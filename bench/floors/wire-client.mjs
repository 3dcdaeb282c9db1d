// The least that calls: a map of what waits, and one write for all requests of a turn.
import { spawn } from "node:child_process";
import { lineReader } from "./wire-lines.mjs";

/** Starts a server and connects to it. */
export function connectFloor(command, words) {
  const child = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  let last = 0;
  let out = "";
  child.stdout.on(
    "data",
    lineReader((line) => {
      const { id, result, error } = JSON.parse(line);
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error === undefined) resolve(result);
      else reject(new Error(error.message));
    }),
  );
  const flush = () => {
    child.stdin.write(out);
    out = "";
  };
  return {
    child,
    request: (method, params) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        waiting.set(id, { resolve, reject });
        if (out === "") queueMicrotask(flush);
        out += `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
      }),
  };
}
