/**
 * What the params of methods can have in them, as points that a frame reaches: members, bounds, closed values. A point
 * belongs to the definition that it stands in, so that a definition that contains itself has no more of them.
 */
import type { Model, ModelNode } from "./model.js";

/** What kind of thing a point is. */
export type PointFamily = "members" | "bounds" | "values";

/** Something of the schema that a frame can have. */
export interface Point {
  readonly family: PointFamily;
  /** `TurnStartParams.tokenBudget minimum, beyond`. */
  readonly name: string;
  reached: boolean;
}

interface Bound {
  readonly at: Point;
  readonly beyond: Point;
  /** What is measured; undefined where it does not apply. Below 0 is beyond, 0 is at the bound. */
  readonly room: (value: unknown) => number | undefined;
}

interface Walk {
  readonly members: Map<string, { readonly point: Point; readonly walk: Walk }>;
  readonly bounds: Bound[];
  readonly arms: { readonly walk: Walk; readonly tags: readonly (readonly [string, unknown])[] }[];
  words?: { readonly known: Map<unknown, Point>; readonly other: Point };
  pattern?: { readonly held: Point; readonly broken: Point; readonly matches: RegExp };
  items?: Walk;
  additional?: Walk;
  ref?: Walk;
}

/** All points of some methods. */
export class Points {
  readonly #model: Model;
  readonly #walks = new Map<string, Walk>();
  readonly #reach = new Map<string, Set<Point>>();

  constructor(model: Model) {
    this.#model = model;
  }

  /** The points that the params of a method can reach. Empty where it has none. */
  of(method: string): ReadonlySet<Point> {
    let found = this.#reach.get(method);
    if (found === undefined) {
      found = new Set();
      const walk = this.#walkOf(method);
      if (walk !== undefined) collect(walk, found, new Set());
      this.#reach.set(method, found);
    }
    return found;
  }

  /** Marks what params reach. */
  note(method: string, params: unknown): void {
    const walk = this.#walkOf(method);
    if (walk !== undefined) visit(walk, params, 0);
  }

  #walkOf(method: string): Walk | undefined {
    const { methods } = this.#model;
    const params = Object.hasOwn(methods, method) ? methods[method]?.params : undefined;
    return params === undefined ? undefined : this.#definition(params);
  }

  #definition(name: string): Walk {
    const known = this.#walks.get(name);
    if (known !== undefined) return known;
    const walk: Walk = { members: new Map(), bounds: [], arms: [] };
    this.#walks.set(name, walk);
    this.#fill(walk, this.#model.definitions[name] ?? {}, name);
    return walk;
  }

  #node(schema: ModelNode, path: string): Walk {
    const walk: Walk = { members: new Map(), bounds: [], arms: [] };
    this.#fill(walk, schema, path);
    return walk;
  }

  #fill(walk: Walk, schema: ModelNode, path: string): void {
    const { ref, members = [], items, additional, union, pattern } = schema;
    if (ref !== undefined) walk.ref = this.#definition(ref);
    for (const { name, schema: inner } of members)
      walk.members.set(name, {
        point: pointOf("members", `${path}.${name}`),
        walk: this.#node(inner, `${path}.${name}`),
      });
    if (items !== undefined) walk.items = this.#node(items, `${path}[]`);
    if (additional !== undefined) walk.additional = this.#node(additional, `${path}{}`);
    for (const [i, arm] of (union?.arms ?? []).entries()) {
      const tags = (arm.members ?? []).flatMap(({ name, schema: { const: word } }) =>
        word === undefined ? [] : [[name, word] as const],
      );
      walk.arms.push({ walk: this.#node(arm, `${path}|${i}`), tags });
    }
    for (const keyword of Object.keys(ROOMS) as (keyof typeof ROOMS)[]) {
      const bound = schema[keyword];
      if (bound === undefined) continue;
      const measure = ROOMS[keyword];
      walk.bounds.push({
        at: pointOf("bounds", `${path} ${keyword}, at`),
        beyond: pointOf("bounds", `${path} ${keyword}, beyond`),
        room: (value) => measure(value, bound),
      });
    }
    if (pattern !== undefined)
      walk.pattern = {
        held: pointOf("bounds", `${path} pattern, held`),
        broken: pointOf("bounds", `${path} pattern, broken`),
        matches: new RegExp(pattern, "u"),
      };
    const words = closedWords(schema);
    if (words !== undefined)
      walk.words = {
        known: new Map(words.map((word) => [word, pointOf("values", `${path} ${JSON.stringify(word)}`)])),
        other: pointOf("values", `${path}, none of them`),
      };
  }
}

/** The only values that a node allows; undefined where others may be there too. */
function closedWords(schema: ModelNode): readonly unknown[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  return schema.enum?.open === false ? schema.enum.values.map(({ value }) => value) : undefined;
}

type Room = (value: unknown, bound: number) => number | undefined;
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
const length = (value: unknown): number | undefined =>
  typeof value === "string" ? [...value].length : undefined;
const size = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined);
const least =
  (measure: (value: unknown) => number | undefined): Room =>
  (value, bound) => {
    const found = measure(value);
    return found === undefined ? undefined : found - bound;
  };
const most =
  (measure: (value: unknown) => number | undefined): Room =>
  (value, bound) => {
    const found = measure(value);
    return found === undefined ? undefined : bound - found;
  };

const ROOMS = {
  minimum: least(number),
  maximum: most(number),
  minLength: least(length),
  maxLength: most(length),
  minItems: least(size),
  maxItems: most(size),
} as const;

function pointOf(family: PointFamily, name: string): Point {
  return { family, name, reached: false };
}

function collect(walk: Walk, into: Set<Point>, seen: Set<Walk>): void {
  if (seen.has(walk)) return;
  seen.add(walk);
  const { members, bounds, arms, words, pattern, items, additional, ref } = walk;
  for (const { point, walk: inner } of members.values()) {
    into.add(point);
    collect(inner, into, seen);
  }
  for (const { at, beyond } of bounds) into.add(at).add(beyond);
  if (words !== undefined) for (const point of [...words.known.values(), words.other]) into.add(point);
  if (pattern !== undefined) into.add(pattern.held).add(pattern.broken);
  for (const inner of [items, additional, ref, ...arms.map((arm) => arm.walk)])
    if (inner !== undefined) collect(inner, into, seen);
}

/** Deeper than this nothing is told apart any more. */
const MAX_DEPTH = 32;

function visit(walk: Walk, value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) return;
  const { members, bounds, arms, words, pattern, items, additional, ref } = walk;
  if (ref !== undefined) visit(ref, value, depth + 1);
  if (words !== undefined) (words.known.get(value) ?? words.other).reached = true;
  for (const { at, beyond, room } of bounds) {
    const left = room(value);
    if (left === 0) at.reached = true;
    else if (left !== undefined && left < 0) beyond.reached = true;
  }
  if (pattern !== undefined && typeof value === "string")
    (pattern.matches.test(value) ? pattern.held : pattern.broken).reached = true;
  if (arms.length > 0) for (const { walk: arm } of armsOf(arms, value)) visit(arm, value, depth + 1);
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (items !== undefined) for (const item of value) visit(items, item, depth + 1);
    return;
  }
  if (members.size === 0 && additional === undefined) return;
  for (const [name, inner] of Object.entries(value)) {
    const member = members.get(name);
    if (member !== undefined) {
      member.point.reached = true;
      visit(member.walk, inner, depth + 1);
    } else if (additional !== undefined) visit(additional, inner, depth + 1);
  }
}

/** The arms that a value is of by its tags; all of them where it is of none, since it is wrong in each. */
function armsOf(arms: Walk["arms"], value: unknown): Walk["arms"] {
  const of = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const own = arms.filter(({ tags }) => tags.every(([name, word]) => of[name] === word));
  return own.length > 0 ? own : arms;
}
