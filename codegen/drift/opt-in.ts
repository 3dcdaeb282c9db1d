/**
 * What a host refuses that went behind the opt-in: its schema skips a member that it does not declare, and takes any
 * word of an open list, but a client that did not opt in may use neither.
 */
import { type Definition, mapParts, type Protocol, type Schema } from "../model/protocol.js";
import type { Difference, Witness } from "./change.js";
import { NOTHING } from "./shape.js";

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
  const gone = words.get(`${node.pointer}/enum`);
  if (gone !== undefined && node.enum?.open === true)
    return { pointer: node.pointer, types: ["string"], pattern: otherThan(gone) };
  const isRefused = ({ pointer }: Schema): boolean => refused.has(pointer);
  const out = mapParts(node, (part) =>
    isRefused(part) ? { ...NOTHING, pointer: part.pointer } : refusing(part, refused, words),
  );
  if (out.members?.some(({ schema }) => isRefused(schema)) !== true) return out;
  return {
    ...out,
    members: out.members.map((one) => (isRefused(one.schema) ? { ...one, required: false } : one)),
  };
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
