/** The whole of a protocol as if nothing in it were experimental: what the opt-in shows. */
import { type Annotated, mapParts, type Protocol, type Schema } from "../model/protocol.js";

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
  const out = mapParts(bare(schema), unmarkedSchema);
  return out.enum?.values.some(({ stability }) => stability !== undefined) === true
    ? { ...out, enum: { ...out.enum, values: out.enum.values.map(({ value }) => ({ value })) } }
    : out;
}
