/**
 * What a side does not send though its validator takes it: what it does not know and the other side does. New names
 * are reserved for the protocol, so nobody uses them for something else before they are there.
 */
import type { Json, JsonObject } from "../../bundle/json.js";
import { isJsonObject } from "../../bundle/json.js";
import { dispatchOf } from "../../model/dispatch.js";
import { type Definition, facetsOf, type Schema } from "../../model/protocol.js";

type Definitions = ReadonlyMap<string, Definition>;

/**
 * Whether a value has no member and no arm that the sender's node does not declare and the reader's does. A map
 * declares all its members.
 */
export function isSendable(value: Json, sender: Schema, reader: Schema, definitions: Definitions): boolean {
  return isKnown(value, [sender], [reader], definitions);
}

function isKnown(
  value: Json,
  senders: readonly Schema[],
  readers: readonly Schema[],
  definitions: Definitions,
): boolean {
  if (typeof value !== "object" || value === null || readers.length === 0) return true;
  if (senders.length === readers.length && senders.every((node, i) => node === readers[i])) return true;
  const ours = spread(value, senders, definitions);
  const theirs = spread(value, readers, definitions);
  if (ours.free.some((tag) => theirs.taken.includes(tag))) return false;
  if (Array.isArray(value)) {
    const itemsOf = ({ items }: Schema): readonly Schema[] => (items === undefined ? [] : [items]);
    const [mine, other] = [ours.nodes.flatMap(itemsOf), theirs.nodes.flatMap(itemsOf)];
    return value.every((element) => isKnown(element, mine, other, definitions));
  }
  const isMap = ours.nodes.some(
    ({ additional }) => additional !== undefined && facetsOf(additional).length > 0,
  );
  return Object.entries(value).every(([name, part]) => {
    const mine = partsOf(name, ours.nodes);
    const other = partsOf(name, theirs.nodes);
    if (!isMap && mine === undefined && other !== undefined) return false;
    return isKnown(part, mine ?? additionalOf(ours.nodes), other ?? additionalOf(theirs.nodes), definitions);
  });
}

/** What nodes say of a member that one of them declares or requires; undefined where none does. */
function partsOf(name: string, nodes: readonly Schema[]): readonly Schema[] | undefined {
  let found: Schema[] | undefined;
  for (const node of nodes) {
    const schema = membersOf(node).get(name);
    if (schema !== undefined) (found ??= []).push(schema);
  }
  return found;
}

const known = new WeakMap<Schema, ReadonlyMap<string, Schema>>();

/** The members of a node by name: many values are held against one node. */
function membersOf(node: Schema): ReadonlyMap<string, Schema> {
  let members = known.get(node);
  if (members === undefined)
    known.set(node, (members = new Map((node.members ?? []).map(({ name, schema }) => [name, schema]))));
  return members;
}

function additionalOf(nodes: readonly Schema[]): readonly Schema[] {
  return nodes.flatMap(({ additional }) => additional ?? []);
}

interface Spread {
  /** The nodes that speak of the value, references followed and arms chosen. */
  readonly nodes: readonly Schema[];
  /** Tags of the value by which no arm is chosen but the one for all others; and those that choose an arm. */
  readonly free: readonly string[];
  readonly taken: readonly string[];
}

function spread(value: Json[] | JsonObject, given: readonly Schema[], definitions: Definitions): Spread {
  const nodes: Schema[] = [];
  const free: string[] = [];
  const taken: string[] = [];
  const todo = [...given];
  const seen = new Set<Schema>();
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    nodes.push(node);
    if (node.ref !== undefined) todo.push((definitions.get(node.ref) as Definition).schema);
    if (node.union === undefined) continue;
    const dispatch = dispatchOf(node.union, definitions);
    const category = Array.isArray(value) ? "array" : "object";
    const branch = dispatch.ok
      ? dispatch.branches.find(({ categories }) => categories.some((one) => one === category))
      : undefined;
    if (!dispatch.ok) todo.push(...node.union.arms);
    else if (branch?.kind === "arm") todo.push(node.union.arms[branch.arm] as Schema);
    else if (branch?.kind === "tag" && isJsonObject(value)) {
      const word = Object.hasOwn(value, branch.tag) ? value[branch.tag] : undefined;
      const arm = branch.cases.find((one) => one.value === word)?.arm ?? branch.otherwise;
      if (arm !== undefined) todo.push(node.union.arms[arm] as Schema);
      if (typeof word === "string")
        (branch.cases.some((one) => one.value === word) ? taken : free).push(`${branch.tag} ${word}`);
    }
  }
  return { nodes, free, taken };
}
