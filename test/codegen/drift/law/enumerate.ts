/** The values about two nodes that stand at one place: all of them where they are few, else those that matter. */
import type { Json } from "../../../../codegen/index.js";
import type { Node } from "./bundle.js";
import { armsOf, followed, isObject, type Spot, takes } from "./meaning.js";

/** Values of a part that are kept of each sort: taken by both, by one, by the other, by none. */
const OF_EACH = 6;
/** Objects of which every combination of members is made. */
const ALL = 200;
const DEEPEST = 5;
/** One of each type, and what is easily mistaken for another. */
const PLAIN: readonly Json[] = [null, true, 7, 0.5, "zz", [], {}];

/** Values for two sides; either list may be empty, where that side says nothing. */
export function valuesFor(base: readonly Spot[], head: readonly Spot[], depth = 0): Json[] {
  const [b, h] = [base.map(followed), head.map(followed)];
  const made = new Map<string, Json>();
  const add = (values: readonly Json[]): void => {
    for (const value of values) made.set(JSON.stringify(value), value);
  };
  add(PLAIN);
  for (const { node } of [...b, ...h]) add(scalars(node));
  if (depth < DEEPEST) {
    add(arrays(b, h, depth));
    add(objects(b, h, depth));
    for (const [one, other] of matchedArms(b, h)) add(valuesFor(one, other, depth + 1));
  }
  return depth === 0 ? [...made.values()] : few([...made.values()], b, h);
}

/** A few of each sort, the shortest first. */
function few(values: readonly Json[], base: readonly Spot[], head: readonly Spot[]): Json[] {
  const sorts = new Map<string, Json[]>();
  for (const value of values) {
    const sort = [base, head].map((side) => side.every((spot) => takes(spot, value))).join();
    const list = sorts.get(sort) ?? [];
    sorts.set(sort, list);
    list.push(value);
  }
  return ["true,true", "true,false", "false,true", "false,false"].flatMap((sort) => {
    const list = sorts.get(sort) ?? [];
    // Short ones, and some of the long ones: the deeper a difference is, the longer what shows it.
    list.sort((a, c) => JSON.stringify(a).length - JSON.stringify(c).length);
    const most = sort === "false,false" ? 3 : OF_EACH;
    return list.length <= most ? list : [...list.slice(0, most / 2), ...list.slice(-most / 2)];
  });
}

function scalars(node: Node): Json[] {
  const values = [...((node["enum"] ?? []) as Json[])];
  if (node["const"] !== undefined) values.push(node["const"]);
  if (node["pattern"] !== undefined) values.push("a", "b", "c", "ab", "bc", "");
  for (const key of ["minLength", "maxLength"])
    for (const n of about(node[key])) values.push("x".repeat(n), "a".repeat(n));
  for (const key of ["minimum", "maximum"])
    if (node[key] !== undefined)
      for (const step of [-1, -0.5, 0, 0.5, 1]) values.push((node[key] as number) + step);
  return values;
}

function about(bound: Json | undefined): number[] {
  return typeof bound === "number" ? [bound - 1, bound, bound + 1].filter((n) => n >= 0) : [];
}

function inside(of: readonly Spot[], key: string): Spot[] {
  return of.flatMap(({ bundle, node }) =>
    node[key] === undefined ? [] : [{ bundle, node: node[key] as Node }],
  );
}

function arrays(base: readonly Spot[], head: readonly Spot[], depth: number): Json[] {
  const nodes = [...base, ...head].map(({ node }) => node);
  if (!nodes.some(({ type, items }) => items !== undefined || [type].flat().includes("array"))) return [];
  const items = valuesFor(inside(base, "items"), inside(head, "items"), depth + 1);
  const lengths = nodes.flatMap(({ minItems, maxItems }) => [...about(minItems), ...about(maxItems)]);
  return [
    ...items.map((item) => [item]),
    ...lengths.map((length) => Array.from({ length }, () => items[0] as Json)),
  ];
}

function objects(base: readonly Spot[], head: readonly Spot[], depth: number): Json[] {
  const membersOf = ({ node }: Spot): Record<string, Node> =>
    (node["properties"] ?? {}) as Record<string, Node>;
  const all = [...base, ...head];
  if (!all.some(({ node }) => [node["type"]].flat().includes("object"))) return [];
  const names = new Set(all.flatMap((spot) => Object.keys(membersOf(spot))));
  const named = (of: readonly Spot[], name: string): Spot[] =>
    of.flatMap((spot) => {
      const node = membersOf(spot)[name] ?? (spot.node["additionalProperties"] as Node | undefined);
      return node === undefined ? [] : [{ bundle: spot.bundle, node }];
    });
  const pools = [...names, "other"].map((name): [string, Json[]] => [
    name,
    valuesFor(named(base, name), named(head, name), depth + 1),
  ]);
  if (pools.reduce((product, [, pool]) => product * (pool.length + 1), 1) <= ALL) return combinations(pools);
  const made: Json[] = [];
  // What both require, what either does, and everything: each with one member changed or taken away.
  const required = (side: readonly Spot[]): string[] =>
    side.flatMap(({ node }) => (node["required"] ?? []) as string[]);
  const cores = [required(base), required(head), [...required(base), ...required(head)], [...names]];
  for (const core of new Set(cores.map((list) => JSON.stringify([...new Set(list)].sort())))) {
    const whole = Object.fromEntries(
      (JSON.parse(core) as string[]).map((name) => [
        name,
        pools.find(([other]) => other === name)?.[1][0] ?? null,
      ]),
    );
    made.push(whole);
    for (const [name, pool] of pools) {
      for (const value of pool) made.push({ ...whole, [name]: value });
      const { [name]: _, ...without } = whole;
      made.push(without);
    }
  }
  return made;
}

function combinations(pools: readonly [string, Json[]][]): Json[] {
  let made: Record<string, Json>[] = [{}];
  for (const [name, pool] of pools)
    made = made.flatMap((whole) => [whole, ...pool.map((value) => ({ ...whole, [name]: value }))]);
  return made;
}

/** The alternatives of two sides, by the words that their tags have; those without a tag are taken one by one. */
function matchedArms(base: readonly Spot[], head: readonly Spot[]): [Spot[], Spot[]][] {
  const keyed = new Map<string, [Spot[], Spot[]]>();
  [base, head].forEach((side, which) => {
    for (const arm of side.flatMap(armsOf).map(followed)) {
      const kind = (arm.node["properties"] as Record<string, Node> | undefined)?.["kind"];
      const key = JSON.stringify(isObject(kind) ? kind : (arm.node["type"] ?? Object.keys(arm.node)));
      const pair = keyed.get(key) ?? [[], []];
      keyed.set(key, pair);
      (pair[which] as Spot[]).push(arm);
    }
  });
  return [...keyed.values()];
}
