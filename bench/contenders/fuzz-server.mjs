// The least host that can be fuzzed: it serves nothing, and says so of every request; what is no request it refuses.
import { lineReader } from "../floors/wire-lines.mjs";

let out = "";
const refuse = (id, code, kind) => {
  out += `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":${code},"message":"${kind}","data":{"kind":"${kind}"}}}\n`;
};
const isId = (id) => typeof id === "string" || Number.isInteger(id);
const read = lineReader((line) => {
  if (/^[ \t\r]*$/.test(line)) return;
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    refuse(null, -32700, "parseError");
    return;
  }
  const { jsonrpc, id, method } = message ?? {};
  if (method === undefined && (message?.result !== undefined || message?.error !== undefined)) return;
  const known = id === undefined || isId(id);
  if (jsonrpc !== "2.0" || typeof method !== "string" || !known || Array.isArray(message))
    refuse(isId(id) ? id : null, -32600, "invalidRequest");
  else if (id !== undefined) refuse(id, -32601, "methodNotFound");
});
process.stdin.on("data", (chunk) => {
  read(chunk);
  if (out === "") return;
  process.stdout.write(out);
  out = "";
});
