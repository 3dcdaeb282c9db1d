/** What leaves no trace in values: defaults, deprecation, gates, and keywords that mspkit does not know. */
import { isJsonObject, type Json, type JsonObject, jsonEqual } from "../../bundle/json.js";
import { ANNOTATIONS, KEYWORDS } from "../../bundle/keywords.js";
import { child, tokens } from "../../bundle/pointer.js";
import {
  type Annotated,
  forEachSchema,
  type Protocol,
  references,
  type Schema,
} from "../../model/protocol.js";
import type { Difference, Effect, Pair } from "../change.js";
import type { DriftRuleId } from "../rules.js";
import { difference } from "./difference.js";
import { forEachNamed } from "./named.js";

/** One side: the model, and the bundle that it was made of. */
export interface Side {
  readonly protocol: Protocol;
  readonly root: JsonObject;
}

/** Compares what nodes of definitions and messages say beside their values, by their pointers. */
export function compareAnnotations(base: Side, head: Side, marks: boolean): Difference[] {
  const found: Difference[] = [];
  const saying = new Set([...annotated(base.protocol), ...annotated(head.protocol)]);
  const before = nodesOf(base.protocol, saying);
  const carried = carriedBy(base.protocol, head.protocol);
  for (const [key, { node: now, definition }] of nodesOf(head.protocol, saying)) {
    const was = before.get(key)?.node;
    if (was === undefined) continue;
    const places = { base: was.pointer, head: now.pointer };
    const tell = teller(found, places, definition === undefined || carried.has(definition));
    if (now.deprecated === true && was.deprecated !== true) tell("deprecated", {}, undefined, true);
    // Of a message itself its own rules tell the rest.
    if (definition === undefined) continue;
    const [b, h] = [(was as Schema).default, (now as Schema).default];
    if (!jsonEqual(b?.value ?? null, h?.value ?? null) || (b === undefined) !== (h === undefined))
      tell("default-changed", { relied: true }, b?.value, h?.value);
    const [gate, gateNow] = [(was as Schema).capability, (now as Schema).capability];
    if (marks && gate !== gateNow)
      tell(
        gateNow === undefined ? "capability-waived" : "capability-demanded",
        { relied: gateNow !== undefined },
        gate,
        gateNow,
      );
  }
  compareKeywords(found, base, head, carried);
  return found;
}

/** Compares keywords of nodes that mspkit does not know. */
function compareKeywords(found: Difference[], base: Side, head: Side, carried: ReadonlySet<string>): void {
  const before = keywordsOf(base);
  const after = keywordsOf(head);
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [b, h] = [before.get(key), after.get(key)];
    if (b !== undefined && h !== undefined && jsonEqual(b.value, h.value)) continue;
    const places = { base: (b ?? h)?.pointer ?? "", head: (h ?? b)?.pointer ?? "" };
    const tell = teller(found, places, carried.has((b ?? h)?.definition ?? ""));
    tell("keyword-changed", { narrows: "maybe", widens: "maybe", relied: true }, b?.value, h?.value);
  }
}

/** Stands for two nodes that no message comes to. */
const UNUSED: Pair = { base: { pointer: "" }, head: { pointer: "" }, via: {}, uses: [], moreUses: false };

function teller(
  found: Difference[],
  { base, head }: { readonly base: string; readonly head: string },
  used: boolean,
) {
  return (
    rule: DriftRuleId,
    effects: { readonly narrows?: Effect; readonly widens?: Effect; readonly relied?: boolean },
    before: Json | undefined,
    after: Json | undefined,
  ): void => {
    const kind = before === undefined ? "added" : after === undefined ? "removed" : "changed";
    const pointer = kind === "removed" ? base : head;
    found.push(
      difference(rule, { kind, pointer, before, after }, { ...effects, ...(used ? {} : { pair: UNUSED }) }),
    );
  };
}

/** The definitions that messages of either side carry. */
function carriedBy(...protocols: readonly Protocol[]): ReadonlySet<string> {
  const carried = new Set<string>();
  for (const { definitions, methods, notifications, requests, errorData } of protocols) {
    const parts = [...methods, ...notifications, ...requests].flatMap((message: Call) => [
      message.params,
      message.result,
    ]);
    const roles = [...definitions.values()].flatMap(({ name, role }) => (role === undefined ? [] : [name]));
    const todo = [...parts, ...roles, errorData].filter((name) => name !== undefined);
    const seen = new Set<string>();
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      carried.add(name);
      const schema = definitions.get(name)?.schema;
      if (schema !== undefined) todo.push(...references(schema));
    }
  }
  return carried;
}

type Call = { readonly params?: string; readonly result?: string };

interface Place {
  readonly node: Annotated;
  /** The definition that it is in; absent for a message. */
  readonly definition?: string;
}

/** The definitions in which a node says something beside its values: most have none. */
function annotated({ definitions }: Protocol): string[] {
  const names: string[] = [];
  for (const { name, schema } of definitions.values()) {
    let says = false;
    forEachSchema(schema, (node) => {
      says ||= node.deprecated !== undefined || node.default !== undefined || node.capability !== undefined;
    });
    if (says) names.push(name);
  }
  return names;
}

/** The nodes of some definitions, and all messages, by a name that stays when arms of a union change places. */
function nodesOf(
  { definitions, methods, notifications, requests }: Protocol,
  some: ReadonlySet<string>,
): Map<string, Place> {
  const nodes = new Map<string, Place>();
  for (const { name, schema } of definitions.values())
    if (some.has(name))
      forEachNamed(schema, definitions, (node, key) => nodes.set(key, { node, definition: name }));
  for (const message of [...methods, ...notifications, ...requests])
    nodes.set(message.pointer, { node: message });
  return nodes;
}

interface Keyword {
  readonly value: Json;
  readonly pointer: string;
  readonly definition: string;
}

function keywordsOf({ protocol: { definitions }, root }: Side): Map<string, Keyword> {
  const found = new Map<string, Keyword>();
  for (const { name, schema } of definitions.values()) {
    if (!saysUnknown((root["$defs"] as JsonObject)[name])) continue;
    forEachNamed(schema, definitions, ({ pointer }, place) => {
      const raw = at(root, pointer);
      if (!isJsonObject(raw)) return;
      for (const key of Object.keys(raw))
        if (isUnknown(key))
          found.set(child(place, key), {
            value: raw[key] as Json,
            pointer: child(pointer, key),
            definition: name,
          });
    });
  }
  return found;
}

/** Whether a node or one inside it has a keyword that mspkit does not know. */
function saysUnknown(raw: Json | undefined): boolean {
  if (!isJsonObject(raw)) return false;
  for (const key in raw) {
    if (isUnknown(key)) return true;
    const inner = raw[key];
    switch (KEYWORDS.get(key)?.children) {
      case "schema":
        if (saysUnknown(inner)) return true;
        break;
      case "schemas":
        if (Array.isArray(inner) && inner.some(saysUnknown)) return true;
        break;
      case "schemaMap":
        if (isJsonObject(inner) && Object.values(inner).some(saysUnknown)) return true;
        break;
      default:
    }
  }
  return false;
}

function isUnknown(key: string): boolean {
  return !KEYWORDS.has(key) && !Object.hasOwn(ANNOTATIONS, key) && !key.startsWith("x-");
}

function at(root: Json, pointer: string): Json | undefined {
  let value: Json | undefined = root;
  for (const token of tokens(pointer)) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Array.isArray(value) ? value[Number(token)] : (value as JsonObject)[token];
  }
  return value;
}
