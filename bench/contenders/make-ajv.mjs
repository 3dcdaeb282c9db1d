// A fresh process: ajv compiles the definitions and prints them as a module. Loading ajv is not counted.
import { readFileSync, writeFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { messageDefinitions, plainDefinitions, reachable } from "../lib/inputs.mjs";
import { SCHEMA } from "../lib/places.mjs";

const [set, file] = process.argv.slice(2);
const bundle = JSON.parse(readFileSync(SCHEMA, "utf8"));
const definitions = plainDefinitions(bundle);
const messages = messageDefinitions(bundle);
const kept = set === "every definition" ? Object.keys(definitions) : [...reachable(messages, definitions)];
const $defs = Object.fromEntries(kept.map((name) => [name, definitions[name]]));

const start = performance.now();
const ajv = new Ajv2020({ strict: false, code: { source: true, esm: true } });
ajv.addSchema({ $schema: bundle.$schema, $id: "msp:bundle", $defs });
const places = Object.fromEntries(kept.map((name) => [name, `msp:bundle#/$defs/${name}`]));
for (const place of Object.values(places)) ajv.getSchema(place);
const text = standalone.default(ajv, places);
const ms = performance.now() - start;

// What it prints as an ES module calls `require` all the same where a schema needs a helper.
const helper = `import{createRequire}from"node:module";const require=createRequire(${JSON.stringify(import.meta.url)});\n`;
writeFileSync(file, text.includes("require(") ? helper + text : text);
console.log(JSON.stringify({ ms }));
