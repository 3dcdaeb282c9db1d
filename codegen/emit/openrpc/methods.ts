/** The parts of the document that OpenRPC itself describes: what it is about, and what a client sends. */
import type { Json, JsonObject } from "../../bundle/json.js";
import { compareNames } from "../../bundle/pointer.js";
import type { Annotated, Definition, Protocol, Schema } from "../../model/protocol.js";
import { familyOf } from "../../plan/names.js";
import { draftSchema, schemaRef } from "./schema.js";

type Definitions = ReadonlyMap<string, Definition>;

/** What the document is about. */
export function infoObject({ title, version, description }: Protocol): JsonObject {
  return { title, version: String(version), ...(description === undefined ? {} : { description }) };
}

/** The calls of a client, then its notifications, which have no result. */
export function methodObjects(protocol: Protocol): JsonObject[] {
  const { definitions, methods, notifications } = protocol;
  return [
    ...methods.map((method) => ({
      ...methodObject(method, definitions),
      result: { name: method.result, schema: schemaRef(method.result) },
    })),
    ...notifications
      .filter(({ direction }) => direction === "client-to-host")
      .map((notification) => methodObject(notification, definitions)),
  ];
}

type Entry = Annotated & { readonly name: string; readonly params?: string };

function methodObject(entry: Entry, definitions: Definitions): JsonObject {
  const { name, title, description, deprecated, params, stability } = entry;
  return {
    name,
    ...(title === undefined ? {} : { summary: title }),
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
    tags: [{ name: familyOf(name) }, ...(stability === undefined ? [] : [{ name: "experimental" }])],
    paramStructure: "by-name",
    params: params === undefined ? [] : paramObjects(params, definitions),
  };
}

/** What one node says of a member of the params. */
interface Part {
  readonly schema: Schema;
  readonly required: boolean;
  /** It stands in one of several alternatives, which need not be the one that applies. */
  readonly alternative: boolean;
}

/** One content descriptor for each member of the params: the required ones first, then by name. */
function paramObjects(params: string, definitions: Definitions): Json[] {
  const members = new Map<string, Part[]>();
  const definition = definitions.get(params);
  if (definition !== undefined) collect(definition.schema, definitions, new Set([params]), members);
  return [...members]
    .filter(([name]) => name !== "") // OpenRPC has no parameter without a name
    .map(([name, parts]) => ({ name, parts, required: parts.some((part) => part.required) }))
    .sort((a, b) => Number(b.required) - Number(a.required) || compareNames(a.name, b.name))
    .map(({ name, parts, required }) => {
      const schemas = parts.map(({ schema }) => draftSchema(schema, definitions));
      const [first = {}] = schemas;
      const { description, deprecated } = parts[0]?.schema ?? {};
      const keyword = parts.some(({ alternative }) => alternative) ? "anyOf" : "allOf";
      return {
        name,
        ...(description === undefined ? {} : { description }),
        required,
        ...(deprecated === undefined ? {} : { deprecated }),
        schema: schemas.length === 1 ? first : { [keyword]: schemas },
      };
    });
}

/** The members of a node, with those of the definitions that it refers to and of its alternatives. */
function collect(
  schema: Schema,
  definitions: Definitions,
  entered: ReadonlySet<string>,
  out: Map<string, Part[]>,
  alternative = false,
): void {
  for (const { name, required, schema: member } of schema.members ?? []) {
    const part = { schema: member, required: required && !alternative, alternative };
    out.set(name, [...(out.get(name) ?? []), part]);
  }
  const target = schema.ref === undefined ? undefined : definitions.get(schema.ref);
  if (target !== undefined && !entered.has(target.name)) {
    collect(target.schema, definitions, new Set([...entered, target.name]), out, alternative);
  }
  for (const arm of schema.union?.arms ?? []) collect(arm, definitions, entered, out, true);
}
