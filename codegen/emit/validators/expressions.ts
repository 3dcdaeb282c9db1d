/**
 * The JavaScript expressions that compiled checks are made of, and what the compiler asks about a node.
 */
import type { Json } from "../../bundle/json.js";
import { escapeToken } from "../../bundle/pointer.js";
import type { Category } from "../../model/dispatch.js";
import { facetsOf, type Schema } from "../../model/protocol.js";
import { quote } from "../../plan/names.js";

/** Names that every object has without owning them. */
const OBJECT_PROTOTYPE = new Set(Object.getOwnPropertyNames(Object.prototype));

/** A test that a value is not of a category. */
export const NEGATED: Readonly<Record<Category, (v: string) => string>> = {
  array: (v) => `!Array.isArray(${v})`,
  boolean: (v) => `typeof ${v}!=="boolean"`,
  null: (v) => `${v}!==null`,
  number: (v) => `!Number.isFinite(${v})`,
  object: (v) => `typeof ${v}!=="object"||${v}===null||Array.isArray(${v})`,
  string: (v) => `typeof ${v}!=="string"`,
};

/** A test that it is. */
export const HOLDS: Readonly<Record<Category, (v: string) => string>> = {
  array: (v) => `Array.isArray(${v})`,
  boolean: (v) => `typeof ${v}==="boolean"`,
  null: (v) => `${v}===null`,
  number: (v) => `Number.isFinite(${v})`,
  object: (v) => `typeof ${v}==="object"&&${v}!==null&&!Array.isArray(${v})`,
  string: (v) => `typeof ${v}==="string"`,
};

/** The pointer of a member, as an expression. */
export function at(p: string, name: string): string {
  return `${p}+${quote(`/${escapeToken(name)}`)}`;
}

/** The own member of a value, as an expression; undefined when it has none. */
export function access(v: string, name: string): string {
  if (OBJECT_PROTOTYPE.has(name)) return `G(${v},${quote(name)})`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${v}.${name}` : `${v}[${quote(name)}]`;
}

/** A JSON value as an expression. */
export function literal(value: Json): string {
  return typeof value === "object" && value !== null
    ? `JSON.parse(${quote(JSON.stringify(value))})`
    : typeof value === "string"
      ? quote(value)
      : String(value);
}

/** Whether a list of values already says all that the types say. */
export function isLimited({ types, constant, enum: listed }: Schema): boolean {
  const values =
    constant !== undefined
      ? [constant.value]
      : listed !== undefined && !listed.open
        ? listed.values.map(({ value }) => value)
        : undefined;
  return (
    values?.every((value) =>
      types!.some((type) => {
        if (type === "integer") return Number.isInteger(value);
        if (type === "null") return value === null;
        if (type === "array") return Array.isArray(value);
        if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
        return typeof value === type;
      }),
    ) === true
  );
}

/** Whether a definition is checked where it is used rather than by a call. */
export function isScalar(schema: Schema): boolean {
  return (
    schema.ref === undefined &&
    schema.members === undefined &&
    schema.additional === undefined &&
    schema.items === undefined &&
    schema.union === undefined
  );
}

/** Whether a node refuses any value at all. */
export function constrains(schema: Schema): boolean {
  return facetsOf(schema).length > 0;
}

/** A node without its alternatives. */
export function withoutUnion({ union: _, ...rest }: Schema): Schema {
  return rest;
}
