/**
 * One set of definitions that holds nodes of both versions, so that one module of validators and one of test data do
 * for all that is tried. Names of the two sides clash, so each definition gets a new one, by its side.
 */
import { isReference } from "../../fingerprint/term.js";
import {
  type Definition,
  forEachSchema,
  mapParts,
  type Protocol,
  type Schema,
} from "../../model/protocol.js";

/** The version that a node belongs to. */
export type Side = "base" | "head";

/** Definitions of both sides under new names, as far as something refers to them. */
export class Merged {
  /** All definitions by their new names; they grow as nodes are added. */
  readonly definitions = new Map<string, Definition>();
  readonly #protocols: Readonly<Record<Side, Protocol>>;
  readonly #sideOf = new Map<Schema, Side | undefined>();
  readonly #named: Readonly<Record<Side, Map<string, string>>> = { base: new Map(), head: new Map() };
  readonly #renamed: Readonly<Record<Side, Map<Schema, Schema>>> = { base: new Map(), head: new Map() };
  readonly #ids: Readonly<Record<Side, Map<Schema, string>>> = { base: new Map(), head: new Map() };
  readonly #defined = new Map<string, string>();
  /** The definitions whose whole schema a node is. */
  readonly #wholes: Readonly<Record<Side, Map<Schema, string>>> = { base: new Map(), head: new Map() };

  constructor(base: Protocol, head: Protocol) {
    this.#protocols = { base, head };
    for (const side of ["base", "head"] as const) {
      for (const { name, schema } of this.#protocols[side].definitions.values()) {
        this.#wholes[side].set(schema, name);
        forEachSchema(schema, (node) => {
          // A node that both sides have says nothing about whose it is.
          this.#sideOf.set(
            node,
            this.#sideOf.has(node) && this.#sideOf.get(node) !== side ? undefined : side,
          );
        });
      }
    }
  }

  /** The protocol of a side, as it was given. */
  protocol(side: Side): Protocol {
    return this.#protocols[side];
  }

  /**
   * Adds a node as a definition of its own.
   * @param side whose references it has, where it is of neither model: nodes that rules make up
   * @returns the name of the definition; of the one that is there, where the node only refers to it
   */
  add(schema: Schema, side: Side): string {
    const own = this.#sideOf.get(schema) ?? side;
    let id = this.#ids[own].get(schema);
    if (id === undefined) {
      const whole = this.#wholes[own].get(schema);
      const node = this.renamed(whole === undefined ? schema : { pointer: "", ref: whole }, own);
      id = node.ref !== undefined && isReference(node) ? node.ref : this.define(node);
      this.#ids[own].set(schema, id);
    }
    return id;
  }

  /** Adds a node whose references have been renamed; nodes that say the same are one definition. */
  define(schema: Schema): string {
    const text = JSON.stringify(schema);
    const known = this.#defined.get(text);
    if (known !== undefined) return known;
    const name = `n${this.definitions.size}`;
    this.definitions.set(name, { name, pointer: schema.pointer, schema });
    this.#defined.set(text, name);
    return name;
  }

  /** The node of a name. */
  node(id: string): Schema {
    return (this.definitions.get(id) as Definition).schema;
  }

  /** A node with the new names in its references; the same object each time it is asked for. */
  renamed(schema: Schema, side: Side): Schema {
    const own = this.#sideOf.get(schema) ?? side;
    const known = this.#renamed[own];
    let node = known.get(schema);
    if (node === undefined) {
      node = this.#rename(schema, own);
      known.set(schema, node);
    }
    return node;
  }

  #rename(schema: Schema, side: Side): Schema {
    const inner = (part: Schema): Schema => this.renamed(part, side);
    const { ref } = schema;
    // Always another object: a node of a version is never one of these.
    return {
      ...mapParts(schema, inner),
      ...(ref === undefined ? {} : { ref: this.#nameOf(ref, side) }),
    };
  }

  /** The new name of a definition, which is added with all that it refers to. */
  #nameOf(definition: string, side: Side): string {
    const names = this.#named[side];
    const known = names.get(definition);
    if (known !== undefined) return known;
    const waiting = [definition];
    names.set(definition, this.#reserve());
    // References are followed in turn and not inside each other: a ring of definitions may be long.
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { schema } = this.#protocols[side].definitions.get(next) as Definition;
      forEachSchema(schema, ({ ref }) => {
        if (ref === undefined || names.has(ref)) return;
        names.set(ref, this.#reserve());
        waiting.push(ref);
      });
      const name = names.get(next) as string;
      this.definitions.set(name, { name, pointer: schema.pointer, schema: this.renamed(schema, side) });
    }
    return names.get(definition) as string;
  }

  #reserve(): string {
    const name = `n${this.definitions.size}`;
    this.definitions.set(name, { name, pointer: "", schema: { pointer: "" } });
    return name;
  }
}
