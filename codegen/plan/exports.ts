/**
 * What the generated types export for each definition: the definition itself and, where it is a union of tagged
 * objects, its arms.
 */
import { dispatchOf } from "../model/dispatch.js";
import type { Definition, Protocol, Schema } from "../model/protocol.js";
import { armName, typeName } from "./names.js";

/** One arm of a union definition that has a name of its own. */
export interface NamedArm {
  readonly schema: Schema;
  readonly identifier: string;
  /** The tag and its values; of the catch-all, the values that it does not take. */
  readonly tag: string;
  readonly values: readonly string[];
  readonly catchAll: boolean;
}

/** The named arms of a definition; none where it is not a union of tagged objects. An arm that is a reference has its definition's name. */
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
    const identifier =
      schema.ref === undefined
        ? armName(definition.name, catchAll ? undefined : values[0])
        : typeName(schema.ref);
    return [{ schema, identifier, tag: branch.tag, values, catchAll }];
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
      if (arm.schema.ref !== undefined) continue;
      yield { identifier: arm.identifier, name: `an arm of ${name}`, pointer: arm.schema.pointer };
    }
  }
}
