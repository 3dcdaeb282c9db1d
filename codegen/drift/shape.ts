/** A node of the model as the bundle spells it, without what it only says about itself. */
import type { Json, JsonObject } from "../bundle/json.js";
import { reference } from "../emit/schema/translate.js";
import type { Schema } from "../model/protocol.js";

const PLAIN = [
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
] as const satisfies readonly (keyof Schema)[];

/** A node that takes no value. */
export const NOTHING: Schema = { pointer: "", enum: { values: [], open: false, stated: true } };

/** The shape of a node: what an acknowledgment is bound to, and what a changelog shows. */
export function shapeOf(schema: Schema): JsonObject {
  const out: JsonObject = {};
  if (schema.ref !== undefined) out["$ref"] = reference(schema.ref);
  if (schema.types !== undefined)
    out["type"] = schema.types.length === 1 ? schema.types[0]! : [...schema.types];
  if (schema.constant !== undefined) out["const"] = schema.constant.value;
  if (schema.enum !== undefined) {
    out["enum"] = schema.enum.values.map(({ value }) => value);
    if (schema.enum.stated) out["x-msp-openness"] = schema.enum.open ? "open" : "closed";
  }
  for (const key of PLAIN) if (schema[key] !== undefined) out[key] = schema[key] as Json;
  if (schema.members !== undefined) {
    const declared = schema.members.filter((member) => member.declared);
    out["properties"] = Object.fromEntries(declared.map(({ name, schema: of }) => [name, shapeOf(of)]));
    const required = schema.members.flatMap(({ name, required: must }) => (must ? [name] : []));
    if (required.length > 0) out["required"] = required;
  }
  if (schema.additional !== undefined) out["additionalProperties"] = shapeOf(schema.additional);
  if (schema.dependentRequired !== undefined)
    out["dependentRequired"] = Object.fromEntries(
      schema.dependentRequired.map(({ name, needs }) => [name, [...needs]]),
    );
  if (schema.items !== undefined) out["items"] = shapeOf(schema.items);
  if (schema.union !== undefined) {
    out[schema.union.keyword] = schema.union.arms.map(shapeOf);
    if (schema.union.open) out["x-msp-openness"] = "open";
  }
  return out;
}
