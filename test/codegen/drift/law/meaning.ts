/**
 * What the nodes of a bundle mean, read from its JSON alone: which values they take, and what a side sends. Guides the
 * enumeration; what counts in the law is what ajv says.
 */
import type { Json } from "../../../../codegen/index.js";
import { type Bundle, type Node, targetOf } from "./bundle.js";

/** A node with the bundle that its references are of. */
export interface Spot {
  readonly bundle: Bundle;
  readonly node: Node;
}

/** Whether a value is an object. */
export function isObject(value: Json | undefined): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The node of a name. */
export function spotOf(bundle: Bundle, definition: string | undefined): Spot {
  return {
    bundle,
    node: definition === undefined ? { type: "object" } : (bundle.$defs[definition] as Node),
  };
}

/** The node that a reference leads to. */
export function followed({ bundle, node }: Spot): Spot {
  const target = targetOf(node);
  return target === undefined ? { bundle, node } : followed(spotOf(bundle, target));
}

function isOf(type: string, value: Json): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

/** The alternatives of a node. */
export function armsOf({ bundle, node }: Spot): Spot[] {
  return ((node["anyOf"] ?? node["oneOf"] ?? []) as Node[]).map((arm) => ({ bundle, node: arm }));
}

/** The words by which an alternative is chosen. */
function tagsOf(spot: Spot): Json[] {
  const { bundle, node } = followed(spot);
  const kind = (node["properties"] as Record<string, Node> | undefined)?.["kind"];
  if (kind !== undefined) {
    const { node: of } = followed({ bundle, node: kind });
    return of["const"] === undefined ? [] : [of["const"]];
  }
  return armsOf({ bundle, node }).flatMap(tagsOf);
}

/** The alternatives that a value may belong to, by its type and its tag. */
function chosen(spot: Spot, value: Json): Spot[] {
  const arms = armsOf(spot);
  if (!isObject(value) || !arms.some((arm) => tagsOf(arm).length > 0)) return arms;
  const tag = value["kind"] as Json;
  const own = arms.filter((arm) => tagsOf(arm).includes(tag));
  if (own.length > 0) return own;
  return spot.node["x-msp-openness"] === "open"
    ? arms.slice(-1)
    : arms.filter((arm) => tagsOf(arm).length === 0);
}

/** Whether a node takes a value. */
export function takes(spot: Spot, value: Json): boolean {
  const { bundle, node } = followed(spot);
  const types = node["type"] === undefined ? undefined : [node["type"]].flat();
  if (types !== undefined && !types.some((type) => isOf(type as string, value))) return false;
  if (node["const"] !== undefined && node["const"] !== value) return false;
  const listed = node["enum"] as Json[] | undefined;
  const isOpen = node["x-msp-openness"] === "open";
  if (listed !== undefined && !listed.includes(value) && !(isOpen && typeof value === "string")) return false;
  const within = (n: number, least: string, most: string): boolean =>
    n >= ((node[least] ?? -Infinity) as number) && n <= ((node[most] ?? Infinity) as number);
  if (typeof value === "number" && !within(value, "minimum", "maximum")) return false;
  if (typeof value === "string") {
    if (!within([...value].length, "minLength", "maxLength")) return false;
    if (node["pattern"] !== undefined && !new RegExp(node["pattern"] as string, "u").test(value))
      return false;
  }
  if (Array.isArray(value)) {
    if (!within(value.length, "minItems", "maxItems")) return false;
    const items = node["items"] as Node | undefined;
    if (items !== undefined && !value.every((item) => takes({ bundle, node: items }, item))) return false;
  }
  if (isObject(value) && !takesMembers({ bundle, node }, value)) return false;
  if (armsOf({ bundle, node }).length === 0) return true;
  return chosen({ bundle, node }, value).some((arm) => takes(arm, value));
}

function takesMembers({ bundle, node }: Spot, value: Record<string, Json>): boolean {
  const members = (node["properties"] ?? {}) as Record<string, Node>;
  if (!((node["required"] ?? []) as string[]).every((name) => Object.hasOwn(value, name))) return false;
  const needs = (node["dependentRequired"] ?? {}) as Record<string, string[]>;
  for (const [name, all] of Object.entries(needs))
    if (Object.hasOwn(value, name) && !all.every((need) => Object.hasOwn(value, need))) return false;
  return Object.entries(value).every(([name, part]) => {
    const of = Object.hasOwn(members, name)
      ? members[name]
      : (node["additionalProperties"] as Node | undefined);
    return of === undefined || takes({ bundle, node: of }, part);
  });
}

/** The nodes that speak of a value: what is referred to, and the alternatives that it belongs to. */
function speaking(spot: Spot, value: Json): Spot[] {
  const of = followed(spot);
  return [of, ...chosen(of, value).flatMap((arm) => speaking(arm, value))];
}

/** Whether a sender that knows only its own nodes sends a value: without the names that only the reader has. */
export function isSent(senders: readonly Spot[], readers: readonly Spot[], value: Json): boolean {
  if (typeof value !== "object" || value === null || readers.length === 0) return true;
  const ours = senders.flatMap((spot) => speaking(spot, value));
  const theirs = readers.flatMap((spot) => speaking(spot, value));
  const inside = (of: readonly Spot[], key: string): Spot[] =>
    of.flatMap(({ bundle, node }) => (node[key] === undefined ? [] : [{ bundle, node: node[key] as Node }]));
  if (Array.isArray(value))
    return value.every((item) => isSent(inside(ours, "items"), inside(theirs, "items"), item));
  const known = (of: readonly Spot[]): Json[] => of.flatMap((spot) => armsOf(spot).flatMap(tagsOf));
  const tag = value["kind"] as Json;
  if (known(theirs).includes(tag) && known(ours).length > 0 && !known(ours).includes(tag)) return false;
  const named = (of: readonly Spot[], name: string): Spot[] =>
    of.flatMap(({ bundle, node }) => {
      const part = (node["properties"] as Record<string, Node> | undefined)?.[name];
      return part === undefined ? [] : [{ bundle, node: part }];
    });
  const others = inside(ours, "additionalProperties");
  return Object.entries(value).every(([name, part]) => {
    const [mine, other] = [named(ours, name), named(theirs, name)];
    if (mine.length === 0 && other.length > 0 && others.length === 0) return false;
    return isSent(
      mine.length > 0 ? mine : others,
      other.length > 0 ? other : inside(theirs, "additionalProperties"),
      part,
    );
  });
}
