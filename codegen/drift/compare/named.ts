/** Names for the nodes of a definition that stay when the arms of a union change places. */
import { child } from "../../bundle/pointer.js";
import { dispatchOf } from "../../model/dispatch.js";
import type { Definition, Schema, Union } from "../../model/protocol.js";

type Definitions = ReadonlyMap<string, Definition>;

/** Calls `visit` with a node and all nodes inside it, each with its name: its pointer, with arms by what tells them apart. */
export function forEachNamed(
  schema: Schema,
  definitions: Definitions,
  visit: (node: Schema, name: string) => void,
): void {
  walk(schema, schema.pointer, definitions, visit);
}

/** Pointers into definitions as names: the same, but for what is inside an arm. */
export function namer(definitions: Definitions): (pointer: string) => string {
  let names: Map<string, string> | undefined;
  return (pointer) => {
    if (!/\/(?:any|one)Of\/\d/.test(pointer)) return pointer;
    if (names === undefined) {
      names = new Map();
      for (const { schema } of definitions.values())
        forEachNamed(schema, definitions, (node, name) => names?.set(node.pointer, name));
    }
    // What is no node, as a list of words, stands below one.
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf("/", end - 1)) {
      const name = names.get(pointer.slice(0, end));
      if (name !== undefined) return name + pointer.slice(end);
    }
    return pointer;
  };
}

function walk(
  node: Schema,
  name: string,
  definitions: Definitions,
  visit: (node: Schema, name: string) => void,
): void {
  visit(node, name);
  const { members = [], additional, items, union } = node;
  const inside = (part: Schema, as: string): void => walk(part, as, definitions, visit);
  for (const { schema } of members) inside(schema, name + schema.pointer.slice(node.pointer.length));
  if (additional !== undefined) inside(additional, child(name, "additionalProperties"));
  if (items !== undefined) inside(items, child(name, "items"));
  if (union === undefined) return;
  const seen = new Map<string, number>();
  const tags = tagsOf(union, definitions);
  for (const [i, arm] of union.arms.entries()) {
    const word = wordOf(arm, tags.get(i));
    const before = seen.get(word) ?? 0;
    seen.set(word, before + 1);
    inside(arm, child(child(name, "arms"), before === 0 ? word : `${word} ${before}`));
  }
}

/** The words by which values choose each arm, where they do so by a tag. */
function tagsOf(union: Union, definitions: Definitions): ReadonlyMap<number, string> {
  const dispatch = dispatchOf(union, definitions);
  const words = new Map<number, string[]>();
  for (const branch of dispatch.ok ? dispatch.branches : [])
    if (branch.kind === "tag")
      for (const { value, arm } of branch.cases)
        words.set(arm, [...(words.get(arm) ?? [branch.tag]), JSON.stringify(value)]);
  return new Map([...words].map(([arm, [tag = "", ...values]]) => [arm, [tag, ...values.sort()].join(" ")]));
}

/** What tells an arm from the others: the definition that it refers to, its tag, its types. */
function wordOf(arm: Schema, tag: string | undefined): string {
  if (arm.ref !== undefined) return `$ref ${arm.ref}`;
  return tag ?? (arm.types ?? ["any"]).join(" ");
}
