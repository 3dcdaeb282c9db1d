/**
 * The product `model`: the resolved protocol for generators in any language. `schema/model.schema.json` describes it.
 */
import type { Json, JsonObject } from "../../bundle/json.js";
import { dispatchOf } from "../../model/dispatch.js";
import type { Annotated, Protocol, Schema } from "../../model/protocol.js";
import type { SurfacePlan } from "../../plan/plan.js";
import { jsonHeader } from "../header.js";
import { record } from "../schema/translate.js";
import { tablesOf } from "../tables/data.js";

/** The version of the form of `model.json`; it moves when a reader must change. */
export const MODEL_FORMAT = 1;

/** The text of `model.json`. */
export function emitModel(plan: SurfacePlan): string {
  return `${JSON.stringify(modelOf(plan), null, 1)}\n`;
}

/** The model as JSON: the tables, with the texts, and every definition as a tree of nodes. */
export function modelOf(plan: SurfacePlan): JsonObject {
  const { protocol } = plan;
  // What is derived from definitions stays out: the model has these whole.
  const tables = Object.fromEntries(
    tablesOf(plan).flatMap(({ name, value, derived }) => (derived === true ? [] : [[name, value as Json]])),
  );
  const definitions = [...protocol.definitions.values()].map(
    ({ name, schema, role, carries }): [string, Json] => [
      name,
      {
        ...(role === undefined ? {} : { role }),
        ...(carries === undefined ? {} : { carries }),
        ...nodeOf(schema, protocol),
      },
    ],
  );
  return {
    $comment: jsonHeader(plan),
    format: MODEL_FORMAT,
    ...tables,
    ...(protocol.errorData === undefined ? {} : { errorData: protocol.errorData }),
    descriptions: {
      methods: texts(protocol.methods),
      notifications: texts(protocol.notifications),
      requests: texts(protocol.requests),
      errors: texts(protocol.errors.map((row) => ({ ...row, name: row.kind }))),
      capabilities: texts(protocol.capabilities),
      rejections: texts(protocol.rejections.map((row) => ({ ...row, name: row.reason }))),
    },
    definitions: record(definitions),
  };
}

function texts(entries: readonly { readonly name: string; readonly description?: string }[]): JsonObject {
  return record(
    entries.flatMap(({ name, description }) =>
      description === undefined ? [] : [[name, description] as const],
    ),
  );
}

/** One schema node; facets that it does not have are left out. */
function nodeOf(schema: Schema, protocol: Protocol): JsonObject {
  const {
    members,
    additional,
    items,
    union,
    constant,
    enum: listed,
    types,
    dependentRequired,
    default: preset,
    examples,
    ...rest
  } = schema;
  const node: JsonObject = { ...(rest as Annotated as unknown as JsonObject) };
  if (types !== undefined) node["types"] = [...types];
  if (constant !== undefined) node["const"] = constant.value;
  if (listed !== undefined) {
    node["enum"] = {
      open: listed.open,
      values: listed.values.map((value) => ({ ...value })) as JsonObject[],
    };
  }
  if (members !== undefined) {
    node["members"] = members.map(({ name, required, declared, schema: inner }) => ({
      name,
      required,
      declared,
      schema: nodeOf(inner, protocol),
    }));
  }
  if (additional !== undefined) node["additional"] = nodeOf(additional, protocol);
  if (dependentRequired !== undefined)
    node["dependentRequired"] = dependentRequired.map(({ name, needs }) => ({ name, needs: [...needs] }));
  if (items !== undefined) node["items"] = nodeOf(items, protocol);
  if (union !== undefined) {
    const dispatch = dispatchOf(union, protocol.definitions);
    node["union"] = {
      keyword: union.keyword,
      open: union.open,
      arms: union.arms.map((arm) => nodeOf(arm, protocol)),
      ...(dispatch.ok
        ? { dispatch: dispatch.branches.map((branch) => JSON.parse(JSON.stringify(branch)) as JsonObject) }
        : {}),
    };
  }
  if (preset !== undefined) node["default"] = preset.value;
  if (examples !== undefined) node["examples"] = [...examples];
  return node;
}
