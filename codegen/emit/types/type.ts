/**
 * The TypeScript type of a schema node.
 *
 * A type is never narrower than its schema: where TypeScript cannot say a constraint, the validator does.
 */
import type { Json } from "../../bundle/json.js";
import type { JsonType } from "../../bundle/keywords.js";
import { type EnumFacet, type Member, references, type Schema } from "../../model/protocol.js";
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
  if (schema.ref !== undefined) return referenceType(schema, schema.ref, indent);
  if (schema.constant !== undefined) return literal(schema.constant.value);
  if (schema.enum !== undefined) return enumType(schema.enum);
  if (schema.types !== undefined) {
    const types = schema.types.filter((type) => type !== "null").map((type) => typed(type, schema, indent));
    if (types.length < schema.types.length) types.push("null"); // where a reader looks for it
    return types.length === 1 ? types[0]! : [...new Set(types)].join(" | ");
  }
  if (schema.union !== undefined) {
    return [...new Set(schema.union.arms.map((arm) => typeOf(arm, indent)))].join(" | ");
  }
  return "unknown";
}

/** Beside a reference, other facets only narrow what it says; what they say of members, a type can say too. */
function referenceType(schema: Schema, ref: string, indent: string): string {
  const object = schema.types?.length === 1 && schema.types[0] === "object";
  if (!object || schema.members === undefined || schema.members.length === 0) return typeName(ref);
  return `${typeName(ref)} & ${memberBlock(schema.members, schema.additional, indent)}`;
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
    if (schema.additional === undefined) return "Record<string, unknown>";
    const value = typeOf(schema.additional, indent);
    // An alias may refer to itself inside an index signature, and not as an argument of `Record`.
    return references(schema.additional).size > 0
      ? `{ [name: string]: ${value} }`
      : `Record<string, ${value}>`;
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
