// A fresh process: mspkit resolves the bundle and prints its validators. Loading mspkit is not counted.
import { readFileSync, writeFileSync } from "node:fs";
import { messageDefinitions, reachable } from "../lib/inputs.mjs";
import { codegen, SCHEMA } from "../lib/places.mjs";

const [set, file] = process.argv.slice(2);
const [{ buildProtocol }, { emitValidators }] = await Promise.all(
  ["model/build.js", "emit/validators/emit.js"].map(codegen),
);
const bundle = JSON.parse(readFileSync(SCHEMA, "utf8"));
const messages = messageDefinitions(bundle);
const kept = set === "every definition" ? undefined : reachable(messages, bundle.$defs);

const start = performance.now();
let protocol = buildProtocol(bundle);
if (kept !== undefined) protocol = restrict(protocol, kept);
const built = performance.now();
const text = emitValidators({ protocol, fingerprint: "", command: "mspkit generate" });
const ms = performance.now() - start;

writeFileSync(file, text);
console.log(JSON.stringify({ ms, model: built - start, emit: start + ms - built }));

/** The protocol with some definitions only, and the messages whose params are among them. */
function restrict(whole, names) {
  return {
    ...whole,
    definitions: new Map([...whole.definitions].filter(([name]) => names.has(name))),
    methods: whole.methods.map((method) => ({ ...method, result: undefined })),
    notifications: whole.notifications.filter(({ params }) => names.has(params)),
    requests: [],
    errors: [],
    errorData: undefined,
  };
}
