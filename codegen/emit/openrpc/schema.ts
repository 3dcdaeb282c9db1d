/**
 * Schema nodes as OpenRPC has them: the plain translation, written for the JSON Schema of OpenRPC, which is draft 7,
 * and a table of what a plain schema cannot say.
 *
 * Draft 7 ignores what stands beside `$ref`, so a reference with other rules beside it stands in `allOf`; and it has
 * `dependencies` for `dependentRequired`.
 */
import type { Json, JsonObject } from "../../bundle/json.js";
import { child, escapeToken } from "../../bundle/pointer.js";
import { dispatchOf } from "../../model/dispatch.js";
import type { Definition, Schema } from "../../model/protocol.js";
import { record, translate } from "../schema/translate.js";

type Definitions = ReadonlyMap<string, Definition>;

/** The place of the definitions in the document. */
export const SCHEMAS = "/components/schemas";

/** Keywords that draft 7 may ignore beside `$ref` without changing what is valid. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "deprecated",
  "default",
  "examples",
]);

/** The reference to a definition. */
export function schemaRef(definition: string): JsonObject {
  return { $ref: `#${SCHEMAS}/${encodeURIComponent(escapeToken(definition))}` };
}

/** A node as a draft 7 schema. */
export function draftSchema(schema: Schema, definitions: Definitions): JsonObject {
  return convert(translate(schema, definitions), schema, definitions);
}

/** Converts a translated node; the two trees have one shape. */
function convert(plain: JsonObject, schema: Schema, definitions: Definitions): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(plain)) {
    switch (key) {
      case "$ref":
        break;
      case "dependentRequired":
        out["dependencies"] = value;
        break;
      case "properties":
        out[key] = record(
          (schema.members ?? [])
            .filter(({ declared }) => declared)
            .map(({ name, schema: inner }) => [name, convert(own(value, name), inner, definitions)]),
        );
        break;
      case "items":
      case "additionalProperties": {
        const inner = key === "items" ? schema.items : schema.additional;
        if (inner !== undefined) out[key] = convert(value as JsonObject, inner, definitions);
        break;
      }
      case "anyOf":
      case "oneOf":
        out[key] = (value as JsonObject[]).map((arm, i) =>
          convertArm(arm, schema.union?.arms[i], definitions),
        );
        break;
      default:
        out[key] = value;
    }
  }
  // The known values of an open enum stand in `examples`; examples of its own are in the table.
  if (schema.enum?.open === true) out["examples"] = schema.enum.values.map(({ value }) => value);
  if (schema.ref === undefined) return out;
  const rules = Object.keys(out).some((key) => !ANNOTATIONS.has(key));
  return rules ? { ...out, allOf: [schemaRef(schema.ref)] } : { ...schemaRef(schema.ref), ...out };
}

function convertArm(plain: JsonObject, arm: Schema | undefined, definitions: Definitions): JsonObject {
  if (arm === undefined) return plain;
  const [inner, others] = (plain["allOf"] ?? []) as JsonObject[];
  if (inner === undefined || others === undefined) return convert(plain, arm, definitions);
  return { allOf: [convert(inner, arm, definitions), others] };
}

function own(object: Json | undefined, name: string): JsonObject {
  return Object.getOwnPropertyDescriptor(object, name)?.value as JsonObject;
}

/** What a plain schema cannot say of the nodes of a definition, by the pointer of the node in the document. */
export function lostIn(definition: Definition, definitions: Definitions): [string, JsonObject][] {
  const out: [string, JsonObject][] = [];
  const visit = (schema: Schema, pointer: string, extra: JsonObject): void => {
    const lost = { ...lostOf(schema), ...extra };
    if (Object.keys(lost).length > 0) out.push([pointer, lost]);
    for (const { name, declared, schema: inner } of schema.members ?? []) {
      if (declared) visit(inner, child(`${pointer}/properties`, name), {});
    }
    if (schema.additional !== undefined) visit(schema.additional, `${pointer}/additionalProperties`, {});
    if (schema.items !== undefined) visit(schema.items, `${pointer}/items`, {});
    const { union } = schema;
    if (union === undefined) return;
    const dispatch = dispatchOf(union, definitions);
    const branch = dispatch.ok ? dispatch.branches.find((b) => b.kind === "tag") : undefined;
    const keyword = union.open ? "anyOf" : union.keyword;
    union.arms.forEach((arm, i) => {
      const catchAll = branch?.kind === "tag" && branch.otherwise === i;
      visit(arm, `${pointer}/${keyword}/${i}${catchAll ? "/allOf/0" : ""}`, {});
    });
  };
  visit(
    definition.schema,
    child(SCHEMAS, definition.name),
    definition.role === undefined ? {} : { "x-msp-role": definition.role },
  );
  return out;
}

/** The marks of a node, and the keywords that the translation changes. */
function lostOf(schema: Schema): JsonObject {
  const out: JsonObject = {};
  if (schema.stability !== undefined) out["x-msp-stability"] = schema.stability;
  if (schema.descriptor !== undefined) out["x-msp-descriptor"] = schema.descriptor;
  if (schema.capability !== undefined) out["x-msp-capability"] = schema.capability;
  const listed = schema.enum;
  if (listed !== undefined) {
    if (listed.stated) out["x-msp-openness"] = listed.open ? "open" : "closed";
    const marked = listed.values.filter(({ stability }) => stability !== undefined);
    if (marked.length > 0)
      out["x-msp-value-stability"] = record(
        marked.map(({ value, stability }) => [String(value), stability ?? null]),
      );
    if (listed.open) {
      if (schema.types?.join() !== "string")
        out["type"] = schema.types === undefined ? null : [...schema.types];
      if (schema.examples !== undefined) out["examples"] = [...schema.examples];
    }
  }
  if (schema.union?.open === true) {
    out["x-msp-openness"] = "open";
    if (schema.union.keyword === "oneOf") out["keyword"] = "oneOf";
  }
  return out;
}
