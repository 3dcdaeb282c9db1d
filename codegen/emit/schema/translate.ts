/**
 * The documented translation of the dialect to plain JSON Schema 2020-12, without marks:
 *
 * - an open enum is a string, its known values are `examples`;
 * - the last arm of an open union excludes the tags of the others;
 * - everything else stays as it is.
 *
 * It decides the same values as the generated validators, which is what the tests hold it to.
 */
import type { Json, JsonObject } from "../../bundle/json.js";
import { compareNames, escapeToken } from "../../bundle/pointer.js";
import { dispatchOf } from "../../model/dispatch.js";
import type { Definition, Schema, Union } from "../../model/protocol.js";

/** One node in plain JSON Schema. */
export function translate(schema: Schema, definitions: ReadonlyMap<string, Definition>): JsonObject {
  const out: JsonObject = {};
  const set = (key: string, value: Json | undefined): void => {
    if (value !== undefined) out[key] = value;
  };
  set("title", schema.title);
  set("description", schema.description);
  set("deprecated", schema.deprecated);
  if (schema.ref !== undefined) out["$ref"] = reference(schema.ref);
  if (schema.types !== undefined)
    out["type"] = schema.types.length === 1 ? schema.types[0]! : [...schema.types];
  if (schema.constant !== undefined) out["const"] = schema.constant.value;
  if (schema.enum !== undefined) {
    const values = schema.enum.values.map(({ value }) => value);
    out[schema.enum.open ? "examples" : "enum"] = values;
    if (schema.enum.open) out["type"] = "string";
  }
  if (schema.members !== undefined) {
    const declared = schema.members.filter((member) => member.declared);
    out["properties"] = record(
      declared.map(({ name, schema: inner }) => [name, translate(inner, definitions)]),
    );
    const required = schema.members.filter((member) => member.required).map(({ name }) => name);
    if (required.length > 0) out["required"] = required;
  }
  if (schema.additional !== undefined)
    out["additionalProperties"] = translate(schema.additional, definitions);
  if (schema.dependentRequired !== undefined) {
    out["dependentRequired"] = record(schema.dependentRequired.map(({ name, needs }) => [name, [...needs]]));
  }
  if (schema.items !== undefined) out["items"] = translate(schema.items, definitions);
  for (const key of [
    "minItems",
    "maxItems",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
  ] as const) {
    set(key, schema[key]);
  }
  if (schema.union !== undefined)
    out[schema.union.open ? "anyOf" : schema.union.keyword] = arms(schema.union, definitions);
  if (schema.default !== undefined) out["default"] = schema.default.value;
  if (schema.examples !== undefined) {
    // Beside the known words of an open enum, which stand there already.
    out["examples"] = [...((out["examples"] as Json[] | undefined) ?? []), ...schema.examples];
  }
  return out;
}

/** The reference to a definition of the same document. */
export function reference(definition: string): string {
  return `#/$defs/${encodeURIComponent(escapeToken(definition))}`;
}

function arms(union: Union, definitions: ReadonlyMap<string, Definition>): JsonObject[] {
  const dispatch = dispatchOf(union, definitions);
  const branch = dispatch.ok ? dispatch.branches.find((b) => b.kind === "tag") : undefined;
  return union.arms.map((arm, i) => {
    const plain = translate(arm, definitions);
    if (branch?.kind !== "tag" || i !== branch.otherwise) return plain;
    const known = branch.cases.map(({ value }) => value);
    const others: JsonObject = { properties: record([[branch.tag, { not: { enum: known } }]]) };
    return { allOf: [plain, others] };
  });
}

/** An object with own members, whatever their names. */
export function record(entries: readonly (readonly [string, Json])[]): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of [...entries].sort(([a], [b]) => compareNames(a, b))) {
    if (name !== "__proto__") out[name] = value;
    else Object.defineProperty(out, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return out;
}
