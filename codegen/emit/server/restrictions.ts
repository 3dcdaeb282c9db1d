/**
 * What of a message not every peer may send or be sent, as data for the generated server: for each definition that
 * has or reaches such a part, where the parts are. The runtime's `Restriction` is its type.
 */
import type { Json, JsonObject } from "../../bundle/json.js";
import { CATEGORIES, dispatchOf } from "../../model/dispatch.js";
import {
  type Definition,
  forEachSchema,
  type Protocol,
  references,
  type Schema,
} from "../../model/protocol.js";
import { record } from "../schema/translate.js";

/** The restrictions of a surface, by definition; a definition without any is not in it. */
export function restrictionsOf(protocol: Protocol): JsonObject {
  const restricted = restrictedDefinitions(protocol);
  const entries = [...restricted].map((name): [string, Json] => {
    const definition = protocol.definitions.get(name) as Definition;
    const node = new Writer(protocol, restricted).node(definition.schema, name);
    return [name, { ...(definition.carries === undefined ? {} : { carries: true }), ...node }];
  });
  return record(entries);
}

/** What an experimental word of an enum is called in errors and opt-ins: where the enum stands, and the word. */
export function wordDescriptor(place: string, word: string): string {
  return `${place}.${word}`;
}

/** The definitions with a restricted part of their own, and all that refer to one. */
function restrictedDefinitions({ definitions, notifications }: Protocol): Set<string> {
  const found = new Set<string>();
  const users = new Map<string, string[]>();
  const anyNotification = notifications.some(
    ({ stability, capability }) => stability !== undefined || capability !== undefined,
  );
  // A carrier reaches the params of every notification.
  const carried = notifications.flatMap(({ params }) => params ?? []);
  for (const [name, { schema, carries }] of definitions) {
    const targets = new Set(references(schema));
    if (carries !== undefined) for (const params of carried) targets.add(params);
    for (const target of targets) {
      const list = users.get(target);
      if (list === undefined) users.set(target, [name]);
      else list.push(name);
    }
    let own = carries !== undefined && anyNotification;
    forEachSchema(schema, (node) => {
      own ||=
        (node !== schema && (node.stability !== undefined || node.capability !== undefined)) ||
        node.enum?.values.some(({ stability }) => stability !== undefined) === true;
    });
    if (own) found.add(name);
  }
  // A set that grows while it is walked gives what was added, too.
  for (const name of found) for (const user of users.get(name) ?? []) found.add(user);
  return found;
}

class Writer {
  readonly #protocol: Protocol;
  readonly #restricted: ReadonlySet<string>;

  constructor(protocol: Protocol, restricted: ReadonlySet<string>) {
    this.#protocol = protocol;
    this.#restricted = restricted;
  }

  /** The restrictions of a node; without members where it has none. `place` names it in descriptors. */
  node(schema: Schema, place: string): JsonObject {
    const out: JsonObject = {};
    if (schema.ref !== undefined && this.#restricted.has(schema.ref)) out["ref"] = schema.ref;
    const words = (schema.enum?.values ?? []).flatMap(({ value, stability }): [string, Json][] =>
      stability === undefined ? [] : [[String(value), wordDescriptor(place, String(value))]],
    );
    if (words.length > 0) {
      out["words"] = record(words);
      if (schema.enum?.open === true) out["open"] = true;
    }
    this.#members(schema, place, out);
    const items = schema.items === undefined ? {} : this.node(schema.items, place);
    if (!isEmpty(items)) out["items"] = items;
    this.#union(schema, place, out);
    return out;
  }

  #members(schema: Schema, place: string, out: JsonObject): void {
    const others = schema.additional === undefined ? {} : this.node(schema.additional, place);
    if (!isEmpty(others)) out["others"] = others;
    const members = (schema.members ?? []).flatMap(({ name, required, schema: member }): [string, Json][] => {
      const at = `${place}.${name}`;
      const inner = this.node(member, at);
      if (member.stability !== undefined) inner["experimental"] = member.descriptor ?? at;
      if (member.capability !== undefined) inner["capability"] = member.capability;
      if (!isEmpty(inner) && required) inner["required"] = true;
      // Beside restricted others, a declared member must be told from them.
      return isEmpty(inner) && isEmpty(others) ? [] : [[name, inner]];
    });
    if (members.length > 0) out["members"] = record(members);
  }

  /** The arms, and how a value selects one. Where it cannot be told, all apply. */
  #union(schema: Schema, place: string, out: JsonObject): void {
    const { union } = schema;
    if (union === undefined) return;
    const arms = union.arms.map((arm) => this.node(arm, place));
    if (arms.every(isEmpty)) return;
    const dispatch = dispatchOf(union, this.#protocol.definitions);
    const kinds: JsonObject = {};
    const selection: JsonObject = { arms, kinds };
    if (dispatch.ok) {
      for (const branch of dispatch.branches) {
        if (branch.kind === "tag") {
          selection["tag"] = branch.tag;
          selection["cases"] = record(branch.cases.map(({ value, arm }) => [value, arm]));
          if (branch.otherwise !== undefined) selection["otherwise"] = branch.otherwise;
        } else {
          const applying = branch.kind === "arm" ? [branch.arm] : [...branch.arms];
          for (const category of branch.categories) kinds[category] = applying;
        }
      }
    } else {
      for (const category of CATEGORIES) kinds[category] = union.arms.map((_, i) => i);
    }
    out["union"] = selection;
  }
}

function isEmpty(node: JsonObject): boolean {
  return Object.keys(node).length === 0;
}
