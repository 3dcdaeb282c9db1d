/**
 * The model: a bundle, resolved. Everything that mspkit makes is made from it.
 *
 * Definitions, methods, notifications, requests and members are in code-point order of their names; errors, enum
 * values, union arms and rejections keep the order in which the bundle declares them.
 */
import type { Json } from "../bundle/json.js";
import type { JsonType } from "../bundle/keywords.js";

/** Which part of a protocol: what is promised, or all there is. */
export type Surface = "stable" | "experimental";

/** Absent means stable. */
export type Stability = "experimental";

/** What any node may say about itself. */
export interface Annotated {
  /** JSON Pointer of the node in the bundle. */
  readonly pointer: string;
  readonly description?: string;
  readonly title?: string;
  readonly deprecated?: boolean;
  readonly stability?: Stability;
  /** Name of an experimental thing in errors: METHOD, METHOD.MEMBER or DEFINITION.MEMBER. */
  readonly descriptor?: string;
}

/** One schema node: a conjunction of the facets that it has. A node without facets accepts any value. */
export interface Schema extends Annotated {
  /** Name of the definition that also applies. */
  readonly ref?: string;
  /** The JSON types that are accepted, in code-point order. */
  readonly types?: readonly JsonType[];
  readonly enum?: EnumFacet;
  readonly constant?: { readonly value: Json };
  /** Declared members, and required ones that are not declared. Present where the node speaks of members at all. */
  readonly members?: readonly Member[];
  /** What members that are not declared must satisfy. */
  readonly additional?: Schema;
  readonly dependentRequired?: readonly Dependency[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** ECMA-262, with the unicode flag. */
  readonly pattern?: string;
  /** In code points. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly union?: Union;
  /** The capability that a client must hold to use this member. */
  readonly capability?: string;
  readonly default?: { readonly value: Json };
  readonly examples?: readonly Json[];
}

/** The values of an enum. */
export interface EnumFacet {
  readonly values: readonly EnumValue[];
  /** An open enum also accepts any other string. */
  readonly open: boolean;
  /** Whether the bundle says so; an enum that says nothing is closed. */
  readonly stated: boolean;
}

/** One value of an enum. */
export interface EnumValue {
  readonly value: Json;
  readonly stability?: Stability;
}

/** One member of an object. */
export interface Member {
  readonly name: string;
  readonly required: boolean;
  /** False for a member that is required and not declared. */
  readonly declared: boolean;
  readonly schema: Schema;
}

/** Where `name` is present, so must `needs` be. */
export interface Dependency {
  readonly name: string;
  readonly needs: readonly string[];
}

/** Alternatives. How a value selects its arm is worked out once: see `dispatch`. */
export interface Union {
  readonly keyword: "anyOf" | "oneOf";
  readonly arms: readonly Schema[];
  /** An open union accepts arms of the future by its last arm. */
  readonly open: boolean;
}

/** A named schema. */
export interface Definition extends Annotated {
  readonly name: string;
  readonly schema: Schema;
  readonly role?: Role;
  /** Its value is a message inside a message: its `method` names the notification whose params its `params` are. */
  readonly carries?: "notification";
}

/** What a definition is for that no message reaches by reference. */
export type Role = "errorData" | "request" | "notification" | "successResponse" | "errorResponse" | "record";

/** `command`: changes something, once per commandId. `query`: changes nothing. `action`: changes something without a commandId. */
export type MethodKind = "command" | "query" | "action";

/** A method that a client calls. */
export interface Method extends Annotated {
  readonly name: string;
  /** Definition of the params; absent when the method takes none. */
  readonly params?: string;
  /** Definition of the result. */
  readonly result: string;
  readonly kind: MethodKind;
  readonly commandId: "required" | "optional" | "none";
  /** Of a command: how long its record outlives it. Absent on other methods. */
  readonly record?: "durable" | "host-lifetime";
  readonly capability?: string;
  /** Unknown members of the params are refused. */
  readonly strict: boolean;
  /** The host profiles that answer `methodNotFound`. */
  readonly withheld: readonly "ephemeral"[];
}

/** A message without an answer. */
export interface Notification extends Annotated {
  readonly name: string;
  readonly params?: string;
  readonly direction: "client-to-host" | "host-to-client";
  /** `view`: an event of a session's view, with a cursor. `broadcast`: outside any view. */
  readonly scope: "view" | "broadcast";
  /** Never dropped, replaced by a gap, or opted out of. */
  readonly protected: boolean;
  readonly capability?: string;
}

/** A request that the host sends. */
export interface ServerRequest extends Annotated {
  readonly name: string;
  readonly params?: string;
  readonly result: string;
  readonly protected: boolean;
}

/** One row of the error registry. */
export interface ErrorRow extends Annotated {
  readonly code: number;
  readonly kind: string;
  /** Absent where the bundle makes no claim. */
  readonly retryable?: boolean;
  readonly overrideKinds: readonly string[];
}

/** A capability that a client may be granted. */
export interface Capability extends Annotated {
  readonly name: string;
}

/** An identifier that is never assigned. */
export interface Reserved {
  readonly identifier: string;
  readonly reference?: string;
}

/** Why a command is durably rejected. */
export interface Rejection {
  readonly reason: string;
  readonly description?: string;
  /** The methods that answer it; absent where any command may. */
  readonly methods?: readonly string[];
  /** Who chose the word: the protocol, or this host where the protocol names none. */
  readonly definedBy: "protocol" | "host";
}

/** A resolved bundle, or its projection to one surface. */
export interface Protocol {
  readonly name: string;
  readonly title: string;
  readonly version: number;
  readonly surface: Surface;
  readonly description?: string;
  readonly definitions: ReadonlyMap<string, Definition>;
  readonly methods: readonly Method[];
  readonly notifications: readonly Notification[];
  readonly requests: readonly ServerRequest[];
  readonly errors: readonly ErrorRow[];
  readonly capabilities: readonly Capability[];
  readonly reservedCapabilities: readonly { readonly name: string; readonly reference?: string }[];
  readonly reserved: readonly Reserved[];
  readonly rejections: readonly Rejection[];
  /** Name of the definition of an error's `data`, where the bundle has one. */
  readonly errorData?: string;
}

/** What a node says of itself rather than of values. */
const NOT_FACETS = new Set([
  "pointer",
  "description",
  "title",
  "deprecated",
  "stability",
  "descriptor",
  "capability",
  "default",
  "examples",
]);

/** The facets of a node: its keys that decide which values it accepts. */
export function facetsOf(schema: Schema): string[] {
  return Object.keys(schema).filter((key) => !NOT_FACETS.has(key));
}

/** Calls `visit` with a node and all nodes inside it, outermost first; references are not followed. */
export function forEachSchema(schema: Schema, visit: (node: Schema) => void): void {
  visit(schema);
  if (schema.members !== undefined) for (const member of schema.members) forEachSchema(member.schema, visit);
  if (schema.additional !== undefined) forEachSchema(schema.additional, visit);
  if (schema.items !== undefined) forEachSchema(schema.items, visit);
  if (schema.union !== undefined) for (const arm of schema.union.arms) forEachSchema(arm, visit);
}

/** A node with other parts: its members' schemas, what others and items must be, its arms. The same object where all stay. */
export function mapParts(schema: Schema, of: (part: Schema) => Schema): Schema {
  const { members, additional, items, union } = schema;
  const changed: { -readonly [Key in keyof Schema]?: Schema[Key] } = {};
  if (members !== undefined) {
    const mapped = members.map((member) => {
      const part = of(member.schema);
      return part === member.schema ? member : { ...member, schema: part };
    });
    if (mapped.some((member, i) => member !== members[i])) changed.members = mapped;
  }
  if (additional !== undefined) {
    const part = of(additional);
    if (part !== additional) changed.additional = part;
  }
  if (items !== undefined) {
    const part = of(items);
    if (part !== items) changed.items = part;
  }
  if (union !== undefined) {
    const arms = union.arms.map(of);
    if (arms.some((arm, i) => arm !== union.arms[i])) changed.union = { ...union, arms };
  }
  return Object.keys(changed).length === 0 ? schema : { ...schema, ...changed };
}

const referencesOf = new WeakMap<Schema, ReadonlySet<string>>();

/** The names of the definitions that a node refers to, itself or inside. */
export function references(schema: Schema): ReadonlySet<string> {
  let names = referencesOf.get(schema);
  if (names === undefined) {
    const found = new Set<string>();
    forEachSchema(schema, ({ ref }) => {
      if (ref !== undefined) found.add(ref);
    });
    names = found;
    referencesOf.set(schema, names);
  }
  return names;
}
