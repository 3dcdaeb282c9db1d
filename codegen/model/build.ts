/**
 * Builds the model from a bundle that the dialect accepts: the whole surface, with its stability.
 */
import { refName } from "../bundle/check-schema.js";
import { type Json, type JsonObject, ordered, orderedKeys } from "../bundle/json.js";
import type { JsonType } from "../bundle/keywords.js";
import { child, compareNames } from "../bundle/pointer.js";
import type {
  Annotated,
  Capability,
  Definition,
  Dependency,
  EnumFacet,
  ErrorRow,
  Member,
  Method,
  MethodKind,
  Notification,
  Protocol,
  Rejection,
  Role,
  Schema,
  ServerRequest,
} from "./protocol.js";

/** The model of a checked bundle. */
export function buildProtocol(root: JsonObject): Protocol {
  const definitions = new Map<string, Definition>();
  const nodes = section(root, "$defs");
  const roleOf = nodes.some(([, node]) => "x-msp-role" in node)
    ? (_: string, node: JsonObject) => node["x-msp-role"] as Role | undefined
    : (name: string) => (Object.hasOwn(ROLES_BY_NAME, name) ? ROLES_BY_NAME[name] : undefined);
  const carriesOf = nodes.some(([, node]) => "x-msp-carries" in node)
    ? (_: string, node: JsonObject) => node["x-msp-carries"] as Definition["carries"]
    : (name: string) => (name === CARRIER ? "notification" : undefined);
  for (const [name, node] of nodes) {
    const schema = buildSchema(node, child("/$defs", name));
    const role = roleOf(name, node);
    const carries = carriesOf(name, node);
    definitions.set(name, {
      ...annotations(node, schema.pointer),
      name,
      schema,
      ...given({ role, carries }),
    });
  }
  const notices = section(root, "notifications");
  const directed = notices.some(([, node]) => "x-msp-direction" in node);
  const about = (root["protocol"] ?? {}) as JsonObject;
  const name = (about["name"] as string | undefined) ?? "protocol";
  const errorData = [...definitions.values()].find((d) => d.role === "errorData")?.name;
  return {
    name,
    title: (about["title"] as string | undefined) ?? (root["title"] as string | undefined) ?? name,
    version: (about["version"] as number | undefined) ?? 1,
    surface: "experimental",
    ...given({ description: root["description"] as string | undefined }),
    definitions,
    methods: section(root, "methods").map(([method, node]) => buildMethod(method, node, definitions)),
    notifications: notices.map(([method, node]) =>
      buildNotification(method, node, !directed && FROM_CLIENTS.includes(method)),
    ),
    requests: section(root, "requests").map(([method, node]) => buildRequest(method, node)),
    errors: list(root, "errors").map(buildError),
    capabilities: buildCapabilities(root),
    reservedCapabilities: list((root["capabilities"] ?? {}) as JsonObject, "reserved").map(
      ordered,
    ) as unknown as Protocol["reservedCapabilities"],
    reserved: list(root, "reserved").map(ordered) as unknown as Protocol["reserved"],
    rejections: list(root, "rejections").map(buildRejection),
    ...given({ errorData }),
  };
}

/** A bundle that marks no roles has these definitions under the names that the protocol's owners use. */
const ROLES_BY_NAME: Readonly<Record<string, Role>> = {
  ErrorData: "errorData",
  Request: "request",
  Notification: "notification",
  SuccessResponse: "successResponse",
  ErrorResponse: "errorResponse",
};

/** In a bundle that marks no direction, what clients notify by the names that the protocol's owners use. */
const FROM_CLIENTS: readonly string[] = ["initialized", "userInput/engaged"];

/** In a bundle that marks none, what the protocol's owners call the events inside a page. */
const CARRIER = "UnframedViewNotification";

function section(root: JsonObject, key: string): [string, JsonObject][] {
  const entries = Object.entries((root[key] ?? {}) as JsonObject) as [string, JsonObject][];
  return entries.sort(([a], [b]) => compareNames(a, b));
}

function list(root: JsonObject, key: string): JsonObject[] {
  return (root[key] ?? []) as JsonObject[];
}

/** The members of an object that have a value; what `exactOptionalPropertyTypes` asks for. */
function given<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const out: Partial<T> = {};
  for (const key in object) if (object[key] !== undefined) out[key] = object[key];
  return out as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function annotations(node: JsonObject, pointer: string): { -readonly [K in keyof Annotated]: Annotated[K] } {
  const out: { -readonly [K in keyof Annotated]: Annotated[K] } = { pointer };
  if (node["description"] !== undefined) out.description = node["description"] as string;
  if (node["title"] !== undefined) out.title = node["title"] as string;
  if (node["deprecated"] !== undefined) out.deprecated = node["deprecated"] as boolean;
  if (node["x-msp-stability"] !== undefined) out.stability = "experimental";
  if (node["x-msp-descriptor"] !== undefined) out.descriptor = node["x-msp-descriptor"] as string;
  return out;
}

/** One schema node and all inside it. */
export function buildSchema(node: JsonObject, pointer: string): Schema {
  const out: { -readonly [K in keyof Schema]: Schema[K] } = annotations(node, pointer);
  for (const key of orderedKeys(node)) {
    const value = node[key] as Json;
    switch (key) {
      case "$ref":
        out.ref = refName(value as string);
        break;
      case "type":
        out.types = Array.isArray(value) ? ([...value].sort() as JsonType[]) : [value as JsonType];
        break;
      case "enum":
        out.enum = buildEnum(node, value as Json[]);
        break;
      case "const":
        out.constant = { value: ordered(value) };
        break;
      case "additionalProperties":
        out.additional = buildSchema(value as JsonObject, child(pointer, key));
        break;
      case "items":
        out.items = buildSchema(value as JsonObject, child(pointer, key));
        break;
      case "anyOf":
      case "oneOf":
        out.union = buildUnion(node, key, value as JsonObject[], pointer);
        break;
      case "dependentRequired":
        out.dependentRequired = Object.entries(value as JsonObject)
          .map(([name, needs]): Dependency => ({ name, needs: [...(needs as string[])].sort(compareNames) }))
          .sort((a, b) => compareNames(a.name, b.name));
        break;
      case "pattern":
      case "minimum":
      case "maximum":
      case "minLength":
      case "maxLength":
      case "minItems":
      case "maxItems":
        (out as Record<string, unknown>)[key] = value;
        break;
      case "default":
        out.default = { value: ordered(value) };
        break;
      case "examples":
        out.examples = ordered(value) as Json[];
        break;
      case "x-msp-capability":
        out.capability = value as string;
        break;
    }
  }
  if ("properties" in node || "required" in node) out.members = buildMembers(node, pointer);
  return out;
}

function buildEnum(node: JsonObject, values: readonly Json[]): EnumFacet {
  const stability = (node["x-msp-value-stability"] ?? {}) as JsonObject;
  return {
    values: values.map((value) =>
      typeof value === "string" && Object.hasOwn(stability, value)
        ? { value, stability: "experimental" }
        : { value: ordered(value) },
    ),
    open: node["x-msp-openness"] === "open",
    stated: Object.hasOwn(node, "x-msp-openness"),
  };
}

function buildUnion(
  node: JsonObject,
  keyword: "anyOf" | "oneOf",
  arms: readonly JsonObject[],
  pointer: string,
): NonNullable<Schema["union"]> {
  const at = child(pointer, keyword);
  return {
    keyword,
    arms: arms.map((arm, i) => buildSchema(arm, child(at, i))),
    open: node["x-msp-openness"] === "open",
  };
}

function buildMembers(node: JsonObject, pointer: string): Member[] {
  const properties = (node["properties"] ?? {}) as JsonObject;
  const required = new Set((node["required"] ?? []) as string[]);
  const members: Member[] = [];
  for (const name of Object.keys(properties)) {
    const schema = buildSchema(properties[name] as JsonObject, `${pointer}/properties${child("", name)}`);
    members.push({ name, required: required.has(name), declared: true, schema });
  }
  for (const name of required) {
    if (Object.hasOwn(properties, name)) continue;
    members.push({ name, required: true, declared: false, schema: { pointer: child(pointer, "required") } });
  }
  return members.sort((a, b) => compareNames(a.name, b.name));
}

function definitionOf(node: JsonObject, key: "params" | "result"): string | undefined {
  const target = node[key] as JsonObject | undefined;
  return target === undefined ? undefined : refName(target["$ref"] as string);
}

function buildMethod(name: string, node: JsonObject, definitions: ReadonlyMap<string, Definition>): Method {
  const params = definitionOf(node, "params");
  const id = commandIdOf(params === undefined ? undefined : definitions.get(params)?.schema);
  const kind = (node["x-msp-kind"] as MethodKind | undefined) ?? (id === "required" ? "command" : "query");
  const commandId =
    (node["x-msp-command-id"] as Method["commandId"] | undefined) ?? (kind === "command" ? id : "none");
  const record = (node["x-msp-record"] as Method["record"] | undefined) ?? "durable";
  return {
    ...annotations(node, child("/methods", name)),
    name,
    ...given({ params }),
    result: definitionOf(node, "result")!,
    kind,
    commandId,
    ...(kind === "command" ? { record } : {}),
    ...given({ capability: node["x-msp-capability"] as string | undefined }),
    strict: node["x-msp-strict"] === true,
    withheld: (node["x-msp-withheld"] ?? []) as "ephemeral"[],
  };
}

/** What the params say of a `commandId`. */
export function commandIdOf(params: Schema | undefined): Method["commandId"] {
  const member = params?.members?.find(({ name }) => name === "commandId");
  return member === undefined ? "none" : member.required ? "required" : "optional";
}

function buildNotification(name: string, node: JsonObject, fromClients: boolean): Notification {
  return {
    ...annotations(node, child("/notifications", name)),
    name,
    ...given({ params: definitionOf(node, "params") }),
    direction:
      (node["x-msp-direction"] as Notification["direction"] | undefined) ??
      (fromClients ? "client-to-host" : "host-to-client"),
    scope: (node["x-msp-scope"] as Notification["scope"] | undefined) ?? "broadcast",
    protected: node["x-msp-protected"] === true,
    ...given({ capability: node["x-msp-capability"] as string | undefined }),
  };
}

function buildRequest(name: string, node: JsonObject): ServerRequest {
  return {
    ...annotations(node, child("/requests", name)),
    name,
    ...given({ params: definitionOf(node, "params") }),
    result: definitionOf(node, "result")!,
    protected: node["x-msp-protected"] === true,
  };
}

function buildError(node: JsonObject, index: number): ErrorRow {
  return {
    ...annotations(node, child("/errors", index)),
    code: node["code"] as number,
    kind: node["kind"] as string,
    ...given({ retryable: node["retryable"] as boolean | undefined }),
    overrideKinds: (node["overrideKinds"] ?? []) as string[],
  };
}

function buildCapabilities(root: JsonObject): Capability[] {
  const node = (root["capabilities"] ?? {}) as JsonObject;
  const descriptions = (node["descriptions"] ?? {}) as JsonObject;
  const of = (key: "grantable" | "experimental"): Capability[] =>
    ((node[key] ?? []) as string[]).map((name, i) => ({
      pointer: `/capabilities/${key}/${i}`,
      name,
      ...given({
        description: descriptions[name] as string | undefined,
        stability: key === "experimental" ? ("experimental" as const) : undefined,
      }),
    }));
  return [...of("grantable"), ...of("experimental")];
}

function buildRejection(node: JsonObject): Rejection {
  return {
    reason: node["reason"] as string,
    ...given({
      description: node["description"] as string | undefined,
      methods: node["methods"] as string[] | undefined,
    }),
    definedBy: node["definedBy"] === "host" ? "host" : "protocol",
  };
}
