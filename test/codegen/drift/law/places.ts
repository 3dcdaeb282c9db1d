/** The nodes of a bundle, where each stands, and who sends what it describes. */

import type { Party, Use } from "../../../../codegen/drift/change.js";
import type { Json } from "../../../../codegen/index.js";
import { type Bundle, type Node, targetOf } from "./bundle.js";

/** One node of a definition. */
export interface Place {
  readonly definition: string;
  /** From the root of the bundle. */
  readonly path: readonly (string | number)[];
  readonly as: "definition" | "member" | "items" | "additional" | "arm";
  /** The tag of an arm. */
  readonly isTag: boolean;
  /** Whether it stands behind the opt-in. */
  readonly experimental: boolean;
}

/** The node at a path. */
export function at(bundle: Bundle, path: readonly (string | number)[]): Node {
  let node: Json = bundle;
  for (const token of path) node = (node as Record<string | number, Json>)[token] as Json;
  return node as Node;
}

/** All nodes of all definitions. */
export function placesOf(bundle: Bundle): Place[] {
  const places: Place[] = [];
  const walk = (node: Node, place: Place): void => {
    places.push(place);
    const inner = (part: Node, more: readonly (string | number)[], as: Place["as"], isTag = false): void =>
      walk(part, {
        ...place,
        path: [...place.path, ...more],
        as,
        isTag,
        experimental: place.experimental || part["x-msp-stability"] === "experimental",
      });
    for (const [name, part] of Object.entries((node["properties"] ?? {}) as Record<string, Node>))
      inner(part, ["properties", name], "member", name === "kind");
    if (node["items"] !== undefined) inner(node["items"] as Node, ["items"], "items");
    if (node["additionalProperties"] !== undefined)
      inner(node["additionalProperties"] as Node, ["additionalProperties"], "additional");
    for (const keyword of ["anyOf", "oneOf"])
      ((node[keyword] ?? []) as Node[]).forEach((arm, i) => inner(arm, [keyword, i], "arm"));
  };
  for (const [definition, node] of Object.entries(bundle.$defs))
    walk(node, {
      definition,
      path: ["$defs", definition],
      as: "definition",
      isTag: false,
      experimental: false,
    });
  return places;
}

/** The whole of a message's part. */
export interface Part {
  readonly use: Use;
  /** Absent: params that are not there, an object without members. */
  readonly definition: string | undefined;
  readonly strict: boolean;
}

/** All parts of all messages. */
export function partsOf(bundle: Bundle): Part[] {
  const parts: Part[] = [];
  const add = (
    message: string,
    kind: Use["kind"],
    part: "params" | "result",
    sender: Party,
    of: Node,
  ): void => {
    if (part === "result" && of["result"] === undefined) return;
    const node = of[part] as Node | undefined;
    parts.push({
      use: { message, kind, part, sender },
      definition: node === undefined ? undefined : targetOf(node),
      strict: part === "params" && of["x-msp-strict"] === true,
    });
  };
  for (const [name, of] of Object.entries(bundle.methods)) {
    add(name, "method", "params", "client", of);
    add(name, "method", "result", "host", of);
  }
  for (const [name, of] of Object.entries(bundle.notifications))
    add(name, "notification", "params", of["x-msp-direction"] === "client-to-host" ? "client" : "host", of);
  for (const [name, of] of Object.entries(bundle.requests)) {
    add(name, "request", "params", "host", of);
    add(name, "request", "result", "client", of);
  }
  return parts;
}

/** The definitions that a definition reaches, itself among them. */
export function reach(bundle: Bundle, from: string): Set<string> {
  const found = new Set([from]);
  for (const name of found)
    JSON.stringify(bundle.$defs[name], (key, value: Json) => {
      if (key === "$ref") found.add((value as string).slice("#/$defs/".length));
      return value;
    });
  return found;
}

/** Who sends values of a definition. */
export function sendersOf(bundle: Bundle, definition: string): Set<Party> {
  return new Set(
    partsOf(bundle).flatMap(({ use, definition: root }) =>
      root !== undefined && reach(bundle, root).has(definition) ? [use.sender] : [],
    ),
  );
}

/** A bundle without what is behind the opt-in. */
export function stableOf(bundle: Bundle): Bundle {
  const copy = structuredClone(bundle);
  const isNew = (of: Node): boolean => of["x-msp-stability"] === "experimental";
  const strip = (node: Node): void => {
    const members = (node["properties"] ?? {}) as Record<string, Node>;
    for (const [name, part] of Object.entries(members)) {
      if (isNew(part)) delete members[name];
      else strip(part);
    }
    if (node["items"] !== undefined) strip(node["items"] as Node);
    if (node["additionalProperties"] !== undefined) strip(node["additionalProperties"] as Node);
    for (const keyword of ["anyOf", "oneOf"]) ((node[keyword] ?? []) as Node[]).forEach(strip);
  };
  Object.values(copy.$defs).forEach(strip);
  for (const table of [copy.methods, copy.notifications, copy.requests])
    for (const [name, of] of Object.entries(table)) if (isNew(of)) delete table[name];
  return copy;
}
