/**
 * The gated members of a message: those that are experimental, and those that need a capability.
 */
import { child } from "../bundle/pointer.js";
import { forEachSchema, type Protocol, references, type Schema } from "./protocol.js";

/** One gated member. */
export interface Gate {
  /** Where the member stands in the value: a JSON Pointer in which `*` stands for any element or any other name. */
  readonly path: string;
  /** What an experimental member is called in errors. */
  readonly descriptor?: string;
  /** The capability that a client must hold to send or see the member. */
  readonly capability?: string;
}

/** The gated members of a definition, in the order of their paths; a recursive definition is entered once. */
export function gatesOf(protocol: Protocol, definition: string | undefined): Gate[] {
  const gates: Gate[] = [];
  const gated = gatedDefinitions(protocol);
  const entered = new Set<string>();
  const visit = (schema: Schema, path: string): void => {
    if (schema.ref !== undefined && gated.has(schema.ref) && !entered.has(schema.ref)) {
      entered.add(schema.ref);
      visit(protocol.definitions.get(schema.ref)!.schema, path);
      entered.delete(schema.ref);
    }
    for (const { name, schema: member } of schema.members ?? []) {
      const at = child(path, name);
      if (member.stability !== undefined || member.capability !== undefined) {
        gates.push({
          path: at,
          ...(member.stability === undefined
            ? {}
            : { descriptor: member.descriptor ?? `${definition}.${name}` }),
          ...(member.capability === undefined ? {} : { capability: member.capability }),
        });
      }
      if (member.stability === undefined) visit(member, at);
    }
    if (schema.additional !== undefined) visit(schema.additional, `${path}/*`);
    if (schema.items !== undefined) visit(schema.items, `${path}/*`);
    for (const arm of schema.union?.arms ?? []) visit(arm, path);
  };
  if (definition !== undefined) {
    entered.add(definition);
    visit(protocol.definitions.get(definition)!.schema, "");
  }
  return gates;
}

const gatedOf = new WeakMap<Protocol, ReadonlySet<string>>();

/** The definitions that have or lead to a gate. The others are not entered: the ways through them may be without number. */
function gatedDefinitions(protocol: Protocol): ReadonlySet<string> {
  const known = gatedOf.get(protocol);
  if (known !== undefined) return known;
  const users = new Map<string, string[]>();
  const gated = new Set<string>();
  for (const { name, schema } of protocol.definitions.values()) {
    for (const used of references(schema)) {
      if (!users.has(used)) users.set(used, []);
      users.get(used)!.push(name);
    }
    forEachSchema(schema, ({ members }) => {
      if (members?.some(({ schema: { stability, capability } }) => stability ?? capability)) gated.add(name);
    });
  }
  // A set is walked in the order of insertion, what is added meanwhile included.
  for (const name of gated) for (const user of users.get(name) ?? []) gated.add(user);
  gatedOf.set(protocol, gated);
  return gated;
}
