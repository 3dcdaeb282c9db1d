/**
 * What the generated types export for each definition: the definition itself and, where it is a union of tagged
 * objects, its arms.
 */
import { dispatchOf } from "../model/dispatch.js";
import type { Definition, Protocol, Schema } from "../model/protocol.js";
import { armName, guardName, typeName } from "./names.js";

/** One arm of a union definition that has a name of its own. */
export interface NamedArm {
  readonly schema: Schema;
  readonly identifier: string;
  /** Whether it needs a type of its own; an arm that only refers to a definition has that one's. */
  readonly own: boolean;
  /** The function that narrows an open union to this arm. Named by the union, since unions may share an arm. */
  readonly guard: string;
  /** The tag and its values; of the catch-all, the values that it does not take. */
  readonly tag: string;
  readonly values: readonly string[];
  readonly catchAll: boolean;
}

/** The named arms of a definition; none where it is not a union of tagged objects. */
export function namedArms(definition: Definition, protocol: Protocol): readonly NamedArm[] {
  const { union } = definition.schema;
  if (union === undefined) return [];
  const dispatch = dispatchOf(union, protocol.definitions);
  const branch = dispatch.ok ? dispatch.branches.find((b) => b.kind === "tag") : undefined;
  if (branch?.kind !== "tag") return [];
  const known = branch.cases.map(({ value }) => value);
  return union.arms.flatMap((schema, i): NamedArm[] => {
    const catchAll = i === branch.otherwise;
    const values = catchAll ? known : branch.cases.filter(({ arm }) => arm === i).map(({ value }) => value);
    if (values.length === 0) return [];
    const name = armName(definition.name, catchAll ? undefined : values[0]);
    const own = schema.ref === undefined || schema.members !== undefined;
    const identifier = own ? name : typeName(schema.ref!);
    return [{ schema, identifier, own, guard: guardName(name), tag: branch.tag, values, catchAll }];
  });
}

/** Every name that the types export for the definitions of a protocol, with where it comes from. */
export function* exportedNames(
  protocol: Protocol,
): Iterable<{ readonly identifier: string; readonly name: string; readonly pointer: string }> {
  for (const definition of protocol.definitions.values()) {
    const { name, schema } = definition;
    yield { identifier: typeName(name), name, pointer: schema.pointer };
    for (const arm of namedArms(definition, protocol)) {
      if (!arm.own && schema.union?.open !== true) continue; // neither a type nor a guard is made for it
      const identifier = arm.own ? arm.identifier : arm.guard;
      yield { identifier, name: `an arm of ${name}`, pointer: arm.schema.pointer };
    }
  }
}
