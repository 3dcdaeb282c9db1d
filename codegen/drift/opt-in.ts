/**
 * What a host refuses that went behind the opt-in: its schema skips a member that it does not declare, and takes any
 * word of an open list, but a client that did not opt in may use neither.
 */
import type { Definition, Member, Protocol, Schema } from "../model/protocol.js";
import type { Difference, Witness } from "./change.js";

/** Takes no value. */
const NOTHING: Schema = { pointer: "", enum: { values: [], open: false, stated: true } };

/** A protocol that refuses some of its members and words, by the differences that took them away. */
export function withoutOptIn(protocol: Protocol, demoted: readonly Difference[]): Protocol {
  const members = new Set<string>();
  const words = new Map<string, string[]>();
  for (const { rule, pointer, before } of demoted) {
    if (rule !== "value-removed") members.add(pointer);
    else if (typeof before === "string") words.set(pointer, [...(words.get(pointer) ?? []), before]);
  }
  const definitions = new Map<string, Definition>();
  for (const [name, definition] of protocol.definitions)
    definitions.set(name, { ...definition, schema: refusing(definition.schema, members, words) });
  return { ...protocol, definitions };
}

/** The same node where nothing in it is refused. */
function refusing(
  node: Schema,
  refused: ReadonlySet<string>,
  words: ReadonlyMap<string, readonly string[]>,
): Schema {
  const inside = <Part extends Schema | undefined>(part: Part): Part | Schema =>
    part === undefined ? part : refusing(part, refused, words);
  const changed: { -readonly [Key in keyof Schema]?: Schema[Key] } = {};
  const { members, additional, items, union } = node;
  if (members !== undefined) {
    const inner = members.map((member): Member => {
      const { pointer } = member.schema;
      if (refused.has(pointer)) return { ...member, required: false, schema: { ...NOTHING, pointer } };
      const schema = refusing(member.schema, refused, words);
      return schema === member.schema ? member : { ...member, schema };
    });
    if (inner.some((member, i) => member !== members[i])) changed.members = inner;
  }
  const [others, elements] = [inside(additional), inside(items)];
  if (others !== undefined && others !== additional) changed.additional = others;
  if (elements !== undefined && elements !== items) changed.items = elements;
  if (union !== undefined) {
    const arms = union.arms.map((arm) => refusing(arm, refused, words));
    if (arms.some((arm, i) => arm !== union.arms[i])) changed.union = { ...union, arms };
  }
  const gone = words.get(`${node.pointer}/enum`);
  if (gone !== undefined && node.enum?.open === true)
    return { pointer: node.pointer, types: ["string"], pattern: otherThan(gone) };
  return Object.keys(changed).length === 0 ? node : { ...node, ...changed };
}

/** A pattern of all texts but some words. */
function otherThan(words: readonly string[]): string {
  const quoted = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  return `^(?!(?:${quoted.join("|")})$)`;
}

/** A witness as the host answers it. */
export function refusedByOptIn(witness: Witness): Witness {
  const { instanceLocation } = witness.refusal;
  const message = "must not be used without the opt-in";
  return { ...witness, refusal: { instanceLocation, keyword: "experimental", message } };
}

/** Whether a difference is of what a witness for another one shows: of the same member, or of the same list. */
export function isAbout({ rule, pointer }: Difference, shown: Difference): boolean {
  const at = rule === "value-removed" ? pointer.slice(0, -"/enum".length) : pointer;
  // What a member refers to has a pointer of its own; what stands at its place then is the node that refuses all.
  return [shown.pointer, shown.pair?.head.pointer].some((one) => one === at || one?.startsWith(`${at}/`));
}
