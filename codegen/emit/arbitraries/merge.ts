/**
 * A reference with other facets beside it is a conjunction. Where both sides speak of one kind of value, it is one
 * node with the narrower bounds; that is what test data can be drawn from.
 */
import { CannotEmit } from "../../diagnostics/finding.js";
import { type Definition, facetsOf, type Member, type Schema } from "../../model/protocol.js";

/** The one node that a reference and the facets beside it amount to; undefined where nothing stands beside it. */
export function mergeSchemas(
  schema: Schema,
  definitions: ReadonlyMap<string, Definition>,
): Schema | undefined {
  const { ref, ...beside } = schema;
  if (ref === undefined || facetsOf(beside).length === 0) return undefined;
  const { schema: target } = definitions.get(ref)!;
  return merge(
    target.ref === undefined ? target : (mergeSchemas(target, definitions) ?? resolved(target, definitions)),
    beside,
  );
}

function resolved(schema: Schema, definitions: ReadonlyMap<string, Definition>): Schema {
  return schema.ref === undefined ? schema : resolved(definitions.get(schema.ref)!.schema, definitions);
}

function merge(a: Schema, b: Schema): Schema {
  const cannot = (problem: string): never => {
    throw new CannotEmit(b.pointer, problem);
  };
  for (const key of ["union", "enum", "constant", "ref"] as const) {
    if (b[key] !== undefined || (a[key] !== undefined && key !== "ref"))
      cannot("it combines a reference with alternatives or listed values");
  }
  if (a.pattern !== undefined && b.pattern !== undefined) cannot("it combines two patterns");
  if (a.items !== undefined && b.items !== undefined) cannot("it combines two rules for elements");
  if (a.additional !== undefined || b.additional !== undefined) cannot("it combines rules for other members");
  const types =
    a.types === undefined
      ? b.types
      : b.types === undefined
        ? a.types
        : a.types.filter((type) => b.types!.includes(type));
  if (types?.length === 0) cannot("its types exclude each other");
  const out: { -readonly [K in keyof Schema]: Schema[K] } = { ...a, ...b };
  if (types !== undefined) out.types = types;
  for (const key of ["minimum", "minLength", "minItems"] as const) {
    if (a[key] !== undefined && b[key] !== undefined) out[key] = Math.max(a[key], b[key]);
  }
  for (const key of ["maximum", "maxLength", "maxItems"] as const) {
    if (a[key] !== undefined && b[key] !== undefined) out[key] = Math.min(a[key], b[key]);
  }
  if (a.members !== undefined && b.members !== undefined) out.members = mergeMembers(a.members, b.members);
  if (a.dependentRequired !== undefined && b.dependentRequired !== undefined) {
    out.dependentRequired = [...a.dependentRequired, ...b.dependentRequired];
  }
  return out;
}

function mergeMembers(a: readonly Member[], b: readonly Member[]): Member[] {
  const out = new Map(a.map((member) => [member.name, member]));
  for (const member of b) {
    const other = out.get(member.name);
    if (other === undefined || !other.declared)
      out.set(member.name, { ...member, required: member.required || other?.required === true });
    else if (!member.declared) out.set(member.name, { ...other, required: true });
    else
      out.set(member.name, {
        ...member,
        required: member.required || other.required,
        schema: merge(other.schema, member.schema),
      });
  }
  return [...out.values()];
}
