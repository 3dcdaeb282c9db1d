/** The product `tables`: the protocol as data, in JavaScript, with declarations that know every value. */
import { isJsonObject, type Json } from "../../bundle/json.js";
import { propertyKey, quote } from "../../plan/names.js";
import type { SurfacePlan } from "../../plan/plan.js";
import { scriptHeader } from "../header.js";
import { tablesOf } from "./data.js";

/** The text of `tables.js`. */
export function emitTables(plan: SurfacePlan): string {
  const tables = tablesOf(plan).map(
    ({ name, value }) => `export const ${name} = ${write(value as Json, "", VALUE)};\n`,
  );
  return scriptHeader(plan) + tables.join("\n");
}

/** The text of `tables.d.ts`. */
export function emitTableTypes(plan: SurfacePlan): string {
  const tables = tablesOf(plan).map(
    ({ name, doc, value }) =>
      `/** ${doc} */\nexport declare const ${name}: ${write(value as Json, "", TYPE)};\n`,
  );
  return scriptHeader(plan) + tables.join("\n");
}

/** How a value is written: as an expression, or as the type of exactly that value. */
interface Style {
  readonly key: (name: string) => string;
  readonly end: string;
  readonly array: string;
}

const VALUE: Style = {
  // As a plain key, "__proto__" would set the prototype.
  key: (name) => (name === "__proto__" ? '["__proto__"]' : propertyKey(name)),
  end: ",",
  array: "",
};
const TYPE: Style = { key: (name) => `readonly ${propertyKey(name)}`, end: ";", array: "readonly " };

function write(value: Json, indent: string, style: Style): string {
  const inner = `${indent}  `;
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== "object")) {
      return `${style.array}[${value.map((item) => write(item, inner, style)).join(", ")}]`;
    }
    return `${style.array}[\n${value.map((item) => `${inner}${write(item, inner, style)},\n`).join("")}${indent}]`;
  }
  if (!isJsonObject(value)) return String(value);
  const entries = Object.entries(value).map(
    ([name, item]) => `${inner}${style.key(name)}: ${write(item, inner, style)}${style.end}\n`,
  );
  return entries.length === 0 ? "{}" : `{\n${entries.join("")}${indent}}`;
}
