// The least that serves: a line, JSON.parse, the handler, JSON.stringify; one write for each chunk that is read.
import { acknowledge } from "../lib/turn-start.mjs";
import { lineReader } from "./wire-lines.mjs";

const handlers = { "turn/start": acknowledge };
let out = "";
const read = lineReader((line) => {
  const { id, method, params } = JSON.parse(line);
  const handler = handlers[method];
  out +=
    handler === undefined
      ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"methodNotFound"}}\n`
      : `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(handler(params))}}\n`;
});
process.stdin.on("data", (chunk) => {
  read(chunk);
  if (out === "") return;
  process.stdout.write(out);
  out = "";
});
