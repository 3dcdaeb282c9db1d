/**
 * The plan as JSON: what an emitter of one's own gets. `schema/plan.schema.json` describes it.
 */
import type { JsonObject } from "../bundle/json.js";
import { typeName } from "../plan/names.js";
import type { SurfacePlan } from "../plan/plan.js";
import { headerLines } from "./header.js";
import { modelOf } from "./model/emit.js";
import { record } from "./schema/translate.js";

/** The version of the form of a plan; it moves when an emitter must change. */
export const PLAN_FORMAT = 1;

/** The plan of one surface, as an emitter in any language reads it. */
export function planJson(plan: SurfacePlan): JsonObject {
  const { protocol, fingerprint, command } = plan;
  return {
    format: PLAN_FORMAT,
    surface: protocol.surface,
    fingerprint,
    command,
    // What a generated file should say at its head, a line each; without it the file is taken for somebody else's.
    header: headerLines(plan),
    // Identifiers without clashes, for languages whose identifiers are letters, digits and underscores.
    names: record([...protocol.definitions.keys()].map((name) => [name, typeName(name)])),
    model: modelOf(plan),
  };
}
