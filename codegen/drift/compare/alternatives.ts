/**
 * A node as alternatives that each take values of one JSON type, so that `type` lists, `anyOf` and nested unions are
 * compared alike. What cannot be taken apart stays whole.
 */
import { type Json, ordered } from "../../bundle/json.js";
import type { JsonType } from "../../bundle/keywords.js";
import { resolve, speaksOfType } from "../../fingerprint/term.js";
import {
  CATEGORIES,
  type Category,
  categoriesOf as categoriesAmong,
  dispatchOf,
  valuesOf as valuesAmong,
} from "../../model/dispatch.js";
import type { Definition, Schema } from "../../model/protocol.js";

type Definitions = ReadonlyMap<string, Definition>;

/** The alternatives of the nodes of one protocol. Each is made once, so that it can be told by identity. */
export class Alternatives {
  readonly #definitions: Definitions;
  readonly #known = new Map<Schema, readonly Schema[]>();
  readonly #tags = new Map<Schema, ReadonlyMap<string, ReadonlySet<string>>>();

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  /** The alternatives of a node; itself, where it takes values of one type, of any, or cannot be taken apart. */
  of(schema: Schema): readonly Schema[] {
    const node = resolve(schema, this.#definitions);
    let parts = this.#known.get(node);
    if (parts === undefined) {
      // While it is worked out a node that contains itself as an alternative stands for itself.
      this.#known.set(node, [node]);
      parts = this.#parts(node);
      this.#known.set(node, parts);
      for (const part of parts) if (!this.#known.has(part)) this.#known.set(part, [part]);
    }
    return parts;
  }

  /** The kinds of values that a node may take, by its references and arms too. */
  takes(schema: Schema): ReadonlySet<Category> {
    return categoriesAmong(schema, this.#definitions);
  }

  /** The tags by which an object says which arm it is: what members that must be there are limited to, as JSON. */
  tags(arm: Schema): ReadonlyMap<string, ReadonlySet<string>> {
    let tags = this.#tags.get(arm);
    if (tags === undefined) this.#tags.set(arm, (tags = this.#tagsOf(arm)));
    return tags;
  }

  /** The values that a node is limited to; undefined where it is not. */
  listed(schema: Schema): readonly Json[] | undefined {
    return valuesAmong(schema, this.#definitions);
  }

  #tagsOf(arm: Schema): ReadonlyMap<string, ReadonlySet<string>> {
    const tags = new Map<string, ReadonlySet<string>>();
    const [node, ...others] = this.of(arm);
    if (others.length > 0) return tags;
    for (const { name, required, schema } of node?.members ?? []) {
      const values = required ? this.listed(schema) : undefined;
      if (values !== undefined)
        tags.set(name, new Set(values.map((value) => JSON.stringify(ordered(value)))));
    }
    return tags;
  }

  #parts(node: Schema): readonly Schema[] {
    const { union } = node;
    if (union !== undefined) {
      const dispatches = union.keyword === "anyOf" || dispatchOf(union, this.#definitions).ok;
      if (union.open || !dispatches || hasMore(node)) return [node];
      return [...new Set(union.arms.flatMap((arm) => this.of(arm)))];
    }
    const categories = categoriesOf(node);
    if (node.ref !== undefined || categories === undefined || categories.length < 2) return [node];
    return categories.map((category) => only(node, category));
  }
}

/** The kinds of values that a node takes by itself; undefined where it says nothing of it, or leaves it to a reference. */
export function categoriesOf(node: Schema): readonly Category[] | undefined {
  const listed = valuesOf(node);
  const ofValues =
    listed === undefined
      ? undefined
      : new Set<Category>([...listed.values.map(categoryOf), ...(listed.open ? (["string"] as const) : [])]);
  const ofTypes = node.types === undefined ? undefined : new Set<Category>(node.types.map(categoryOfType));
  if (ofValues === undefined && ofTypes === undefined) return undefined;
  return CATEGORIES.filter(
    (category) => ofValues?.has(category) !== false && ofTypes?.has(category) !== false,
  );
}

/** The values that a node lists: of an enum, or its one constant. */
export function valuesOf(
  node: Schema,
): { readonly values: readonly Json[]; readonly open: boolean } | undefined {
  if (node.constant !== undefined) return { values: [node.constant.value], open: false };
  if (node.enum === undefined) return undefined;
  return { values: node.enum.values.map(({ value }) => value), open: node.enum.open };
}

function hasMore(node: Schema): boolean {
  return (
    node.types !== undefined || valuesOf(node) !== undefined || node.ref !== undefined || speaksOfType(node)
  );
}

function categoryOfType(type: JsonType): Category {
  return type === "integer" ? "number" : type;
}

function categoryOf(value: Json): Category {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as Category);
}

const FACETS: Readonly<Partial<Record<Category, readonly (keyof Schema)[]>>> = {
  string: ["pattern", "minLength", "maxLength"],
  number: ["minimum", "maximum"],
  array: ["items", "minItems", "maxItems"],
  object: ["members", "additional", "dependentRequired"],
};

/** A node for its values of one kind alone. */
function only(node: Schema, category: Category): Schema {
  const types =
    node.types?.filter((type) => categoryOfType(type) === category) ?? ([category] as readonly JsonType[]);
  const out: Record<string, unknown> = { pointer: node.pointer, types };
  for (const facet of FACETS[category] ?? []) if (node[facet] !== undefined) out[facet] = node[facet];
  const listed = valuesOf(node);
  const values = listed?.values.filter((value) => categoryOf(value) === category);
  if (listed !== undefined && (values?.length !== 0 || (listed.open && category === "string")))
    out["enum"] = {
      values: (values ?? []).map((value) => ({ value })),
      open: listed.open && category === "string",
      stated: true,
    };
  return out as unknown as Schema;
}
