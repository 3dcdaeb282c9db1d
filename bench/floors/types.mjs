// The least that prints types: reads, walks, writes. It checks nothing, resolves nothing and knows no stable surface.
import { readFileSync, writeFileSync } from "node:fs";

const PRIMITIVES = {
  string: "string",
  integer: "number",
  number: "number",
  boolean: "boolean",
  null: "null",
};

export function printFile(from, to) {
  writeFileSync(to, print(JSON.parse(readFileSync(from, "utf8"))));
}

function print(bundle) {
  let text = "";
  for (const [name, schema] of Object.entries(bundle.$defs)) {
    text += comment(schema.description, "");
    text += isInterface(schema)
      ? `export interface ${name} ${members(schema, "")}\n\n`
      : `export type ${name} = ${type(schema, "")};\n\n`;
  }
  return text + messages("Methods", bundle.methods) + messages("Notifications", bundle.notifications);
}

function messages(name, section) {
  let text = `export interface ${name} {\n`;
  for (const [key, { description, params, result }] of Object.entries(section)) {
    text += comment(description, "  ");
    text += `  ${JSON.stringify(key)}: { params: ${target(params)}; result: ${target(result)} };\n`;
  }
  return `${text}}\n\n`;
}

const target = (reference) => (reference === undefined ? "undefined" : type(reference, ""));

const isInterface = (schema) => schema.type === "object" && schema.properties !== undefined;

function comment(text, indent) {
  if (text === undefined) return "";
  return `${indent}/** ${text.replaceAll("*/", "*\\/").replaceAll("\n", `\n${indent} * `)} */\n`;
}

function members({ properties, required = [] }, indent) {
  const inner = `${indent}  `;
  const needed = new Set(required);
  let text = "{\n";
  for (const [name, schema] of Object.entries(properties)) {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    text += comment(schema.description, inner);
    text += `${inner}${key}${needed.has(name) ? "" : "?"}: ${type(schema, inner)};\n`;
  }
  return `${text}${indent}}`;
}

function type(schema, indent) {
  if (schema.$ref !== undefined) return schema.$ref.slice("#/$defs/".length);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) {
    const values = schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    return schema["x-msp-openness"] === "open" ? `${values} | (string & {})` : values;
  }
  const arms = schema.anyOf ?? schema.oneOf;
  if (arms !== undefined) return arms.map((arm) => type(arm, indent)).join(" | ");
  if (Array.isArray(schema.type))
    return schema.type.map((one) => type({ ...schema, type: one }, indent)).join(" | ");
  if (schema.type === "array") {
    const item = type(schema.items ?? {}, indent);
    return /^[\w$]+$/.test(item) ? `${item}[]` : `(${item})[]`;
  }
  if (isInterface(schema)) return members(schema, indent);
  if (schema.type === "object") return `Record<string, ${type(schema.additionalProperties ?? {}, indent)}>`;
  return PRIMITIVES[schema.type] ?? "unknown";
}
