/**
 * The table `payloads`: of each definition that the params of a command lead to, what a host must know to tell two
 * payloads apart. Scalars say nothing here, and neither does an object without declared members: it counts as a whole.
 */
import type { Json, JsonObject } from "../../bundle/json.js";
import { isJsonObject, jsonEqual } from "../../bundle/json.js";
import { compareNames } from "../../bundle/pointer.js";
import type { Definition, Protocol, Schema } from "../../model/protocol.js";
import { record } from "../schema/translate.js";

/** The declaration of what stands in the table. */
export const PAYLOAD_SHAPE = `/**
 * What payload identity needs to know of a value. Where it says nothing of objects (no \`ref\`, \`members\` or \`values\`) or
 * of arrays (no \`ref\` or \`items\`), these count as a whole.
 */
export interface PayloadShape {
  /** The entry of \`payloads\` that says the rest. */
  readonly ref?: string;
  /** Of an object, the members that are known. Others count only where \`values\` is there. */
  readonly members?: { readonly [name: string]: PayloadShape };
  /** Of an object, any other member. */
  readonly values?: PayloadShape;
  /** Of an array, any item. */
  readonly items?: PayloadShape;
  /** Of an optional member: null stands for its absence. */
  readonly null?: true;
  /** Of an optional member: the value that stands for its absence. */
  readonly default?: unknown;
}
`;

type Definitions = ReadonlyMap<string, Definition>;

/** The shapes of a protocol's commands, by definition: of all methods that take a command id, needed or not. */
export function payloadsOf(protocol: Protocol): JsonObject {
  const params = protocol.methods.flatMap(({ commandId, params: name }) =>
    commandId !== "none" && name !== undefined ? [name] : [],
  );
  const shapes = new Shapes(protocol.definitions);
  for (const name of params) shapes.add(name);
  return record([...shapes.made]);
}

/** The shapes that were asked for, and those that they refer to. */
class Shapes {
  readonly made = new Map<string, JsonObject>();
  readonly #definitions: Definitions;
  readonly #wanted = new Set<string>();
  readonly #waiting: [name: string, nodes: readonly Schema[]][] = [];
  /** The names of what stands in the table, by the nodes that it is made of. */
  readonly #names = new Map<string, string>();

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
    for (const { name, schema } of definitions.values()) {
      const key = keyOf(nodesOf([schema], definitions));
      if (!this.#names.has(key)) this.#names.set(key, name);
    }
  }

  /** Puts a definition into the table under its own name, and all that it leads to. */
  add(name: string): void {
    this.#want(name, nodesOf([this.#definitions.get(name)!.schema], this.#definitions));
    // One after the other and not each inside the last: a bundle may have a ring of thousands.
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      const [wanted, nodes] = next;
      this.made.set(wanted, this.#shape(nodes, [keyOf(nodes)]));
    }
  }

  #want(name: string, nodes: readonly Schema[]): void {
    if (this.#wanted.has(name)) return;
    this.#wanted.add(name);
    this.#waiting.push([name, nodes]);
  }

  /** What some nodes, of which any may hold, say together. `inside`: the sets of nodes that this one stands in. */
  #shape(nodes: readonly Schema[], inside: readonly string[]): JsonObject {
    const shape: JsonObject = {};
    const additional = nodes.flatMap((node) => node.additional ?? []);
    if (knowsObjects(nodes)) {
      const names = nodes.flatMap((node) => node.members ?? []).map(({ name }) => name);
      shape["members"] = record([...new Set(names)].map((name) => [name, this.#member(name, nodes, inside)]));
      if (additional.length > 0) {
        shape["values"] = this.#place(additional, inside);
        if (names.length === 0) delete shape["members"];
      }
    }
    if (knowsItems(nodes, this.#definitions)) {
      shape["items"] = this.#place(
        nodes.flatMap((node) => node.items ?? []),
        inside,
      );
    }
    return shape;
  }

  #member(name: string, nodes: readonly Schema[], inside: readonly string[]): JsonObject {
    const found = nodes.flatMap((node) => node.members?.filter((member) => member.name === name) ?? []);
    const optional = found.filter((member) => !member.required);
    const presets = optional.flatMap(({ schema }) => schema.default ?? []);
    const [preset] = presets;
    return {
      ...this.#place(
        found.map(({ schema }) => schema),
        inside,
      ),
      ...(optional.some(({ schema }) => allowsNull(schema, this.#definitions)) ? { null: true } : {}),
      // Arms that differ in it have no default in common.
      ...(preset !== undefined &&
      presets.length === found.length &&
      presets.every(({ value }) => jsonEqual(value, preset.value))
        ? { default: preset.value }
        : {}),
    };
  }

  /** A reference where the table has, or gets, an entry of its own for what stands here; else what it says. */
  #place(schemas: readonly Schema[], inside: readonly string[]): JsonObject {
    const nodes = nodesOf(schemas, this.#definitions);
    if (!saysSomething(nodes, this.#definitions)) return {};
    const key = keyOf(nodes);
    let name = this.#names.get(key);
    if (name === undefined) {
      if (!inside.includes(key)) return this.#shape(nodes, [...inside, key]);
      // Alternatives that lead back to themselves: nobody has named them yet.
      name = key;
      this.#names.set(key, name);
    }
    this.#want(name, nodes);
    return { ref: name };
  }
}

/** The nodes that speak of a value's parts: those given, what they refer to, and the arms of their unions. */
function nodesOf(schemas: readonly Schema[], definitions: Definitions): Schema[] {
  const seen = new Set<Schema>();
  const visit = (schema: Schema): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    if (schema.ref !== undefined) visit(definitions.get(schema.ref)!.schema);
    for (const arm of schema.union?.arms ?? []) visit(arm);
  };
  schemas.forEach(visit);
  return [...seen].filter((node) => speaksOfObjects(node) || node.items !== undefined || isFree(node));
}

/** Whether the shape of some nodes is more than "counts as a whole". */
function saysSomething(nodes: readonly Schema[], definitions: Definitions): boolean {
  return knowsObjects(nodes) || knowsItems(nodes, definitions);
}

function knowsObjects(nodes: readonly Schema[]): boolean {
  return nodes.some(speaksOfObjects) && !nodes.some(takesAnyObject);
}

/** A list of lists that ends in itself says nothing either. */
function knowsItems(
  nodes: readonly Schema[],
  definitions: Definitions,
  above: readonly string[] = [],
): boolean {
  const items = nodes.flatMap((node) => node.items ?? []);
  const key = keyOf(nodes);
  if (items.length === 0 || nodes.some(takesAnyArray) || above.includes(key)) return false;
  const inner = nodesOf(items, definitions);
  return knowsObjects(inner) || knowsItems(inner, definitions, [...above, key]);
}

function keyOf(nodes: readonly Schema[]): string {
  return nodes
    .map(({ pointer }) => pointer)
    .sort(compareNames)
    .join(" ");
}

function speaksOfObjects({ members, additional }: Schema): boolean {
  return (members !== undefined && members.length > 0) || additional !== undefined;
}

/** Whether a node accepts objects or arrays without saying what is in them. */
function isFree(node: Schema): boolean {
  return takesAnyObject(node) || takesAnyArray(node);
}

function takesAnyObject(node: Schema): boolean {
  return !speaksOfObjects(node) && takesAny(node, "object");
}

function takesAnyArray(node: Schema): boolean {
  return node.items === undefined && takesAny(node, "array");
}

function takesAny(node: Schema, type: "object" | "array"): boolean {
  const { ref, union, types, enum: listed, constant } = node;
  if (ref !== undefined || union !== undefined || listed?.open === true) return false;
  const values = [...(listed?.values ?? []), ...(constant === undefined ? [] : [constant])];
  if (values.length > 0 && !values.some(({ value }) => isOfType(value, type))) return false;
  if (types !== undefined) return types.includes(type);
  // Without types, a node that speaks of the parts of one kind means that kind.
  return type === "object" ? node.items === undefined : node.members === undefined;
}

function isOfType(value: Json, type: "object" | "array"): boolean {
  return Array.isArray(value) ? type === "array" : type === "object" && isJsonObject(value);
}

function allowsNull(schema: Schema, definitions: Definitions, passed: readonly string[] = []): boolean {
  const { types, enum: listed, constant, ref, union } = schema;
  if (types !== undefined && !types.includes("null")) return false;
  if (listed !== undefined && (listed.open || !listed.values.some(({ value }) => value === null)))
    return false;
  if (constant !== undefined && constant.value !== null) return false;
  if (ref !== undefined && !passed.includes(ref)) {
    if (!allowsNull(definitions.get(ref)!.schema, definitions, [...passed, ref])) return false;
  }
  return union === undefined || union.arms.some((arm) => allowsNull(arm, definitions, passed));
}
