/** Where a message has something in it that only clients may see that asked for what is experimental. */
import { mspModel } from "../coverage/model.js";
import type { JsonObject } from "../model/history.js";

interface Node {
  readonly ref?: string;
  readonly stability?: string;
  readonly descriptor?: string;
  readonly members?: readonly { readonly name: string; readonly schema: Node }[];
  readonly items?: Node;
  readonly additional?: Node;
  readonly enum?: { readonly values: readonly { readonly value: unknown; readonly stability?: string }[] };
  readonly union?: { readonly arms: readonly Node[] };
}

interface Row {
  readonly params?: string;
  readonly result?: string;
  readonly stability?: string;
}

interface Surface {
  readonly methods: Readonly<Record<string, Row | undefined>>;
  readonly notifications: Readonly<Record<string, Row | undefined>>;
  readonly requests: Readonly<Record<string, Row | undefined>>;
  readonly definitions: Readonly<Record<string, Node | undefined>>;
}

const surface = (): Surface => mspModel() as unknown as Surface;

/** What is experimental in a result; a JSON Pointer, or undefined for nothing. */
export function experimentalInResult(method: string, result: JsonObject): string | undefined {
  return inDefinition(own(surface().methods, method)?.result, result);
}

/** What is experimental in what a host tells or asks; a JSON Pointer, empty for the message itself. */
export function experimentalInTold(
  kind: "notification" | "request",
  method: string,
  params: JsonObject,
): string | undefined {
  const { notifications, requests } = surface();
  const row = own(kind === "notification" ? notifications : requests, method);
  if (row?.stability !== undefined) return "";
  return inDefinition(row?.params, params);
}

function inDefinition(name: string | undefined, value: unknown): string | undefined {
  return name === undefined ? undefined : found({ ref: name }, value, "");
}

function found(node: Node, value: unknown, at: string): string | undefined {
  if (node.ref !== undefined) {
    const target = own(surface().definitions, node.ref);
    const inside = target === undefined ? undefined : found(target, value, at);
    if (inside !== undefined) return inside;
  }
  if (node.enum?.values.some((word) => word.stability !== undefined && word.value === value) === true)
    return at;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    const { items } = node;
    return items === undefined ? undefined : first(value, (item, i) => found(items, item, `${at}/${i}`));
  }
  const known = new Set<string>();
  for (const { name, schema } of node.members ?? []) {
    known.add(name);
    if (!Object.hasOwn(value, name)) continue;
    if (schema.stability !== undefined) return `${at}/${name}`;
    const inside = found(schema, (value as JsonObject)[name], `${at}/${name}`);
    if (inside !== undefined) return inside;
  }
  const { additional, union } = node;
  if (additional !== undefined)
    for (const [name, inner] of Object.entries(value)) {
      const inside = known.has(name) ? undefined : found(additional, inner, `${at}/${name}`);
      if (inside !== undefined) return inside;
    }
  return first(union?.arms ?? [], (arm) => found(arm, value, at));
}

function first<T, R>(list: readonly T[], of: (item: T, index: number) => R | undefined): R | undefined {
  for (const [i, item] of list.entries()) {
    const result = of(item, i);
    if (result !== undefined) return result;
  }
  return undefined;
}

function own<T>(table: Readonly<Record<string, T | undefined>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
