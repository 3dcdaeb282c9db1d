/**
 * The canonical term of a schema node: what a peer could see of it, and nothing else.
 *
 * Annotations, key order, names of definitions, `$ref` against inline, and `type` lists against `anyOf` leave no
 * trace in it. `docs/fingerprint.md` states the rules.
 */

import { type Json, ordered } from "../bundle/json.js";
import { JSON_TYPES, type JsonType } from "../bundle/keywords.js";
import { compareNames } from "../bundle/pointer.js";
import { dispatchOf } from "../model/dispatch.js";
import type { Definition, Schema } from "../model/protocol.js";

/** JSON with schema nodes at the places where a value has parts. */
export type Term = null | boolean | number | string | Schema | readonly Term[];

/** Writes a term; `part` writes the schema nodes in it. */
export function writeTerm(term: Term, part: (schema: Schema) => string): string {
  if (Array.isArray(term)) return `[${term.map((inner: Term) => writeTerm(inner, part)).join(",")}]`;
  if (typeof term === "object" && term !== null) return part(term as Schema);
  return JSON.stringify(term);
}

/** A node as the definition that it is only a reference to. */
export function resolve(schema: Schema, definitions: ReadonlyMap<string, Definition>): Schema {
  let node = schema;
  while (node.ref !== undefined && isReference(node)) node = definitions.get(node.ref)!.schema;
  return node;
}

/** Whether a node is a reference and says nothing else. */
export function isReference(node: Schema): boolean {
  return node.ref !== undefined && !hasOwnFacets(node);
}

/** Builds terms; `label` gives a text by which alternatives are put in order. */
export class Terms {
  readonly #definitions: ReadonlyMap<string, Definition>;
  readonly #label: (term: Term) => string;

  constructor(definitions: ReadonlyMap<string, Definition>, label: (term: Term) => string) {
    this.#definitions = definitions;
    this.#label = label;
  }

  /** The term of a node. */
  of(schema: Schema): Term {
    const node = resolve(schema, this.#definitions);
    const parts: Term[] = [];
    if (node.ref !== undefined) parts.push(this.of(this.#definitions.get(node.ref)!.schema));
    if (node.constant !== undefined) parts.push(listed([node.constant.value], false));
    if (node.enum !== undefined)
      parts.push(
        listed(
          node.enum.values.map(({ value }) => value),
          node.enum.open,
        ),
      );
    if (speaksOfType(node) || narrowsTypes(node)) parts.push(this.#own(node));
    if (node.union !== undefined) parts.push(this.#union(node));
    if (parts.length === 0) return ANY;
    if (parts.length === 1) return parts[0]!;
    const ordered = this.#ordered(parts);
    return ordered.length === 1 ? ordered[0]! : ["all", ...ordered];
  }

  /** What a node says itself, its listed values apart: the alternatives by type. */
  #own(node: Schema): Term {
    let types: readonly JsonType[] = node.types ?? JSON_TYPES;
    if (types.includes("number")) types = types.filter((type) => type !== "integer");
    if (types.length === 1) return this.#typed(types[0]!, node);
    return this.#alternatives(types.map((type) => this.#typed(type, node)));
  }

  #typed(type: JsonType, node: Schema): Term {
    const facets: Term[] = [];
    const facet = (name: string, value: Term | undefined): void => {
      if (value !== undefined) facets.push([name, value]);
    };
    if (type === "string") {
      facet("pattern", node.pattern);
      facet("minLength", node.minLength === 0 ? undefined : node.minLength);
      facet("maxLength", node.maxLength);
    } else if (type === "integer" || type === "number") {
      facet("minimum", node.minimum);
      facet("maximum", node.maximum);
    } else if (type === "array") {
      facet("minItems", node.minItems === 0 ? undefined : node.minItems);
      facet("maxItems", node.maxItems);
      facet("items", this.#part(node.items));
    } else if (type === "object") {
      for (const { name, required, schema } of node.members ?? []) {
        const stability = schema.stability === undefined ? [] : [schema.stability, schema.descriptor ?? null];
        facets.push(["member", name, required, schema, ...stability]);
      }
      facet("others", this.#part(node.additional));
      for (const { name, needs } of node.dependentRequired ?? []) facets.push(["needs", name, ...needs]);
    }
    return facets.length === 0 ? type : [type, ...facets];
  }

  /** A part, unless it says nothing. */
  #part(schema: Schema | undefined): Schema | undefined {
    if (schema === undefined) return undefined;
    const node = resolve(schema, this.#definitions);
    return node.ref === undefined && !hasOwnFacets(node) ? undefined : schema;
  }

  #union(node: Schema): Term {
    const { arms, open, keyword } = node.union!;
    const terms = arms.map((arm) => this.of(arm));
    if (!dispatchOf(node.union!, this.#definitions).ok) return [keyword, ...this.#ordered(terms)];
    return open ? ["open", ...this.#ordered(terms)] : this.#alternatives(terms);
  }

  /** Alternatives without order, nesting or repetition. */
  #alternatives(terms: readonly Term[]): Term {
    const flat = terms.flatMap((term) =>
      Array.isArray(term) && term[0] === "any of" ? (term.slice(1) as Term[]) : [term],
    );
    const ordered = this.#ordered(flat);
    return ordered.length === 1 ? ordered[0]! : ["any of", ...ordered];
  }

  #ordered(terms: readonly Term[]): Term[] {
    const byLabel = terms.map((term) => ({ term, label: this.#label(term) }));
    byLabel.sort((a, b) => compareNames(a.label, b.label));
    return byLabel
      .filter(({ label, term }, i) => i === 0 || byLabel[i - 1]!.label !== label || hasPart(term))
      .map(({ term }) => term);
  }
}

const ANY = "anything";

function listed(values: readonly Json[], open: boolean): Term {
  const words = values.map((value) => JSON.stringify(ordered(value))).sort(compareNames);
  return [open ? "open enum" : "enum", ...words];
}

/** Whether the types of a node leave out values that it would accept without them. */
function narrowsTypes({ types, constant, enum: facet }: Schema): boolean {
  if (types === undefined) return false;
  if (facet?.open === true && constant === undefined) return !types.includes("string");
  const values = constant === undefined ? facet?.values.map(({ value }) => value) : [constant.value];
  return values === undefined || !values.every((value) => types.some((type) => isOf(type, value)));
}

function isOf(type: JsonType, value: Json): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type && value !== null && !Array.isArray(value);
}

function hasPart(term: Term): boolean {
  if (Array.isArray(term)) return term.some((inner: Term) => hasPart(inner));
  return typeof term === "object" && term !== null;
}

/** Whether a node says something beside its reference. */
function hasOwnFacets(node: Schema): boolean {
  return (
    node.types !== undefined ||
    node.constant !== undefined ||
    node.enum !== undefined ||
    node.union !== undefined ||
    speaksOfType(node)
  );
}

/** Whether a node has a facet that speaks of values of one type; a least length of 0 says nothing. */
export function speaksOfType(node: Schema): boolean {
  return (
    (node.members !== undefined && node.members.length > 0) ||
    node.additional !== undefined ||
    node.dependentRequired !== undefined ||
    node.items !== undefined ||
    (node.minItems ?? 0) > 0 ||
    node.maxItems !== undefined ||
    node.pattern !== undefined ||
    (node.minLength ?? 0) > 0 ||
    node.maxLength !== undefined ||
    node.minimum !== undefined ||
    node.maximum !== undefined
  );
}
