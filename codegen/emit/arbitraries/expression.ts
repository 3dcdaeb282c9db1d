/**
 * The expression that makes the generator of a schema node, in terms of the helpers in `runtime-values.ts` and `runtime-parts.ts`.
 */
import type { Json } from "../../bundle/json.js";
import type { JsonType } from "../../bundle/keywords.js";
import { CannotEmit } from "../../diagnostics/finding.js";
import { type Category, categoriesOf, dispatchOf } from "../../model/dispatch.js";
import { type Definition, facetsOf, type Schema } from "../../model/protocol.js";
import { propertyKey, quote } from "../../plan/names.js";
import { mergeSchemas } from "./merge.js";
import { drawablePattern } from "./pattern.js";

/** Writes expressions for the nodes of one protocol. */
export class Expressions {
  readonly #definitions: ReadonlyMap<string, Definition>;
  readonly #nameOf: (definition: string) => string;
  readonly #recursive: (from: string, to: string) => boolean;
  #inside = "";

  /**
   * @param nameOf the constant that holds a definition's generator
   * @param recursive whether one definition, by way of another, contains itself
   */
  constructor(
    definitions: ReadonlyMap<string, Definition>,
    nameOf: (definition: string) => string,
    recursive: (from: string, to: string) => boolean,
  ) {
    this.#definitions = definitions;
    this.#nameOf = nameOf;
    this.#recursive = recursive;
  }

  /** The generator of a definition. With `exact`, an object has no unknown members. */
  ofDefinition({ name, schema }: Definition, exact = false): string {
    this.#inside = name;
    return this.#node(schema, exact);
  }

  #node(schema: Schema, exact = false): string {
    if (schema.ref !== undefined) {
      const rest = mergeSchemas(schema, this.#definitions);
      if (rest !== undefined) return this.#node(rest, exact);
      const deeper = this.#recursive(this.#inside, schema.ref);
      return `${this.#nameOf(schema.ref)}(${deeper ? "d - 1" : "d"})`;
    }
    if (schema.constant !== undefined) return this.#listed("const", [schema.constant.value], schema);
    if (schema.enum !== undefined) return this.#enum(schema);
    if (schema.union !== undefined) return this.#union(schema);
    if (schema.types === undefined) {
      if (hasFacets(schema)) throw new CannotEmit(schema.pointer, "a node with bounds has no type");
      return "anything";
    }
    const arms = schema.types.map((type) => this.#typed(type, schema, exact));
    if (arms.length === 1) return arms[0]!;
    // Beside number, integer adds nothing.
    const kept = schema.types.includes("number")
      ? arms.filter((_, i) => schema.types![i] !== "integer")
      : arms;
    return kept.length === 1 ? kept[0]! : `union(${kept.join(", ")})`;
  }

  #typed(type: JsonType, schema: Schema, exact: boolean): string {
    switch (type) {
      case "null":
        return "nothing";
      case "boolean":
        return "bool";
      case "integer":
      case "number":
        return call(type, { min: schema.minimum, max: schema.maximum });
      case "string":
        return call("text", {
          min: schema.minLength,
          max: schema.maxLength,
          pattern: schema.pattern,
          draw: schema.pattern === undefined ? undefined : drawablePattern(schema.pattern, schema.pointer),
        });
      case "array": {
        const bounds = options({ min: schema.minItems, max: schema.maxItems });
        const items = schema.items === undefined ? "anything" : this.#node(schema.items);
        return `array(${items}${bounds === "" ? "" : `, ${bounds}`})`;
      }
      case "object":
        return this.#object(schema, exact);
    }
  }

  #object({ members = [], additional, dependentRequired = [] }: Schema, exact: boolean): string {
    if (members.length === 0 && additional === undefined && dependentRequired.length === 0)
      return exact ? "object({}, {}, { exact: true })" : "freeForm";
    const block = (required: boolean): string =>
      `{${members
        .filter((member) => member.required === required)
        .map(
          ({ name, schema }) =>
            ` ${name === "__proto__" ? '["__proto__"]' : propertyKey(name)}: ${this.#node(schema)},`,
        )
        .join("")} }`;
    const more: string[] = [];
    if (additional !== undefined) more.push(`others: ${this.#node(additional)}`);
    if (dependentRequired.length > 0) {
      const needs = dependentRequired.map(
        ({ name, needs: list }) => `${propertyKey(name)}: [${list.map(quote).join(", ")}]`,
      );
      more.push(`needs: { ${needs.join(", ")} }`);
    }
    if (exact && additional === undefined) more.push("exact: true");
    return `object(${block(true)}, ${block(false)}${more.length === 0 ? "" : `, { ${more.join(", ")} }`})`;
  }

  #enum(schema: Schema): string {
    const { values, open } = schema.enum!;
    if (open) return `words(${values.map(({ value }) => quote(value as string)).join(", ")})`;
    return this.#listed(
      "enum",
      values.map(({ value }) => value),
      schema,
    );
  }

  #listed(keyword: string, values: readonly Json[], schema: Schema): string {
    const allowed = categoriesOf(schema, this.#definitions);
    const fitting = values.filter((value) => allowed.has(categoryOf(value)));
    if (
      fitting.length < values.length ||
      (schema.types?.includes("integer") === true &&
        !schema.types.includes("number") &&
        values.some((v) => typeof v === "number" && !Number.isInteger(v)))
    ) {
      throw new CannotEmit(schema.pointer, "some of its values are not of its type");
    }
    const categories = [...allowed].map(quote).join(", ");
    return `oneOf("${keyword}", [${categories}], ${literal(values)})`;
  }

  #union(schema: Schema): string {
    const union = schema.union!;
    const dispatch = dispatchOf(union, this.#definitions);
    if (!dispatch.ok) throw new CannotEmit(schema.pointer, "a value does not select one arm of the union");
    if (schema.types !== undefined || hasFacets(schema))
      throw new CannotEmit(schema.pointer, "a union has constraints beside it");
    const arms = dispatch.branches.map((branch): string => {
      if (branch.kind === "arm") return this.#node(union.arms[branch.arm]!);
      if (branch.kind === "values") {
        const values = branch.arms.flatMap((arm) => this.#valuesOf(union.arms[arm]!));
        return `oneOf("${union.keyword}", [${branch.categories.map(quote).join(", ")}], ${literal(values)})`;
      }
      const taken = [...new Set(branch.cases.map(({ arm }) => arm))];
      if (branch.otherwise !== undefined) taken.push(branch.otherwise);
      const keyword = branch.otherwise === undefined ? quote(union.keyword) : "undefined";
      const known = branch.cases.map(({ value }) => quote(value)).join(", ");
      return `tagged(${quote(branch.tag)}, ${keyword}, [${known}], ${taken.map((arm) => this.#node(union.arms[arm]!)).join(", ")})`;
    });
    return arms.length === 1 ? arms[0]! : `union(${arms.join(", ")})`;
  }

  #valuesOf(schema: Schema): readonly Json[] {
    if (schema.constant !== undefined) return [schema.constant.value];
    if (schema.enum !== undefined) return schema.enum.values.map(({ value }) => value);
    return this.#valuesOf(this.#definitions.get(schema.ref!)!.schema);
  }
}

/** Whether a node has bounds: facets beside its types and alternatives. */
function hasFacets(schema: Schema): boolean {
  return facetsOf(schema).some((key) => key !== "types" && key !== "union");
}

function categoryOf(value: Json): Category {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as Category);
}

function literal(values: readonly Json[]): string {
  return `[${values.map((value) => (typeof value === "object" && value !== null ? `JSON.parse(${quote(JSON.stringify(value))})` : typeof value === "string" ? quote(value) : String(value))).join(", ")}]`;
}

function options(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  if (given.length === 0) return "";
  return `{ ${given.map(([key, value]) => `${key}: ${typeof value === "string" ? quote(value) : value}`).join(", ")} }`;
}

function call(helper: string, values: Readonly<Record<string, string | number | undefined>>): string {
  return `${helper}(${options(values)})`;
}
