/**
 * The words of a value that its open enums do not list. They are valid; a reader keeps them.
 */
import { memberPointer } from "../wire/pointer.js";
import type { Bundle, ModelNode } from "./bundle.js";
import { isObject } from "./differences.js";

/** A word that an open enum does not list. */
export interface UnknownWord {
  /** The definition of the enum, or the one that holds it. */
  readonly def: string;
  readonly value: string;
  /** JSON Pointer within the value. */
  readonly instanceLocation: string;
}

/** A message within a value, as pages of a view hold them: its method says what its params are. */
export interface CarriedMessage {
  readonly method: string;
  readonly params: unknown;
  /** JSON Pointer of the params within the value. */
  readonly instanceLocation: string;
}

/** What a walk over a value finds. */
export interface Walked {
  readonly words: UnknownWord[];
  readonly carried: CarriedMessage[];
}

/** Walks a value along a definition of the model. Where the two do not fit, it goes no further. */
export function walk(value: unknown, definition: string, { definitions }: Bundle["model"]): Walked {
  const found: Walked = { words: [], carried: [] };
  const node = definitions[definition];
  if (node !== undefined) visit(value, node, definition, "", definitions, found);
  return found;
}

function visit(
  value: unknown,
  node: ModelNode,
  def: string,
  at: string,
  definitions: Bundle["model"]["definitions"],
  found: Walked,
): void {
  const go = (inner: unknown, schema: ModelNode, place: string, name = def): void =>
    visit(inner, schema, name, place, definitions, found);
  if (node.ref !== undefined) {
    const target = definitions[node.ref];
    if (target !== undefined) go(value, target, at, node.ref);
    return;
  }
  if (node.enum !== undefined) {
    const { open, values } = node.enum;
    if (open && typeof value === "string" && !values.some((one) => one.value === value))
      found.words.push({ def, value, instanceLocation: at });
  }
  const arm = node.union === undefined ? undefined : armOf(value, node.union);
  if (arm !== undefined) go(value, arm, at);
  if (Array.isArray(value)) {
    const { items } = node;
    if (items !== undefined) value.forEach((item, i) => go(item, items, `${at}/${i}`));
    return;
  }
  if (!isObject(value)) return;
  for (const { name, schema } of node.members ?? [])
    if (Object.hasOwn(value, name)) go(value[name], schema, memberPointer(at, name));
  if (node.additional !== undefined) {
    const declared = new Set((node.members ?? []).map(({ name }) => name));
    for (const name of Object.keys(value))
      if (!declared.has(name)) go(value[name], node.additional, memberPointer(at, name));
  }
  if (node.carries === "notification" && typeof value["method"] === "string")
    found.carried.push({
      method: value["method"],
      params: value["params"],
      instanceLocation: memberPointer(at, "params"),
    });
}

function armOf(
  value: unknown,
  { arms, dispatch = [] }: NonNullable<ModelNode["union"]>,
): ModelNode | undefined {
  const branch = dispatch.find(({ categories }) => categories.includes(categoryOf(value)));
  if (branch?.arm !== undefined) return arms[branch.arm];
  if (branch?.tag === undefined || !isObject(value)) return undefined;
  const word = value[branch.tag];
  const arm = branch.cases?.find((one) => one.value === word)?.arm ?? branch.otherwise;
  return arm === undefined ? undefined : arms[arm];
}

function categoryOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
