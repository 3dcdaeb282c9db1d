/**
 * The examples of the reference: small values that tell something. They have what is required and a few members
 * more, they are made from the model alone, and the model accepts each of them.
 */
import type { Json, JsonObject } from "../../bundle/json.js";
import { JSON_TYPES, type JsonType } from "../../bundle/keywords.js";
import type { Definition, Dependency, Member, Protocol, Schema } from "../../model/protocol.js";
import { record } from "../schema/translate.js";
import { accepts } from "./accepts.js";
import { sampleOf } from "./pattern.js";

/** How many optional members the outermost object shows. */
const OPTIONAL = 3;
/** Steps after which a value is given up. */
const STEPS = 20_000;
/** Elements and characters beyond which nobody reads an example. */
const LONGEST = 10_000;

/** Where a value is being made. */
interface Spot {
  /** What the value is called: the member, or the definition. */
  readonly name: string;
  /** The definitions that are being made around it. */
  readonly inside: ReadonlySet<string>;
  readonly depth: number;
}

/** Makes the examples of one surface. */
export class ExampleMaker {
  readonly #definitions: ReadonlyMap<string, Definition>;
  #steps = 0;
  #optional = OPTIONAL;

  constructor(protocol: Protocol) {
    this.#definitions = protocol.definitions;
  }

  /** A value of a definition, with so many optional members; nothing where none was found. */
  of(definition: string, optional = OPTIONAL): Json | undefined {
    const schema = this.#definitions.get(definition)?.schema;
    return schema === undefined ? undefined : this.value(schema, definition, optional);
  }

  /** A value of a node; `name` says what it is called. */
  value(schema: Schema, name: string, optional = OPTIONAL): Json | undefined {
    this.#steps = 0;
    this.#optional = optional;
    const value = this.#make([schema], { name, inside: new Set([name]), depth: 0 });
    return value !== undefined && accepts(schema, value, this.#definitions) ? value : undefined;
  }

  /** A value of one alternative of a definition that is a union. */
  ofArm({ name, schema }: Definition, index: number): Json | undefined {
    const arm = schema.union?.arms[index];
    if (schema.union === undefined || arm === undefined) return undefined;
    const value = this.value({ ...schema, union: { ...schema.union, arms: [arm], open: false } }, name);
    return value !== undefined && accepts(schema, value, this.#definitions) ? value : undefined;
  }

  /** A value that all of some nodes accept. */
  #make(given: readonly Schema[], spot: Spot): Json | undefined {
    if (++this.#steps > STEPS) return undefined;
    const nodes: Schema[] = [];
    const todo = [...given];
    const inside = new Set(spot.inside);
    for (let node = todo.shift(); node !== undefined; node = todo.shift()) {
      const { ref, union, ...rest } = node;
      nodes.push(rest);
      if (ref !== undefined) {
        const target = this.#definitions.get(ref);
        if (inside.has(ref) || target === undefined) return undefined;
        inside.add(ref);
        todo.unshift(target.schema);
      }
      if (union === undefined) continue;
      for (const arm of union.arms) {
        const value = this.#make([...nodes, arm, ...todo], { ...spot, inside });
        // The last arm of an open union also takes values that belong to another one.
        if (value !== undefined && (!union.open || accepts(node, value, this.#definitions))) return value;
      }
      return undefined;
    }
    return this.#plain(nodes, { ...spot, inside });
  }

  /** The same for nodes without references and unions. */
  #plain(nodes: readonly Schema[], spot: Spot): Json | undefined {
    const fits = (value: Json, inside = true): boolean =>
      nodes.every((node) => accepts(node, value, this.#definitions, inside));
    const listed = nodes.flatMap((node) => [
      ...(node.examples ?? []),
      ...(node.constant === undefined ? [] : [node.constant.value]),
      ...[...(node.enum?.values ?? [])]
        .sort((a, b) => Number(a.stability !== undefined) - Number(b.stability !== undefined))
        .map(({ value }) => value),
    ]);
    const known = listed.find((value) => fits(value));
    if (known !== undefined) return known;
    for (const type of typesOf(nodes)) {
      const value = this.#ofType(type, nodes, spot);
      // What is inside was made to fit.
      if (value !== undefined && fits(value, false)) return value;
    }
    return undefined;
  }

  #ofType(type: JsonType, nodes: readonly Schema[], spot: Spot): Json | undefined {
    const low = (key: "minimum" | "minLength" | "minItems"): number =>
      Math.max(...nodes.map((node) => node[key] ?? -Infinity));
    const high = (key: "maximum" | "maxLength" | "maxItems"): number =>
      Math.min(...nodes.map((node) => node[key] ?? Infinity));
    switch (type) {
      case "null":
        return null;
      case "boolean":
        return true;
      case "integer":
      case "number":
        return numberFor(spot.name, type, low("minimum"), high("maximum"));
      case "string": {
        const pattern = nodes.find((node) => node.pattern !== undefined)?.pattern;
        const least = Math.max(0, low("minLength"));
        if (least > LONGEST) return undefined;
        return pattern === undefined
          ? fitted(textFor(spot.name), least, high("maxLength"))
          : sampleOf(pattern, least, high("maxLength"));
      }
      case "array":
        return this.#array(nodes, spot, Math.max(0, low("minItems")), high("maxItems"));
      case "object":
        return this.#object(nodes, spot);
    }
  }

  #array(nodes: readonly Schema[], spot: Spot, low: number, high: number): Json[] | undefined {
    const items = nodes.flatMap((node) => node.items ?? []);
    const name = spot.name.replace(/s$/, "");
    const item = this.#make(items, { name, inside: spot.inside, depth: spot.depth + 1 });
    if (item === undefined) return low === 0 ? [] : undefined;
    if (low > LONGEST) return undefined;
    return Array.from({ length: Math.min(Math.max(low, 1), high) }, (_, i) =>
      i === 0 ? item : structuredClone(item),
    );
  }

  /** How many optional members an object shows. */
  #room({ depth }: Spot, required: number): number {
    if (depth === 0) return this.#optional;
    return required === 0 && depth < 3 && this.#optional > 0 ? 1 : 0;
  }

  #object(nodes: readonly Schema[], spot: Spot): JsonObject | undefined {
    const members = nodes.flatMap((node) => node.members ?? []);
    const dependencies = nodes.flatMap((node) => node.dependentRequired ?? []);
    const parts = new Map<string, Json>();
    const part = (name: string): Json | undefined => {
      const schemas = members.filter((member) => member.name === name).map(({ schema }) => schema);
      return this.#make([...schemas, ...additionalOf(nodes, name)], {
        name,
        inside: spot.inside,
        depth: spot.depth + 1,
      });
    };
    const add = (names: readonly string[]): boolean => {
      const made = names.map((name) => [name, parts.get(name) ?? part(name)] as const);
      if (made.some(([, value]) => value === undefined)) return false;
      for (const [name, value] of made) parts.set(name, value as Json);
      return true;
    };
    const required = members.filter((member) => member.required).map(({ name }) => name);
    if (!add(withNeeds(required, dependencies))) return undefined;
    let room = this.#room(spot, parts.size);
    for (const member of optional(members)) {
      if (room <= 0) break;
      if (parts.has(member.name)) continue;
      const names = withNeeds([member.name], dependencies);
      if (add(names)) room -= names.length;
    }
    if (members.length === 0 && nodes.some((node) => node.additional !== undefined)) add(["key"]);
    return record([...parts]);
  }
}

/** The optional members in the order in which they are shown: what every client may use first, then the simple ones. */
function optional(members: readonly Member[]): Member[] {
  const weight = ({ schema }: Member): number =>
    (schema.items !== undefined || schema.types?.includes("object") ? 1 : 0) +
    (schema.types?.includes("null") ? 1 : 0) +
    (schema.capability === undefined ? 0 : 4);
  return members
    .filter(
      ({ required, schema }) => !required && schema.stability === undefined && schema.deprecated !== true,
    )
    .map((member) => [member, weight(member)] as const)
    .sort(([, a], [, b]) => a - b)
    .map(([member]) => member);
}

/** Names and all that must then be there too. */
function withNeeds(names: readonly string[], dependencies: readonly Dependency[]): string[] {
  const all = new Set(names);
  for (const name of all) {
    for (const rule of dependencies) if (rule.name === name) for (const need of rule.needs) all.add(need);
  }
  return [...all];
}

/** What the nodes that do not declare a member say of it. */
function additionalOf(nodes: readonly Schema[], name: string): Schema[] {
  return nodes.flatMap(({ members = [], additional }) =>
    additional === undefined || members.some((member) => member.declared && member.name === name)
      ? []
      : [additional],
  );
}

/** The types to try, null last. */
function typesOf(nodes: readonly Schema[]): JsonType[] {
  const lists = nodes.flatMap((node) => (node.types === undefined ? [] : [node.types]));
  const has = (...keys: readonly (keyof Schema)[]): boolean =>
    nodes.some((node) => keys.some((key) => node[key] !== undefined));
  const guesses: JsonType[] = [];
  if (has("members", "additional", "dependentRequired")) guesses.push("object");
  if (has("items", "minItems", "maxItems")) guesses.push("array");
  if (has("minimum", "maximum")) guesses.push("integer");
  guesses.push("string");
  const stated = lists[0] ?? [];
  const order = [...guesses.filter((type) => lists.length === 0 || stated.includes(type)), ...stated];
  const rest = lists.length === 0 ? JSON_TYPES : [];
  return [...new Set([...order.filter((type) => type !== "null"), ...order, ...rest])];
}

/** The words of a name: `displayText` and `display_text` have two. */
function words(name: string): string {
  return name
    .replace(/([a-z0-9])(?=[A-Z])/g, "$1 ")
    .replace(/[^A-Za-z0-9]+/g, " ")
    .trim()
    .toLowerCase();
}

function textFor(name: string): string {
  if (/^commandId$|CommandId$/.test(name)) return "01981f5e-7c1a-7b3c-8d2e-5f6a7b8c9d0e";
  const id = /^(.*?)_?Id$|^(.*)_id$/.exec(name);
  if (id !== null) return `${words(id[1] ?? id[2] ?? "id").replaceAll(" ", "-") || "id"}-1`;
  if (/(?:^|[a-z])(?:Url|url|Uri|uri|URL)$/.test(name)) return "https://example.com/";
  if (/path$|cwd$|root$|directory$/i.test(name)) return "/home/user/project";
  if (/email$/i.test(name)) return "user@example.com";
  if (/[a-z](?:At|Time)$|^timestamp$/.test(name)) return "2026-01-01T12:00:00Z";
  if (/version$/i.test(name)) return "1.0.0";
  return words(name) || "text";
}

/** A text whose length in code points is within bounds. */
function fitted(text: string, low: number, high: number): string {
  const characters = [...text];
  if (characters.length > high) return characters.slice(0, high).join("").trim().padEnd(low, "x");
  return characters.length < low ? text + "x".repeat(low - characters.length) : text;
}

function numberFor(name: string, type: "integer" | "number", low: number, high: number): number {
  const usual = /At(?:Ms)?$|^at(?:Ms)?$|[tT]imestamp(?:Ms)?$/.test(name) ? 1_767_268_800_000 : 1;
  const nearest = Math.min(Math.max(usual, low), high);
  return type === "integer" ? (nearest < 0 ? Math.floor(nearest) : Math.ceil(nearest)) : nearest;
}
