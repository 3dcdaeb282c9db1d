/**
 * The stable surface: the model without what is marked experimental.
 *
 * Nothing is renamed, and what is reachable from a stable thing is stable (a bundle in which it is not is refused),
 * so every reference that is left still has its target.
 */
import {
  type Annotated,
  type Definition,
  mapParts,
  type Protocol,
  type Schema,
  type Surface,
} from "./protocol.js";

const isStable = (node: Annotated | { readonly stability?: "experimental" }): boolean =>
  node.stability === undefined;

const stableOf = new WeakMap<Protocol, Protocol>();

/** The protocol as one surface shows it. */
export function project(protocol: Protocol, surface: Surface): Protocol {
  if (surface === "experimental" || protocol.surface === "stable") return protocol;
  let stable = stableOf.get(protocol);
  if (stable === undefined) stableOf.set(protocol, (stable = projectStable(protocol)));
  return stable;
}

function projectStable(protocol: Protocol): Protocol {
  const definitions = new Map<string, Definition>();
  for (const [name, definition] of protocol.definitions) {
    if (!isStable(definition)) continue;
    const schema = projectSchema(definition.schema);
    definitions.set(name, schema === definition.schema ? definition : { ...definition, schema });
  }
  const { errorData, ...rest } = protocol;
  return {
    ...rest,
    surface: "stable",
    definitions,
    methods: protocol.methods.filter(isStable),
    notifications: protocol.notifications.filter(isStable),
    requests: protocol.requests.filter(isStable),
    errors: protocol.errors.filter(isStable),
    capabilities: protocol.capabilities.filter(isStable),
    rejections: projectRejections(protocol),
    ...(errorData !== undefined && definitions.has(errorData) ? { errorData } : {}),
  };
}

/** A rejection that only experimental methods answer is experimental itself. */
function projectRejections(protocol: Protocol): Protocol["rejections"] {
  const experimental = new Set(
    protocol.methods.filter((method) => !isStable(method)).map((method) => method.name),
  );
  return protocol.rejections.flatMap((row) => {
    if (row.methods === undefined) return [row];
    const methods = row.methods.filter((method) => !experimental.has(method));
    return methods.length > 0 ? [{ ...row, methods }] : [];
  });
}

/** A schema node without its experimental members and enum values; the same object when it has none. */
export function projectSchema(schema: Schema): Schema {
  return hasExperimental(schema) ? withoutExperimental(schema) : schema;
}

/** Whether something inside a node is experimental; most nodes have nothing, and need no copy. */
function hasExperimental({ members, enum: listed, additional, items, union }: Schema): boolean {
  if (members !== undefined) {
    for (const { schema } of members) if (!isStable(schema) || hasExperimental(schema)) return true;
  }
  if (listed !== undefined) {
    for (const value of listed.values) if (!isStable(value)) return true;
  }
  if (union !== undefined) for (const arm of union.arms) if (hasExperimental(arm)) return true;
  return (
    (additional !== undefined && hasExperimental(additional)) ||
    (items !== undefined && hasExperimental(items))
  );
}

function withoutExperimental(schema: Schema): Schema {
  let out = schema;
  const change = (part: Partial<Schema>): void => {
    out = { ...out, ...part };
  };
  const gone = new Set(schema.members?.filter((m) => !isStable(m.schema)).map((m) => m.name));
  if (schema.members !== undefined && gone.size > 0) {
    change({ members: schema.members.filter(({ name }) => !gone.has(name)) });
    if (schema.dependentRequired !== undefined) {
      const dependentRequired = schema.dependentRequired
        .filter(({ name }) => !gone.has(name))
        .map(({ name, needs }) => ({ name, needs: needs.filter((need) => !gone.has(need)) }))
        .filter(({ needs }) => needs.length > 0);
      change({ dependentRequired });
    }
  }
  if (schema.enum?.values.some((value) => !isStable(value))) {
    change({ enum: { ...schema.enum, values: schema.enum.values.filter(isStable) } });
  }
  return mapParts(out, projectSchema);
}
