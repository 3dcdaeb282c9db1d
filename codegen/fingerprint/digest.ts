/**
 * One text for each schema node, equal for nodes that a peer cannot tell apart.
 *
 * A node that contains itself has an endless term. Two of them are equal when no walk tells them apart, however
 * often either is unrolled; so such nodes are first put into classes (bisimulation), and then written by classes.
 */
import { hash } from "node:crypto";
import type { Definition, Schema } from "../model/protocol.js";
import { forEachSchema, references } from "../model/protocol.js";
import { reachingCycles } from "../model/recursion.js";
import { isReference, resolve, speaksOfType, type Term, Terms, writeTerm } from "./term.js";

/** A text up to this many characters stands for itself; a longer one by its SHA-256. */
const INLINE = 64;

/** Digests of the schema nodes of one protocol. */
export class Digests {
  readonly #definitions: ReadonlyMap<string, Definition>;
  readonly #cyclic: ReadonlySet<string>;
  readonly #terms: Terms;
  readonly #texts = new Map<Schema, string>();
  readonly #termOf = new Map<Schema, Term>();
  readonly #isEndless = new Map<Schema, boolean>();
  #classes: ReadonlyMap<Schema, number> | undefined;
  /** The digests of another surface, and the definitions that are the same there, with all that they reach. */
  readonly #base: Digests | undefined;
  readonly #shared: ReadonlySet<string>;

  constructor(definitions: ReadonlyMap<string, Definition>, base?: Digests) {
    this.#definitions = definitions;
    this.#base = base;
    this.#shared = base === undefined ? new Set() : sharedDefinitions(definitions, base.#definitions);
    this.#cyclic = reachingCycles(definitions);
    this.#terms = new Terms(definitions, (term) =>
      writeTerm(term, (part) => (this.#endless(part) ? "?" : this.of(part))),
    );
  }

  /** The digest of a definition. */
  ofDefinition(name: string): string {
    if (this.#shared.has(name)) return this.#base!.ofDefinition(name);
    return this.of(this.#definitions.get(name)!.schema);
  }

  /** The digest of a node. */
  of(schema: Schema): string {
    if (schema.ref !== undefined && this.#shared.has(schema.ref) && isReference(schema)) {
      return this.#base!.ofDefinition(schema.ref);
    }
    const node = resolve(schema, this.#definitions);
    let text = this.#texts.get(node);
    if (text === undefined) {
      text = short(this.#endless(node) ? this.#unrolled(node) : (this.#plain(node) ?? this.#written(node)));
      this.#texts.set(node, text);
    }
    return text;
  }

  #written(node: Schema): string {
    return writeTerm(this.#term(node), (part) => this.of(part));
  }

  /** The term of the commonest nodes, written without building it; nothing for the others. */
  #plain(node: Schema): string | undefined {
    const type = node.types?.length === 1 ? node.types[0] : undefined;
    if (type === undefined || node.ref !== undefined || node.union !== undefined || node.enum !== undefined)
      return undefined;
    if (
      type === "object" &&
      node.additional === undefined &&
      node.dependentRequired === undefined &&
      node.constant === undefined
    ) {
      if (node.members === undefined || node.members.length === 0) return '"object"';
      let text = '["object"';
      for (const { name, required, schema } of node.members) {
        const mark =
          schema.stability === undefined
            ? ""
            : `,"experimental",${JSON.stringify(schema.descriptor ?? null)}`;
        text += `,["member",${JSON.stringify(name)},${required},${this.of(schema)}${mark}]`;
      }
      return `${text}]`;
    }
    return type !== "object" && type !== "array" && !speaksOfType(node) && node.constant === undefined
      ? `"${type}"`
      : undefined;
  }

  #term(node: Schema): Term {
    let term = this.#termOf.get(node);
    if (term === undefined) this.#termOf.set(node, (term = this.#terms.of(node)));
    return term;
  }

  /** Whether a node contains itself or reaches one that does. */
  #endless(schema: Schema): boolean {
    if (this.#cyclic.size === 0) return false;
    let endless = this.#isEndless.get(schema);
    if (endless === undefined) {
      endless = [...references(schema)].some((name) => this.#cyclic.has(name));
      this.#isEndless.set(schema, endless);
    }
    return endless;
  }

  /** An endless node, each class written out where it is met first and numbered after that. */
  #unrolled(root: Schema): string {
    this.#classes ??= classify(
      this.#endlessNodes(),
      (node) => this.#term(node),
      (part) => this.#partKey(part),
    );
    const numbers = new Map<number, number>();
    // The pieces still to be written, last first: a walk without recursion, for rings of any length.
    const todo: (string | Schema)[] = [root];
    let text = "";
    for (let piece = todo.pop(); piece !== undefined; piece = todo.pop()) {
      if (typeof piece === "string") {
        text += piece;
        continue;
      }
      const node = resolve(piece, this.#definitions);
      const id = this.#classes.get(node)!;
      const known = numbers.get(id);
      if (known !== undefined) {
        text += `^${known}`;
        continue;
      }
      numbers.set(id, numbers.size);
      const pieces: (string | Schema)[] = [];
      const holes: Schema[] = [];
      const shape = writeTerm(this.#term(node), (part) => {
        if (!this.#endless(resolve(part, this.#definitions))) return this.of(part);
        holes.push(part);
        return "\0";
      }).split("\0");
      shape.forEach((words, i) => pieces.push(words, ...(i < holes.length ? [holes[i]!] : [])));
      todo.push(...pieces.reverse());
    }
    return text;
  }

  #endlessNodes(): Schema[] {
    const nodes = new Set<Schema>();
    for (const name of this.#cyclic) {
      forEachSchema(this.#definitions.get(name)!.schema, (node) => {
        if (this.#endless(node)) nodes.add(resolve(node, this.#definitions));
      });
    }
    return [...nodes].filter((node) => this.#endless(node));
  }

  #partKey(part: Schema): Schema | string {
    const node = resolve(part, this.#definitions);
    return this.#endless(node) ? node : this.of(node);
  }
}

/** The definitions that are one object on both sides, as is everything that they reach. */
function sharedDefinitions(
  definitions: ReadonlyMap<string, Definition>,
  base: ReadonlyMap<string, Definition>,
): Set<string> {
  const shared = new Set<string>();
  const users = new Map<string, string[]>();
  const differing: string[] = [];
  for (const [name, { schema }] of definitions) {
    if (base.get(name)?.schema === schema) shared.add(name);
    else differing.push(name);
    for (const target of references(schema)) {
      const list = users.get(target);
      if (list === undefined) users.set(target, [name]);
      else list.push(name);
    }
  }
  for (let name = differing.pop(); name !== undefined; name = differing.pop()) {
    for (const user of users.get(name) ?? []) if (shared.delete(user)) differing.push(user);
  }
  return shared;
}

function short(text: string): string {
  return text.length <= INLINE ? text : `#${hash("sha256", text)}`;
}

/**
 * The coarsest classes in which equal nodes have equal parts. Starts with one class and splits; after a split only
 * the nodes that contain a moved one are looked at again, and of a split class the largest part stays where it is.
 */
function classify(
  nodes: readonly Schema[],
  termOf: (node: Schema) => Term,
  partKey: (part: Schema) => Schema | string,
): ReadonlyMap<Schema, number> {
  const shapes = new Map<Schema, { readonly words: string; readonly parts: readonly Schema[] }>();
  const users = new Map<Schema, Schema[]>();
  for (const node of nodes) {
    const parts: Schema[] = [];
    const words = writeTerm(termOf(node), (part) => {
      const key = partKey(part);
      if (typeof key === "string") return key;
      parts.push(key);
      return "?";
    });
    shapes.set(node, { words, parts });
    for (const part of parts) {
      const list = users.get(part);
      if (list === undefined) users.set(part, [node]);
      else list.push(node);
    }
  }
  const classOf = new Map<Schema, number>(nodes.map((node) => [node, 0]));
  const members = new Map<number, Set<Schema>>([[0, new Set(nodes)]]);
  let dirty = new Set(nodes);
  while (dirty.size > 0) {
    const touched = new Map<number, Set<Schema>>();
    for (const node of dirty) {
      const id = classOf.get(node)!;
      const set = touched.get(id);
      if (set === undefined) touched.set(id, new Set([node]));
      else set.add(node);
    }
    dirty = new Set();
    const moves: { readonly node: Schema; readonly to: number }[] = [];
    for (const [id, list] of touched) {
      const group = new Map<string, Schema[]>();
      const signature = (node: Schema): string => {
        const { words, parts } = shapes.get(node)!;
        return `${words}|${parts.map((part) => classOf.get(part)).join(",")}`;
      };
      for (const node of list) {
        const key = signature(node);
        const same = group.get(key);
        if (same === undefined) group.set(key, [node]);
        else same.push(node);
      }
      const all = members.get(id)!;
      const rest = all.size - list.size;
      const untouched = rest === 0 ? undefined : signature(firstOutside(all, list));
      const groups = [...group].map(([key, same]) => ({
        same,
        size: same.length + (key === untouched ? rest : 0),
        key,
      }));
      if (untouched !== undefined && !group.has(untouched))
        groups.push({ same: [], size: rest, key: untouched });
      groups.sort((a, b) => b.size - a.size);
      for (const { same, key } of groups.slice(1)) {
        const to = members.size;
        const moved =
          key === untouched ? [...all].filter((node) => !list.has(node) || same.includes(node)) : same;
        members.set(to, new Set(moved));
        for (const node of moved) moves.push({ node, to });
      }
    }
    for (const { node, to } of moves) {
      members.get(classOf.get(node)!)!.delete(node);
      classOf.set(node, to);
    }
    for (const { node } of moves) for (const user of users.get(node) ?? []) dirty.add(user);
  }
  return classOf;
}

/** A member of a set that is not in another; the caller knows that there is one. */
function firstOutside<T>(all: ReadonlySet<T>, other: ReadonlySet<T>): T {
  for (const item of all) if (!other.has(item)) return item;
  throw new RangeError("the sets are equal");
}
