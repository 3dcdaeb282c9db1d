// The least that acks what is durable: parse, a hash of the params, a map, one append and one sync for each chunk of
// input, or for each request. It knows one command, and checks nothing but the hash.
import { hash } from "node:crypto";
import { fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { lineReader } from "./wire-lines.mjs";

const [group, dir] = process.argv.slice(2);
const fd = openSync(join(dir, "log.ndjson"), "a");
const known = new Map();
let entries = "";
let answers = "";

const OTHERS = {
  initialize: () => ({}),
  "session/start": () => ({ session: { sessionId: "0192f5c8-7a1e-7000-9000-000000000001" } }),
  "view/unsubscribe": () => ({}),
};

const feed = lineReader((line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = OTHERS[method]?.() ?? command(method, params);
  const member = answer === undefined ? `"error":{"code":-32030,"message":"conflict"}` : result(answer);
  answers += `{"jsonrpc":"2.0","id":${id},${member}}\n`;
});

process.stdin.on("data", (chunk) => {
  feed(chunk);
  commit();
  process.stdout.write(answers);
  answers = "";
});

function result(answer) {
  return `"result":${JSON.stringify(answer)}`;
}

function command(method, { commandId, ...payload }) {
  const signature = hash("sha256", JSON.stringify([method, payload]), "base64url");
  const row = known.get(commandId);
  if (row !== undefined) return row.signature === signature ? row.answer : undefined;
  const answer = { commandId, status: "accepted" };
  known.set(commandId, { signature, answer });
  entries += `${JSON.stringify({ commandId, method, signature, payload, answer, at: Date.now() })}\n`;
  if (group === "one") commit();
  return answer;
}

function commit() {
  if (entries === "") return;
  writeSync(fd, entries);
  fdatasyncSync(fd);
  entries = "";
}
