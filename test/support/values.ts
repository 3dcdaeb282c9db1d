/**
 * JSON values made from the schema nodes of a model: valid ones, and what `mutations.ts` makes of them.
 *
 * A made value remembers its places, each with the nodes that speak of it, so that a mutation knows what it breaks.
 */
import type { Definition, Json, Schema, Union } from "../../codegen/index.js";
import { CATEGORIES, type Category, categoriesOf } from "../../codegen/model/dispatch.js";
import type { Random } from "../../src/laws/random.js";
import { sampleOf } from "./pattern.js";

/** What can hold a value: an object or an array. */
export type Holder = Record<string, Json> | Json[];

/** One place in a made value. */
export interface Site {
  readonly holder: Holder;
  readonly key: string | number;
  /** The nodes that apply there, with references followed and arms chosen. */
  readonly nodes: readonly Schema[];
  readonly unions: readonly Union[];
}

/** A value and its places, the innermost first. */
export interface Made {
  readonly sites: readonly Site[];
  /** The value as it is now. */
  readonly value: Json;
}

/** Names that objects have without owning them, and others that careless code trips over. */
export const ODD_NAMES = [
  "toString",
  "constructor",
  "__proto__",
  "hasOwnProperty",
  "valueOf",
  "",
  "a/b",
  "a~b",
  "0",
  "length",
  "\u{1F600}",
] as const;

/** Strings of every sort, unlike any word of a protocol. */
export const ODD_STRINGS = [
  "",
  "x",
  "\u{1F600}",
  "e\u0301",
  "\ud800",
  "toString",
  "__proto__",
  "\u0000",
] as const;

const DEEP = 6;

/** Sets an own member, whatever its name. */
export function put(holder: Holder, key: string | number, value: Json): void {
  if (key === "__proto__")
    Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
  else (holder as Record<string | number, Json>)[key] = value;
}

/** The own member of a holder. */
export function got(holder: Holder, key: string | number): Json | undefined {
  return Object.getOwnPropertyDescriptor(holder, key)?.value as Json | undefined;
}

/** Makes values; the same random stream gives the same ones. */
export class ValueMaker {
  readonly #definitions: ReadonlyMap<string, Definition>;
  readonly #random: Random;
  #sites: Site[] = [];

  constructor(definitions: ReadonlyMap<string, Definition>, random: Random) {
    this.#definitions = definitions;
    this.#random = random;
  }

  /** A value that a node accepts. */
  make(schema: Schema): Made {
    const root: Record<string, Json> = {};
    const sites: Site[] = (this.#sites = []);
    this.#fill(root, "value", [schema], 0);
    return {
      sites,
      get value() {
        return root["value"] as Json;
      },
    };
  }

  #fill(holder: Holder, key: string | number, given: readonly Schema[], depth: number): void {
    const nodes: Schema[] = [];
    const unions: Union[] = [];
    for (const node of given) this.#flatten(node, nodes, unions, depth);
    const value = this.#value(nodes, depth);
    put(holder, key, value);
    this.#sites.push({ holder, key, nodes, unions });
  }

  #flatten(node: Schema, nodes: Schema[], unions: Union[], depth: number): void {
    nodes.push(node);
    if (node.ref !== undefined)
      this.#flatten((this.#definitions.get(node.ref) as Definition).schema, nodes, unions, depth);
    if (node.union === undefined) return;
    unions.push(node.union);
    this.#flatten(this.#arm(node.union, nodes, depth), nodes, unions, depth);
  }

  /** An arm that goes with the types of the other nodes; far down, one that ends. */
  #arm({ arms }: Union, nodes: readonly Schema[], depth: number): Schema {
    const allowed = this.#categories(nodes.map(({ union: _, ...rest }) => rest));
    const fitting = arms.filter((arm) =>
      [...categoriesOf(arm, this.#definitions)].some((category) => allowed.includes(category)),
    );
    const possible = fitting.length > 0 ? fitting : arms;
    return this.#random.pick(depth < DEEP ? possible : this.#ending(possible));
  }

  /** The arms that end soonest: without members, else within the fewest levels. */
  #ending(arms: readonly Schema[]): readonly Schema[] {
    const flat = arms.filter((arm) => !categoriesOf(arm, this.#definitions).has("object"));
    if (flat.length > 0) return flat;
    for (let levels = 1; levels < DEEP; levels++) {
      const ending = arms.filter((arm) => this.#endsWithin(arm, levels));
      if (ending.length > 0) return ending;
    }
    return arms;
  }

  /** Whether a node has a value that nests no deeper than that: what it requires has to end before. */
  #endsWithin(node: Schema, levels: number): boolean {
    if (levels < 0) return false;
    const referred = node.ref === undefined ? undefined : this.#definitions.get(node.ref)?.schema;
    return (
      (referred === undefined || this.#endsWithin(referred, levels)) &&
      (node.union === undefined || node.union.arms.some((arm) => this.#endsWithin(arm, levels))) &&
      (node.members ?? []).every(
        ({ required, schema }) => !required || this.#endsWithin(schema, levels - 1),
      ) &&
      (node.items === undefined || (node.minItems ?? 0) === 0 || this.#endsWithin(node.items, levels - 1))
    );
  }

  #categories(nodes: readonly Schema[]): Category[] {
    const sets = nodes.map((node) => categoriesOf(node, this.#definitions));
    return CATEGORIES.filter((category) => sets.every((set) => set.has(category)));
  }

  #value(nodes: readonly Schema[], depth: number): Json {
    for (const { constant } of nodes) if (constant !== undefined) return structuredClone(constant.value);
    for (const { enum: listed } of nodes) {
      if (listed === undefined) continue;
      if (listed.open && this.#random.chance(0.2)) return `future-${this.#random.int(0, 99)}`;
      return structuredClone(this.#random.pick(listed.values).value);
    }
    const categories = this.#categories(nodes);
    // A node that speaks of members but not of types is most often meant for objects.
    const members = nodes.some((node) => node.members ?? node.additional ?? node.dependentRequired);
    const category =
      members && categories.includes("object") && this.#random.chance(0.8)
        ? "object"
        : this.#random.pick(categories.length > 0 ? categories : (["null"] as const));
    switch (category) {
      case "null":
        return null;
      case "boolean":
        return this.#random.chance(0.5);
      case "number":
        return this.#number(nodes);
      case "string":
        return this.#string(nodes);
      case "array":
        return this.#array(nodes, depth);
      case "object":
        return this.#object(nodes, depth);
    }
  }

  #number(nodes: readonly Schema[]): number {
    const low = Math.max(...nodes.map((node) => node.minimum ?? -Infinity));
    const high = Math.min(...nodes.map((node) => node.maximum ?? Infinity));
    const whole = nodes.some((node) => node.types?.includes("integer") && !node.types.includes("number"));
    const candidates = [
      low,
      high,
      0,
      -0,
      1,
      -1,
      2 ** 31,
      2 ** 53 - 1,
      -(2 ** 53) + 1,
      this.#random.int(2, 400),
    ];
    if (!whole) candidates.push(0.5, 1e-9, 1e300, this.#random.next() * 10);
    const fitting = candidates.filter((n) => Number.isFinite(n) && n >= low && n <= high);
    const guess = Number.isFinite(low) && Number.isFinite(high) ? Math.ceil((low + high) / 2) : 0;
    return fitting.length > 0 ? this.#random.pick(fitting) : guess;
  }

  #string(nodes: readonly Schema[]): string {
    for (const { pattern } of nodes) if (pattern !== undefined) return sampleOf(pattern, this.#random);
    const low = Math.max(0, ...nodes.map((node) => node.minLength ?? 0));
    const high = Math.min(low + 300, ...nodes.map((node) => node.maxLength ?? low + 12));
    const length = this.#random.pick([low, high, this.#random.int(low, Math.min(high, low + 12))]);
    const odd = this.#random.pick(ODD_STRINGS);
    if (length > 0 && [...odd].length === length) return odd;
    const letter = this.#random.chance(0.2) ? "\u{1F600}" : "k";
    return letter.repeat(length);
  }

  #array(nodes: readonly Schema[], depth: number): Json[] {
    const low = Math.max(0, ...nodes.map((node) => node.minItems ?? 0));
    const high = Math.min(...nodes.map((node) => node.maxItems ?? Infinity));
    const items = nodes.flatMap((node) => node.items ?? []);
    const few = depth >= DEEP ? low : this.#random.int(low, Math.min(high, low + 3));
    const length = high <= 30 && this.#random.chance(0.15) ? high : few;
    const array: Json[] = [];
    for (let i = 0; i < length; i++) this.#fill(array, i, items, depth + 1);
    return array;
  }

  #object(nodes: readonly Schema[], depth: number): Json {
    const object: Record<string, Json> = {};
    const members = new Map<string, Schema[]>();
    const wanted = new Set<string>();
    const share = this.#random.pick(depth >= DEEP ? [0] : depth > 2 ? [0, 0.1] : [0, 0.1, 0.4, 0.8]);
    for (const { name, required, declared, schema } of nodes.flatMap((node) => node.members ?? [])) {
      if (!members.has(name)) members.set(name, []);
      if (declared) members.get(name)?.push(schema);
      if (required || this.#random.chance(share)) wanted.add(name);
    }
    for (const name of this.#extraNames(nodes, depth)) if (!members.has(name)) wanted.add(name);
    const dependencies = nodes.flatMap((node) => node.dependentRequired ?? []);
    for (const { name } of dependencies) if (depth < DEEP && this.#random.chance(0.3)) wanted.add(name);
    for (let size = -1; size !== wanted.size; ) {
      size = wanted.size;
      for (const { name, needs } of dependencies)
        if (wanted.has(name)) for (const need of needs) wanted.add(need);
    }
    for (const name of wanted) {
      const additional = nodes.flatMap((node) => {
        const declared = node.members?.some((member) => member.name === name && member.declared);
        return declared === true || node.additional === undefined ? [] : [node.additional];
      });
      this.#fill(object, name, [...(members.get(name) ?? []), ...additional], depth + 1);
    }
    return object;
  }

  /** Names that no node declares: many in a map, else seldom one, which a peer must bear. */
  #extraNames(nodes: readonly Schema[], depth: number): string[] {
    const map = nodes.some((node) => node.additional !== undefined);
    if (!map) return this.#random.chance(0.05) ? [this.#random.pick(ODD_NAMES)] : [];
    const names: string[] = [];
    for (let n = depth >= DEEP ? 0 : this.#random.int(0, 3); n > 0; n--)
      names.push(this.#random.chance(0.3) ? this.#random.pick(ODD_NAMES) : `key${this.#random.int(0, 9)}`);
    return names;
  }
}
