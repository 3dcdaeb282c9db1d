/**
 * How messages are grouped on a client: as their names are, at each slash.
 */
import type { Annotated, Protocol, Schema } from "../../model/protocol.js";
import { clientMember } from "../../plan/names.js";

/** A message, a group of messages, or both. */
export interface Group<T> {
  /** The message whose name ends here. */
  message?: T;
  /** What its name goes on with, by member name. */
  readonly members: Map<string, Group<T>>;
}

/** The groups of some messages. */
export function groupsOf<T extends Annotated & { readonly name: string }>(messages: readonly T[]): Group<T> {
  const root: Group<T> = { members: new Map() };
  for (const message of messages) {
    let group = root;
    for (const word of message.name.split("/")) {
      const name = clientMember(word);
      let next = group.members.get(name);
      if (next === undefined) group.members.set(name, (next = { members: new Map() }));
      group = next;
    }
    group.message = message;
  }
  return root;
}

/** Whether params must be given: some member is required, or it cannot be told that none is. */
export function needsParams({ definitions }: Protocol, definition: string, except?: string): boolean {
  const needs = ({ ref, members, union, types, constant, enum: listed }: Schema): boolean => {
    if (union !== undefined || constant !== undefined || listed !== undefined) return true;
    if (types !== undefined && !types.includes("object")) return true;
    if (members?.some(({ name, required }) => required && name !== except) === true) return true;
    const target = ref === undefined ? undefined : definitions.get(ref);
    return target !== undefined && needs(target.schema);
  };
  const start = definitions.get(definition);
  return start === undefined || needs(start.schema);
}
