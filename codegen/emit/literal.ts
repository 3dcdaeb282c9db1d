/**
 * JSON values as TypeScript or JavaScript writes them.
 */
import { isJsonObject, type Json } from "../bundle/json.js";
import { propertyKey, quote } from "../plan/names.js";

/** How a value is written: as an expression, or as the type of exactly that value. */
export interface Style {
  readonly key: (name: string) => string;
  readonly end: string;
  readonly array: string;
}

/** An expression. */
export const VALUE: Style = { key: literalKey, end: ",", array: "" };

/** The type of exactly that value, read-only. */
export const TYPE: Style = {
  key: (name) => `readonly ${propertyKey(name)}`,
  end: ";",
  array: "readonly ",
};

/** The key of a member of an object literal. */
export function literalKey(name: string): string {
  // As a plain key, "__proto__" would set the prototype.
  return name === "__proto__" ? '["__proto__"]' : propertyKey(name);
}

/** The text of a value; its inner lines are indented below `indent`. */
export function write(value: Json, indent: string, style: Style): string {
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
