/**
 * Reads an OpenRPC document of mspkit back to the bundle that it was made from: the same definitions and messages in
 * the words of the dialect. It trusts no part that another one repeats: a document that contradicts itself is refused.
 */
import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../../bundle/json.js";
import { DIALECT } from "../../bundle/keywords.js";
import { child, escapeToken, unescapeToken } from "../../bundle/pointer.js";
import { buildProtocol } from "../../model/build.js";
import type { Protocol } from "../../model/protocol.js";
import { record } from "../schema/translate.js";
import { infoObject, methodObjects } from "./methods.js";
import { SCHEMAS } from "./schema.js";

/** A document that cannot be read back: what is wrong, and where. */
export class OpenrpcReadError extends Error {
  /** JSON Pointer in the document. */
  readonly pointer: string;
  constructor(pointer: string, problem: string) {
    super(`${pointer === "" ? "the document" : pointer}: ${problem}`);
    this.name = "OpenrpcReadError";
    this.pointer = pointer;
  }
}

/**
 * The bundle of an OpenRPC document that {@link emitOpenrpc} made.
 * @throws {OpenrpcReadError} when it has another form, or when its methods and errors are not those of its tables
 */
export function readOpenrpc(document: Json): JsonObject {
  const root = objectAt(document, "");
  const { name, title, version, description } = section(root, "x-msp-protocol");
  const schemas = new SchemaReader(root);
  const bundle: JsonObject = {
    $schema: DIALECT,
    ...(description === undefined ? {} : { description }),
    protocol: { name: name ?? null, title: title ?? null, version: version ?? null },
    $defs: schemas.all(),
    methods: readEntries(root, "x-msp-methods", schemas, (entry, method) => ({
      ...methodTexts(root, method),
      ...entry,
    })),
    notifications: readEntries(root, "x-msp-notifications", schemas, (entry) => entry),
    requests: readEntries(root, "x-msp-requests", schemas, ({ "x-msp-direction": _, ...entry }) => entry),
    errors: list(root, "x-msp-errors"),
    capabilities: readCapabilities(root),
    reserved: list(root, "x-msp-reserved"),
    rejections: list(root, "x-msp-rejections"),
  };
  checkAgreement(root, buildProtocol(bundle));
  return bundle;
}

function objectAt(value: Json | undefined, pointer: string): JsonObject {
  if (!isJsonObject(value)) throw new OpenrpcReadError(pointer, "must be an object");
  return value;
}

function section(root: JsonObject, key: string): JsonObject {
  return objectAt(root[key], child("", key));
}

function list(root: JsonObject, key: string): JsonObject[] {
  const rows = root[key];
  if (!Array.isArray(rows)) throw new OpenrpcReadError(child("", key), "must be an array");
  return rows.map((row, i) => objectAt(row, child(child("", key), i)));
}

/** The entries of a table, with references for the names of params and results. */
function readEntries(
  root: JsonObject,
  key: string,
  schemas: SchemaReader,
  read: (entry: JsonObject, name: string) => JsonObject,
): JsonObject {
  return record(
    Object.entries(section(root, key)).map(([name, entry]) => {
      const at = child(child("", key), name);
      const { params, result, ...rest } = read(objectAt(entry, at), name);
      return [
        name,
        {
          ...rest,
          ...(params === undefined ? {} : { params: schemas.reference(params, child(at, "params")) }),
          ...(result === undefined ? {} : { result: schemas.reference(result, child(at, "result")) }),
        },
      ];
    }),
  );
}

/** What the method object says in words. */
function methodTexts(root: JsonObject, name: string): JsonObject {
  const method = list(root, "methods").find((entry) => entry["name"] === name);
  if (method === undefined) throw new OpenrpcReadError("/methods", `has no method ${name}`);
  const { description, deprecated } = method;
  return {
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
  };
}

function readCapabilities(root: JsonObject): JsonObject {
  const rows = list(root, "x-msp-capabilities");
  const names = (experimental: boolean): Json[] =>
    rows
      .filter((row) => (row["x-msp-stability"] !== undefined) === experimental)
      .map((row) => row["name"] ?? null);
  return {
    grantable: names(false),
    experimental: names(true),
    reserved: list(root, "x-msp-reserved-capabilities"),
    descriptions: record(
      rows.flatMap((row) =>
        row["description"] === undefined ? [] : [[String(row["name"]), row["description"]] as const],
      ),
    ),
  };
}

/** Reads the schemas of a document: the inverse of the translation, with what the table has of each node. */
class SchemaReader {
  readonly #schemas: JsonObject;
  readonly #lost: JsonObject;
  /** The pointers of the nodes that were read. */
  readonly #read = new Set<string>();

  constructor(root: JsonObject) {
    this.#schemas = objectAt(section(root, "components")["schemas"], SCHEMAS);
    this.#lost = section(root, "x-msp-schemas");
  }

  /** The definitions by name. */
  all(): JsonObject {
    const defs = record(
      Object.entries(this.#schemas).map(([name, node]) => [name, this.#node(node, child(SCHEMAS, name))]),
    );
    for (const pointer of Object.keys(this.#lost)) {
      if (!this.#read.has(pointer))
        throw new OpenrpcReadError(child("/x-msp-schemas", pointer), "names no schema");
    }
    return defs;
  }

  /** A reference to a definition, as a bundle has it. */
  reference(name: Json, pointer: string): JsonObject {
    if (typeof name !== "string" || !Object.hasOwn(this.#schemas, name))
      throw new OpenrpcReadError(pointer, "must name one of the schemas");
    return { $ref: `#/$defs/${escapeToken(name)}` };
  }

  /** A reference of the document, as a bundle has it. */
  #translated(ref: Json | undefined, pointer: string): JsonObject {
    const start = `#${SCHEMAS}/`;
    if (typeof ref !== "string" || !ref.startsWith(start))
      throw new OpenrpcReadError(pointer, `must be a reference that starts with ${start}`);
    return this.reference(unescapeToken(decodeURIComponent(ref.slice(start.length))), pointer);
  }

  #node(value: Json, pointer: string): JsonObject {
    const node = objectAt(value, pointer);
    this.#read.add(pointer);
    const entry = Object.hasOwn(this.#lost, pointer)
      ? objectAt(this.#lost[pointer], child("/x-msp-schemas", pointer))
      : {};
    const { type, examples, keyword, ...marks } = entry;
    const out: JsonObject = { ...marks };
    for (const [key, part] of Object.entries(node)) {
      const at = child(pointer, key);
      switch (key) {
        case "$ref":
          Object.assign(out, this.#translated(part, at));
          break;
        case "allOf": {
          const [only, ...more] = Array.isArray(part) ? part : [];
          if (!isJsonObject(only) || more.length > 0)
            throw new OpenrpcReadError(at, "must have one reference and nothing else");
          Object.assign(out, this.#translated(only["$ref"], child(at, 0)));
          break;
        }
        case "dependencies":
          out["dependentRequired"] = part;
          break;
        case "properties":
          out[key] = record(
            Object.entries(objectAt(part, at)).map(([name, member]) => [
              name,
              this.#node(member, child(at, name)),
            ]),
          );
          break;
        case "items":
        case "additionalProperties":
          out[key] = this.#node(part, at);
          break;
        case "anyOf":
        case "oneOf":
          if (!Array.isArray(part)) throw new OpenrpcReadError(at, "must be an array");
          out[keyword === "oneOf" ? "oneOf" : key] = part.map((arm, i) => this.#arm(arm, child(at, i)));
          break;
        default:
          out[key] = part;
      }
    }
    const union = "anyOf" in node || "oneOf" in node;
    return marks["x-msp-openness"] === "open" && !union ? openEnum(out, type, examples) : out;
  }

  /** One arm. The last one of an open union stands beside what excludes the tags of the others. */
  #arm(arm: Json, pointer: string): JsonObject {
    const all = objectAt(arm, pointer)["allOf"];
    if (!Array.isArray(all) || all.length !== 2) return this.#node(arm, pointer);
    return this.#node(all[0] ?? null, child(child(pointer, "allOf"), 0));
  }
}

/** An open enum: its values stood in `examples`, and its type and own examples in the table where they differ. */
function openEnum(node: JsonObject, type: Json | undefined, examples: Json | undefined): JsonObject {
  const { examples: values, type: shown, ...rest } = node;
  const stated = type === undefined ? shown : type;
  return {
    ...rest,
    enum: values ?? [],
    ...(stated === undefined || stated === null ? {} : { type: stated }),
    ...(examples === undefined ? {} : { examples }),
  };
}

/** Holds what the document says twice against what was read. */
function checkAgreement(root: JsonObject, protocol: Protocol): void {
  if (!jsonEqual(section(root, "info"), infoObject(protocol)))
    throw new OpenrpcReadError("/info", "is not what x-msp-protocol says");
  const expected = methodObjects(protocol);
  const found = list(root, "methods");
  expected.forEach((method, i) => {
    for (const key of new Set([...Object.keys(method), ...Object.keys(found[i] ?? {})])) {
      if (!jsonEqual(method[key] ?? null, found[i]?.[key] ?? null))
        throw new OpenrpcReadError(
          child(child("/methods", i), key),
          "is not what the tables and the schemas say",
        );
    }
  });
  if (found.length > expected.length)
    throw new OpenrpcReadError(child("/methods", expected.length), "is in no table");
  const errors = objectAt(section(root, "components")["errors"], "/components/errors");
  const codes = record(
    protocol.errors.map(({ kind, code, title }) => [kind, { code, message: title ?? kind }]),
  );
  if (!jsonEqual(errors, codes))
    throw new OpenrpcReadError("/components/errors", "is not what x-msp-errors says");
}
