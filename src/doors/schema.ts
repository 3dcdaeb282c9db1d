/** What doors do with JSON Schema: following and rewriting references, where they are references and no members. */
import type { JsonObject, JsonValue } from "../commands/app.js";

/** Definitions by their names. */
export type Definitions = Readonly<Record<string, JsonObject>>;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = new Set([
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const LIST = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const NAMED = new Set(["$defs", "dependentSchemas", "patternProperties", "properties"]);

const DEFS = "#/$defs/";

/** The definition that a reference names; undefined where it names none. */
export function referredName(reference: JsonValue | undefined): string | undefined {
  if (typeof reference !== "string" || !reference.startsWith(DEFS)) return undefined;
  const pointer = reference.slice(DEFS.length);
  if (pointer.includes("/")) return undefined;
  return decodeURIComponent(pointer).replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Whether a value is an object of JSON. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy of a schema in which every reference to a definition is what `to` gives for its name. */
export function withReferences(schema: JsonValue, to: (name: string) => string): JsonValue {
  if (!isJsonObject(schema)) return schema;
  const map = (value: JsonValue): JsonValue => withReferences(value, to);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]): [string, JsonValue] => {
      if (keyword === "$ref") {
        const name = referredName(value);
        return [keyword, name === undefined ? value : to(name)];
      }
      if (ONE.has(keyword)) return [keyword, map(value)];
      if (LIST.has(keyword) && Array.isArray(value)) return [keyword, value.map(map)];
      if (NAMED.has(keyword) && isJsonObject(value))
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, of]) => [name, map(of)]))];
      return [keyword, value];
    }),
  );
}

/** A schema with all the definitions that it refers to, so that it stands for itself. */
export function selfContained(schema: JsonObject, definitions: Definitions): JsonObject {
  const names = new Set<string>();
  const collect = (of: JsonValue): void => {
    withReferences(of, (name) => {
      if (!names.has(name) && Object.hasOwn(definitions, name)) {
        names.add(name);
        collect(definitions[name]!);
      }
      return name;
    });
  };
  collect(schema);
  if (names.size === 0) return schema;
  return {
    ...schema,
    $defs: Object.fromEntries([...names].sort().map((name) => [name, definitions[name]!])),
  };
}

/** A schema, or the definition that it does nothing but refer to. */
export function resolved(schema: JsonValue | undefined, definitions: Definitions): JsonObject {
  const seen = new Set<string>();
  let at = schema;
  for (;;) {
    if (!isJsonObject(at)) return {};
    const name = referredName(at["$ref"]);
    if (name === undefined || seen.has(name) || !Object.hasOwn(definitions, name)) return at;
    seen.add(name);
    const { $ref: _, ...beside } = at;
    at = { ...definitions[name]!, ...beside };
  }
}

/** The schema of an object, without a member. */
export function withoutMember(schema: JsonObject, member: string): JsonObject {
  const { properties, ...rest } = withoutRequired(schema, member);
  if (!isJsonObject(properties)) return rest;
  const { [member]: _, ...others } = properties;
  return { ...rest, properties: others };
}

/** The schema of an object, in which a member need not be. */
export function withoutRequired(schema: JsonObject, member: string): JsonObject {
  const { required, ...rest } = schema;
  const left = Array.isArray(required) ? required.filter((name) => name !== member) : [];
  return left.length === 0 ? rest : { ...rest, required: left };
}

/** JSON types that a text of a query can stand for. */
const SCALARS = ["string", "integer", "number", "boolean"] as const;
/** One of them. */
export type Scalar = (typeof SCALARS)[number];

/** The one type of a schema, where that is one that a text can stand for. */
export function scalarOf(schema: JsonValue | undefined, definitions: Definitions): Scalar | undefined {
  const { type } = resolved(schema, definitions);
  return SCALARS.find((scalar) => scalar === type);
}
