/**
 * Values that stand at the edges of what two nodes say: listed ones, lengths beside a bound, a member taken away.
 * Drawing would find them late. They need not be valid: who uses them holds them against the validators.
 */
import type { Json, JsonObject } from "../../bundle/json.js";
import { isJsonObject } from "../../bundle/json.js";
import { ExampleMaker } from "../../emit/reference/example.js";
import type { Definition, Protocol, Schema } from "../../model/protocol.js";
import { withPart } from "./paths.js";

/** Elements and characters beyond which no value is made. */
const LONGEST = 5_000;
/** How many arms are put together with others. */
const MOST_ARMS = 8;
/** One of each kind, and what is easily mistaken for another. */
const PLAIN: readonly Json[] = [null, true, 0, 0.5, -1, "", "x", [], {}];

/** Makes such values of the nodes of a set of definitions. */
export class Pointed {
  readonly #definitions: ReadonlyMap<string, Definition>;
  readonly #examples: ExampleMaker;
  readonly #few = new Map<Schema, readonly Json[]>();

  constructor(protocol: Protocol, definitions: ReadonlyMap<string, Definition>) {
    this.#definitions = definitions;
    this.#examples = new ExampleMaker({ ...protocol, definitions });
  }

  /** A small value of a node, with so many optional members; undefined where none is found. */
  example(node: Schema, optional = 0): Json | undefined {
    return this.#examples.value(node, "x", optional);
  }

  /** A few values of a node that has parts; undefined for one without, and where none is found. */
  few(node: Schema): readonly Json[] | undefined {
    let few = this.#few.get(node);
    if (few === undefined) {
      const made = this.#hasParts(node) ? [0, 2, 5].map((optional) => this.example(node, optional)) : [];
      few = [...new Map(made.filter(isThere).map((value) => [JSON.stringify(value), value])).values()];
      this.#few.set(node, few);
    }
    return few.length === 0 ? undefined : few;
  }

  #hasParts(node: Schema): boolean {
    return this.#spread(node).some(
      ({ members, items, additional, union }) =>
        members !== undefined || items !== undefined || additional !== undefined || union !== undefined,
    );
  }

  /** The values for a sender's and a reader's node, the simplest first. */
  values(sender: Schema, reader: Schema): Json[] {
    const nodes = [...this.#spread(sender), ...this.#spread(reader)];
    const values: Json[] = [...PLAIN];
    for (const node of nodes) {
      if (node.constant !== undefined) values.push(node.constant.value);
      for (const { value } of node.enum?.values ?? []) values.push(value);
      for (const bound of [node.minimum, node.maximum]) {
        if (bound !== undefined) values.push(bound, bound - 1, bound + 1, bound - 0.5, bound + 0.5);
      }
      for (const length of lengthsAt(node.minLength, node.maxLength))
        values.push(..."xA0-".split("").map((letter) => letter.repeat(length)));
    }
    const arrays = nodes.flatMap(({ minItems, maxItems }) => lengthsAt(minItems, maxItems));
    if (arrays.length > 0) {
      const items = nodes.find((node) => node.items !== undefined)?.items;
      const item = items === undefined ? null : (this.example(items) ?? null);
      for (const length of arrays) values.push(Array.from({ length }, () => item));
    }
    if (
      nodes.some(({ members, dependentRequired }) => members !== undefined || dependentRequired !== undefined)
    )
      values.push(...this.#objects(sender, reader, nodes));
    values.push(...this.#together(sender), ...this.#together(reader));
    return values;
  }

  /** A node and those that it refers to. */
  #spread(node: Schema): Schema[] {
    const nodes = [node];
    for (const { ref } of nodes)
      if (ref !== undefined) {
        const { schema } = this.#definitions.get(ref) as Definition;
        if (!nodes.includes(schema)) nodes.push(schema);
      }
    return nodes;
  }

  /** Objects with the least and the most members, and each of them without one. */
  #objects(sender: Schema, reader: Schema, nodes: readonly Schema[]): Json[] {
    const wholes: JsonObject[] = [];
    for (const node of [sender, reader])
      for (const optional of [0, 1_000]) {
        const value = this.example(node, optional);
        if (isJsonObject(value)) wholes.push(value);
      }
    const values: Json[] = [...wholes];
    for (const whole of wholes)
      for (const name of Object.keys(whole)) values.push(withPart(whole, [name], undefined));
    const names = new Set(nodes.flatMap(({ members = [] }) => members.map(({ name }) => name)));
    for (const { dependentRequired = [] } of nodes) for (const { name } of dependentRequired) names.add(name);
    const least = wholes[0] ?? {};
    for (const name of names) {
      const schema = nodes
        .flatMap(({ members = [] }) => members)
        .find((member) => member.name === name)?.schema;
      const part = schema === undefined ? "x" : this.example(schema);
      if (part !== undefined) values.push(withPart(least, [name], part));
    }
    return values;
  }

  /** What arms of a union say together: a value that two of them may take. */
  #together({ union }: Schema): Json[] {
    const arms = (union?.arms ?? []).map((arm) => this.example(arm)).filter(isThere);
    const objects = arms.filter(isJsonObject).slice(0, MOST_ARMS);
    return [...arms, ...objects.flatMap((one) => objects.map((other) => ({ ...one, ...other })))];
  }
}

function isThere(value: Json | undefined): value is Json {
  return value !== undefined;
}

function lengthsAt(low: number | undefined, high: number | undefined): number[] {
  const bounds = [low, high].flatMap((bound) => (bound === undefined ? [] : [bound - 1, bound, bound + 1]));
  return bounds.filter((length) => length >= 0 && length <= LONGEST);
}

/** A text made longer or shorter at each of its places: it may still match the pattern that it was drawn for. */
export function stretched(text: string, lengths: Iterable<number>): string[] {
  const characters = [...text].slice(0, 40);
  const made: string[] = [];
  for (const length of lengths) {
    const more = length - characters.length;
    for (let i = 0; i < characters.length; i++) {
      if (more > 0)
        made.push(
          [...characters.slice(0, i), (characters[i] as string).repeat(more), ...characters.slice(i)].join(
            "",
          ),
        );
      else if (more < 0 && i - more <= characters.length)
        made.push([...characters.slice(0, i), ...characters.slice(i - more)].join(""));
    }
  }
  return made;
}

/** The lengths beside the bounds of texts in two nodes. */
export function textLengths(sender: Schema, reader: Schema): number[] {
  return [
    ...new Set([sender, reader].flatMap(({ minLength, maxLength }) => lengthsAt(minLength, maxLength))),
  ];
}
