/**
 * Whether a node of the model accepts a value. It holds the printed examples to the model while they are made; for
 * any other purpose there are the generated validators.
 */
import { isJsonObject, type Json, jsonEqual } from "../../bundle/json.js";
import type { JsonType } from "../../bundle/keywords.js";
import { dispatchOf } from "../../model/dispatch.js";
import type { Definition, Schema, Union } from "../../model/protocol.js";

type Definitions = ReadonlyMap<string, Definition>;

/** Whether `schema` accepts `value`; with `inside` false, whether it would if what is inside it were right. */
export function accepts(schema: Schema, value: Json, definitions: Definitions, inside = true): boolean {
  const inner = (node: Schema, part: Json): boolean => !inside || accepts(node, part, definitions);
  const target = schema.ref === undefined ? undefined : definitions.get(schema.ref)?.schema;
  if (target !== undefined && !inner(target, value)) return false;
  if (schema.types !== undefined && !schema.types.some((type) => isOf(type, value))) return false;
  if (schema.constant !== undefined && !jsonEqual(schema.constant.value, value)) return false;
  if (schema.enum !== undefined) {
    if (
      schema.enum.open
        ? typeof value !== "string"
        : !schema.enum.values.some((v) => jsonEqual(v.value, value))
    )
      return false;
  }
  if (schema.union !== undefined && !inUnion(schema.union, value, definitions)) return false;
  if (typeof value === "number") return within(value, schema.minimum, schema.maximum);
  if (typeof value === "string") {
    if (schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value)) return false;
    return within([...value].length, schema.minLength, schema.maxLength);
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined && !value.every((item) => inner(items, item))) return false;
    return within(value.length, schema.minItems, schema.maxItems);
  }
  return !isJsonObject(value) || hasMembers(schema, value, inner);
}

function within(size: number, low = -Infinity, high = Infinity): boolean {
  return size >= low && size <= high;
}

function isOf(type: JsonType, value: Json): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isJsonObject(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

function hasMembers(
  schema: Schema,
  value: { readonly [name: string]: Json },
  inner: (node: Schema, part: Json) => boolean,
): boolean {
  const { members = [], additional, dependentRequired = [] } = schema;
  const part = (name: string): Json | undefined =>
    Object.hasOwn(value, name) ? (Object.getOwnPropertyDescriptor(value, name)?.value as Json) : undefined;
  for (const { name, required, schema: member } of members) {
    const own = part(name);
    if (own === undefined ? required : !inner(member, own)) return false;
  }
  const declared = new Set(members.filter((member) => member.declared).map(({ name }) => name));
  if (additional !== undefined) {
    for (const name of Object.keys(value)) {
      if (!declared.has(name) && !inner(additional, part(name) as Json)) return false;
    }
  }
  return dependentRequired.every(
    ({ name, needs }) => !Object.hasOwn(value, name) || needs.every((need) => Object.hasOwn(value, need)),
  );
}

function inUnion(union: Union, value: Json, definitions: Definitions): boolean {
  const dispatch = dispatchOf(union, definitions);
  const branch = dispatch.ok ? dispatch.branches.find((b) => b.kind === "tag") : undefined;
  return union.arms.some((arm, i) => {
    if (!accepts(arm, value, definitions)) return false;
    if (branch?.kind !== "tag" || i !== branch.otherwise || !isJsonObject(value)) return true;
    return !branch.cases.some((known) => known.value === value[branch.tag]);
  });
}
