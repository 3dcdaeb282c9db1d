/** What a bundle says, as doors need it: its methods with their names at each door, and their checks. */
import type { App, AppBundle, JsonObject, JsonValue } from "../commands/app.js";
import { DoorError } from "./door-error.js";
import { pathOf, toolNameOf } from "./names.js";
import type { ErrorRegistry } from "./reasons.js";
import { type Definitions, isJsonObject, resolved, type Scalar, scalarOf } from "./schema.js";

/** The member of params that has the id of a command, as the dialect of bundles has it. */
export const COMMAND_ID = "commandId";

/** How a value breaks its schema. */
export interface Violation {
  /** JSON Pointer of the part that is wrong. */
  readonly instanceLocation: string;
  readonly keyword: string;
  readonly message: string;
}

/** Checks a value: null when it is valid. */
export type Check = (value: unknown, options?: { readonly all?: boolean }) => readonly Violation[] | null;

/** A method, as doors serve it. */
export interface DoorMethod {
  readonly name: string;
  /** `query`: changes nothing. `command`: carried out once for its id. `action`: changes something, and has no id. */
  readonly kind: "query" | "command" | "action";
  readonly description: string | undefined;
  /** Path of REST. */
  readonly path: string;
  /** Name of the MCP tool and of the operation of OpenAPI. */
  readonly tool: string;
  /** The schema of its params, an object, with references to definitions. */
  readonly params: JsonObject;
  /** The schema of its result, with references to definitions. */
  readonly result: JsonObject;
  /** The types of all its params, of a query whose params are numbers, texts and truth values alone; else undefined. */
  readonly flat: ReadonlyMap<string, Scalar> | undefined;
  readonly check: Check;
}

/** A reason that a bundle lists. */
export interface ListedReason {
  readonly reason: string;
  readonly description: string | undefined;
  /** Whose rejection it may be; undefined: that of any method. */
  readonly methods: readonly string[] | undefined;
}

/** A bundle, as doors serve it. */
export interface Surface {
  /** Of the protocol: a word. */
  readonly name: string;
  readonly title: string;
  readonly version: number | string;
  readonly description: string | undefined;
  readonly methods: ReadonlyMap<string, DoorMethod>;
  readonly notifications: ReadonlySet<string>;
  readonly definitions: Definitions;
  readonly errors: ErrorRegistry;
  /** The reasons of rejections that the bundle lists. The set is open. */
  readonly rejections: readonly ListedReason[];
  /** The member of params that names the workspace. */
  readonly workspaceMember: string;
}

interface Tables {
  readonly protocol: { readonly name: string; readonly title?: string; readonly version: number | string };
  readonly methods: Readonly<
    Record<
      string,
      { readonly kind: string; readonly commandId: string; readonly params?: string; readonly result: string }
    >
  >;
  readonly notifications: Readonly<Record<string, unknown>>;
  readonly errors: ErrorRegistry;
  readonly rejections?: Readonly<Record<string, { readonly methods?: readonly string[] }>>;
}

interface Validators {
  readonly methods: Readonly<Record<string, { readonly params?: Check }>>;
}

/**
 * Reads the bundle of an application.
 * @throws {DoorError} where it is no bundle, or two methods would have one name
 */
export function surfaceOf({
  bundle,
  workspaceMember = "workspaceId",
}: Pick<App, "bundle" | "workspaceMember">): Surface {
  const { tables, validators } = modulesOf(bundle);
  const definitions = definitionsOf(bundle.schema);
  const { protocol } = tables;
  const { title, description } = bundle.schema;
  const descriptions = descriptionsOf(bundle.openrpc, "methods", "name");
  const methods = new Map(
    Object.entries(tables.methods).map(([name, row]): [string, DoorMethod] => {
      const params = row.params === undefined ? { type: "object" } : schemaOf(row.params, definitions);
      const kind = kindOf(row);
      return [
        name,
        {
          name,
          kind,
          description: descriptions.get(name),
          path: pathOf(name, protocol.version),
          tool: toolNameOf(name),
          params,
          result: { $ref: `#/$defs/${pointerPart(row.result)}` },
          flat: kind === "query" ? flatMembers(params, definitions) : undefined,
          check: validators.methods[name]?.params ?? (() => null),
        },
      ];
    }),
  );
  const tools = new Map<string, string>();
  for (const { name, tool } of methods.values()) {
    const other = tools.get(tool);
    if (other !== undefined)
      throw new DoorError("nameTaken", `${other} and ${name} would both be the tool ${tool}`);
    tools.set(tool, name);
  }
  return {
    name: protocol.name,
    title: typeof title === "string" ? title : (protocol.title ?? protocol.name),
    version: protocol.version,
    description: typeof description === "string" ? description : undefined,
    methods,
    notifications: new Set(Object.keys(tables.notifications)),
    definitions,
    errors: tables.errors,
    rejections: listedReasons(tables, bundle.openrpc),
    workspaceMember,
  };
}

function modulesOf({ tables, validators }: AppBundle): {
  readonly tables: Tables;
  readonly validators: Validators;
} {
  const has = (module: object, names: readonly string[]): boolean =>
    names.every((name) => typeof (module as Readonly<Record<string, unknown>>)[name] === "object");
  if (!has(tables, ["protocol", "methods", "notifications", "errors"]))
    throw new DoorError("malformedBundle", "the tables of the bundle are not the generated tables.js");
  if (!has(validators, ["methods"]))
    throw new DoorError(
      "malformedBundle",
      "the validators of the bundle are not the generated validators.js",
    );
  return { tables: tables as Tables, validators: validators as Validators };
}

function definitionsOf({ $defs }: JsonObject): Definitions {
  if (!isJsonObject($defs))
    throw new DoorError("malformedBundle", "the schema of the bundle is not the generated schema.json");
  return $defs as Definitions;
}

function schemaOf(name: string, definitions: Definitions): JsonObject {
  if (!Object.hasOwn(definitions, name))
    throw new DoorError("malformedBundle", `the schema of the bundle has no definition ${name}`);
  return resolved(definitions[name], definitions);
}

function kindOf({
  kind,
  commandId,
}: {
  readonly kind: string;
  readonly commandId: string;
}): DoorMethod["kind"] {
  if (kind === "query") return "query";
  return commandId === "required" ? "command" : "action";
}

function flatMembers(
  { properties = {}, ...rest }: JsonObject,
  definitions: Definitions,
): ReadonlyMap<string, Scalar> | undefined {
  // What a combination of schemas adds is not looked for.
  if (!isJsonObject(properties) || "allOf" in rest || "anyOf" in rest || "oneOf" in rest) return undefined;
  const members = new Map<string, Scalar>();
  for (const [name, schema] of Object.entries(properties)) {
    const scalar = scalarOf(schema, definitions);
    if (scalar === undefined) return undefined;
    members.set(name, scalar);
  }
  return members;
}

function listedReasons(
  { rejections = {} }: Tables,
  openrpc: JsonObject | undefined,
): readonly ListedReason[] {
  const descriptions = descriptionsOf(openrpc, "x-msp-rejections", "reason");
  return Object.entries(rejections).map(([reason, { methods }]) => ({
    reason,
    methods,
    description: descriptions.get(reason),
  }));
}

/** What the rows of a list say of themselves, by their names. */
function descriptionsOf(
  openrpc: JsonObject | undefined,
  list: string,
  key: string,
): ReadonlyMap<string, string> {
  const rows: JsonValue = openrpc?.[list] ?? [];
  return new Map(
    (Array.isArray(rows) ? (rows as readonly JsonValue[]) : []).flatMap((row): [string, string][] => {
      if (!isJsonObject(row)) return [];
      const { [key]: name, description } = row;
      return typeof name === "string" && typeof description === "string" ? [[name, description]] : [];
    }),
  );
}

function pointerPart(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
