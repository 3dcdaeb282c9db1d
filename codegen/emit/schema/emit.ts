/** The product `schema`: the surface as one plain JSON Schema document, for validators of any make. */
import type { Json, JsonObject } from "../../bundle/json.js";
import { DIALECT } from "../../bundle/keywords.js";
import type { SurfacePlan } from "../../plan/plan.js";
import { jsonHeader } from "../header.js";
import { record, translate } from "./translate.js";

/** The text of `schema.json`. */
export function emitSchema(plan: SurfacePlan): string {
  return `${JSON.stringify(plainSchema(plan), null, 2)}\n`;
}

/** The document: every definition of the surface under `$defs`. */
export function plainSchema(plan: SurfacePlan): JsonObject {
  const { protocol } = plan;
  const definitions = [...protocol.definitions.values()];
  return {
    $schema: DIALECT,
    $id: `urn:mspkit:${protocol.name}:${protocol.surface}`,
    $comment: jsonHeader(plan),
    title: protocol.title,
    ...(protocol.description === undefined ? {} : { description: protocol.description }),
    $defs: record(
      definitions.map(({ name, schema }): [string, Json] => [name, translate(schema, protocol.definitions)]),
    ),
  };
}
