/**
 * The part of a node that a change is about: what both sides have alike and need not be there is left out, so that
 * values are drawn quickly and show the change. Nodes are told alike by identity.
 */
import type { Json } from "../../bundle/json.js";
import type { Member, Schema } from "../../model/protocol.js";

/** Two nodes from which values are drawn. */
export interface Focused {
  readonly sender: Schema;
  readonly reader: Schema;
  /** Alternatives from which values are drawn one by one: those of one side alone, or all of such as may overlap. */
  readonly arms: readonly Schema[];
}

/** Some values of a node that has parts; undefined for one whose values cost little. */
export type FewOf = (node: Schema) => readonly Json[] | undefined;

/**
 * The nodes to draw from, for a sender's and a reader's node.
 * @param fewOf gives what stands for a part that both sides have alike
 */
export function focusOn(sender: Schema, reader: Schema, fewOf: FewOf): Focused {
  const [ours, theirs] = [sender.union?.arms ?? [], reader.union?.arms ?? []];
  const apart = [
    ...ours.filter((arm) => !theirs.includes(arm)),
    ...theirs.filter((arm) => !ours.includes(arm)),
  ];
  return {
    sender: drawable(withoutCommon(sender, reader, fewOf)),
    reader: drawable(withoutCommon(reader, sender, fewOf)),
    arms: [...(apart.length > 0 ? apart : ours).map(drawable), ...extra(sender), ...extra(reader)],
  };
}

/** A union with more beside it cannot be drawn from; what stands beside it may still be. */
function extra({ union, ...rest }: Schema): Schema[] {
  return union !== undefined && (rest.members !== undefined || rest.ref !== undefined)
    ? [drawable(rest)]
    : [];
}

/** A node without the optional members that another has too, and with few values of those that both require. */
function withoutCommon(node: Schema, other: Schema, fewOf: FewOf): Schema {
  if (node.members === undefined || other.members === undefined) return node;
  const needed = new Set(
    [...(node.dependentRequired ?? []), ...(other.dependentRequired ?? [])].flatMap(({ name, needs }) => [
      name,
      ...needs,
    ]),
  );
  const others = new Map(other.members.map((member) => [member.name, member]));
  const members = node.members.flatMap((member): Member[] => {
    const { name, required, declared, schema } = member;
    const same = others.get(name);
    if (same?.schema !== schema || same.required !== required || same.declared !== declared) return [member];
    if (!required && !needed.has(name)) return [];
    const few = fewOf(schema);
    return [few === undefined ? member : { ...member, schema: listOf(few) }];
  });
  return { ...node, members };
}

function listOf(values: readonly Json[]): Schema {
  return { pointer: "", enum: { values: values.map((value) => ({ value })), open: false, stated: true } };
}

/** A node as test data can be drawn from it: an open list without words is any text, and others may be left out. */
function drawable(node: Schema): Schema {
  const { enum: listed, additional, ...rest } = node;
  const wordless = listed?.open === true && listed.values.length === 0;
  const alone = additional !== undefined && refusesAll(additional);
  if (!wordless && !alone) return node;
  return {
    ...rest,
    ...(wordless ? { types: ["string"] as const } : listed === undefined ? {} : { enum: listed }),
    ...(alone || additional === undefined ? {} : { additional }),
  };
}

/** Whether a node accepts nothing: a closed list without words. */
function refusesAll({ enum: listed }: Schema): boolean {
  return listed !== undefined && !listed.open && listed.values.length === 0;
}
