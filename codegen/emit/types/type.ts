/**
 * The TypeScript type of a schema node.
 *
 * A type is never narrower than its schema: where TypeScript cannot say a constraint, the validator does.
 */
import type { Json } from "../../bundle/json.js";
import type { JsonType } from "../../bundle/keywords.js";
import type { EnumFacet, Member, Schema } from "../../model/protocol.js";
import { propertyKey, quote, typeName } from "../../plan/names.js";
import { docComment, docLines } from "../text.js";

const SCALARS: Readonly<Record<Exclude<JsonType, "array" | "object">, string>> = {
  boolean: "boolean",
  integer: "number",
  null: "null",
  number: "number",
  string: "string",
};

/** The type expression of a node; nested object types are indented below `indent`. */
export function typeOf(schema: Schema, indent: string): string {
  // Beside a reference, other facets only narrow what it says.
  if (schema.ref !== undefined) return typeName(schema.ref);
  if (schema.constant !== undefined) return literal(schema.constant.value);
  if (schema.enum !== undefined) return enumType(schema.enum);
  if (schema.types !== undefined) {
    const types = schema.types.map((type) => typed(type, schema, indent));
    return types.length === 1 ? types[0]! : [...new Set(types)].join(" | ");
  }
  if (schema.union !== undefined) {
    return [...new Set(schema.union.arms.map((arm) => typeOf(arm, indent)))].join(" | ");
  }
  return "unknown";
}

function typed(type: JsonType, schema: Schema, indent: string): string {
  if (type === "array")
    return arrayType(schema.items === undefined ? "unknown" : typeOf(schema.items, indent));
  if (type === "object") return objectType(schema, indent);
  return SCALARS[type];
}

function arrayType(element: string): string {
  return /^[\w$]+$/.test(element) ? `${element}[]` : `(${element})[]`;
}

function enumType({ values, open }: EnumFacet): string {
  const words = values.map(({ value }) => literal(value));
  // `string & {}` keeps the known words in an editor's completion, where `string` alone would absorb them.
  if (open) words.push("(string & {})");
  return words.join(" | ");
}

/** An object type: free-form, a map, or members. */
export function objectType(schema: Schema, indent: string): string {
  const members = schema.members ?? [];
  if (members.length === 0) {
    return `Record<string, ${schema.additional === undefined ? "unknown" : typeOf(schema.additional, indent)}>`;
  }
  return memberBlock(members, schema.additional, indent);
}

/** The braces and members of an object type or interface. */
export function memberBlock(
  members: readonly Member[],
  additional: Schema | undefined,
  indent: string,
): string {
  const inner = `${indent}  `;
  let text = "{\n";
  for (const { name, required, schema } of members) {
    text += docComment(docLines(schema, schema), inner);
    text += `${inner}${propertyKey(name)}${required ? "" : "?"}: ${typeOf(schema, inner)};\n`;
  }
  // An index signature covers the declared members too, so it can say no more than this.
  if (additional !== undefined) text += `${inner}[name: string]: unknown;\n`;
  return `${text}${indent}}`;
}

/** The type of exactly one value. */
function literal(value: Json): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    return `{ ${Object.entries(value)
      .map(([name, member]) => `${propertyKey(name)}: ${literal(member)}`)
      .join("; ")} }`;
  }
  return String(value);
}
