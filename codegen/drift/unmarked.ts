/** The whole of a protocol as if nothing in it were experimental: what the opt-in shows. */
import type { Annotated, Protocol, Schema } from "../model/protocol.js";

/** A protocol without marks of stability. Nodes that have none, nor have any inside, stay the same objects. */
export function unmarked(protocol: Protocol): Protocol {
  const plain = <T extends Annotated>(list: readonly T[]): T[] => list.map(bare);
  return {
    ...protocol,
    definitions: new Map(
      [...protocol.definitions].map(([name, definition]) => [
        name,
        { ...bare(definition), schema: unmarkedSchema(definition.schema) },
      ]),
    ),
    methods: plain(protocol.methods),
    notifications: plain(protocol.notifications),
    requests: plain(protocol.requests),
    errors: plain(protocol.errors),
    capabilities: plain(protocol.capabilities),
  };
}

function bare<T extends Annotated>(node: T): T {
  if (node.stability === undefined && node.descriptor === undefined) return node;
  const { stability: _, descriptor: __, ...rest } = node;
  return rest as T;
}

function unmarkedSchema(schema: Schema): Schema {
  let out = bare(schema);
  const change = (part: Partial<Schema>): void => {
    out = { ...out, ...part };
  };
  const { members, enum: listed, additional, items, union } = schema;
  if (members !== undefined) {
    const inner = members.map((member) => {
      const of = unmarkedSchema(member.schema);
      return of === member.schema ? member : { ...member, schema: of };
    });
    if (inner.some((member, i) => member !== members[i])) change({ members: inner });
  }
  if (listed?.values.some(({ stability }) => stability !== undefined) === true)
    change({ enum: { ...listed, values: listed.values.map(({ value }) => ({ value })) } });
  for (const [key, part] of [
    ["additional", additional],
    ["items", items],
  ] as const) {
    const of = part === undefined ? undefined : unmarkedSchema(part);
    if (of !== undefined && of !== part) change({ [key]: of });
  }
  if (union !== undefined) {
    const arms = union.arms.map(unmarkedSchema);
    if (arms.some((arm, i) => arm !== union.arms[i])) change({ union: { ...union, arms } });
  }
  return out;
}
