/** Ways to change a made value so that it may no longer be valid. Each says whether it found something to change. */
import type { Json, Schema } from "../../codegen/index.js";
import type { Random } from "../../src/laws/random.js";
import { got, type Made, ODD_NAMES, ODD_STRINGS, put, type Site } from "./values.js";

type Mutate = (site: Site, value: Json, random: Random) => boolean;

/** The number that a JSON text too large for a double gives. */
const INFINITE = JSON.parse("1e400") as number;

const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function replace({ holder, key }: Site, value: Json): true {
  put(holder, key, value);
  return true;
}

function bounds(nodes: readonly Schema[], keys: readonly (keyof Schema)[]): number[] {
  return nodes.flatMap((node) => keys.flatMap((key) => (node[key] as number | undefined) ?? []));
}

/** The member by which the objects of a site's union are told apart: required, and one of a few words. */
function tagOf({ unions, nodes }: Site, value: Record<string, Json>): string | undefined {
  if (unions.length === 0) return undefined;
  return nodes
    .flatMap((node) => node.members ?? [])
    .find(
      ({ name, required, schema }) => required && schema.constant !== undefined && Object.hasOwn(value, name),
    )?.name;
}

/** The mutations by name. */
export const MUTATIONS = {
  "wrong type": (site, value, random) => {
    const others: Json[] = [true, 0, "word", [], {}, null, [{}], { kind: "word" }];
    return replace(site, random.pick(others.filter((other) => typeof other !== typeof value)));
  },
  null: (site, value) => value !== null && replace(site, null),
  "removed member": (site, value, random) => {
    if (!isObject(value)) return false;
    const required = site.nodes.flatMap((node) => node.members ?? []).filter((member) => member.required);
    const names = required.map(({ name }) => name).filter((name) => Object.hasOwn(value, name));
    if (names.length === 0) return false;
    delete value[random.pick(names)];
    return true;
  },
  "member behind __proto__": (_site, value, random) => {
    if (!isObject(value)) return false;
    const names = Object.keys(value).filter((name) => name !== "__proto__");
    if (names.length === 0) return false;
    const name = random.pick(names);
    put(value, "__proto__", { [name]: got(value, name) as Json });
    delete value[name];
    return true;
  },
  "out of range": (site, value, random) => {
    if (typeof value !== "number") return false;
    const low = bounds(site.nodes, ["minimum"]).map((n) => n - random.pick([1, 0.5]));
    const high = bounds(site.nodes, ["maximum"]).map((n) => n + random.pick([1, 2]));
    return low.length + high.length > 0 && replace(site, random.pick([...low, ...high]));
  },
  "at a bound": (site, value, random) => {
    if (typeof value !== "number") return false;
    const limits = bounds(site.nodes, ["minimum", "maximum"]);
    return limits.length > 0 && replace(site, random.pick(limits));
  },
  "length about a bound": (site, value, random) => {
    if (typeof value !== "string") return false;
    const limits = bounds(site.nodes, ["minLength", "maxLength"]).filter((n) => n < 1000);
    if (limits.length === 0) return false;
    const length = Math.max(0, random.pick(limits) + random.int(-1, 1));
    return replace(site, random.pick(["k", "\u{1F600}", "\ud83d"]).repeat(length));
  },
  "items about a bound": (site, value, random) => {
    if (!Array.isArray(value)) return false;
    const limits = bounds(site.nodes, ["minItems", "maxItems"]).filter((n) => n < 200);
    if (limits.length === 0) return false;
    const length = Math.max(0, random.pick(limits) + random.int(-1, 1));
    const item = value[0] ?? null;
    return replace(
      site,
      Array.from({ length }, () => structuredClone(item)),
    );
  },
  "wrong word": (site, value, random) => {
    const limited = site.nodes.some((node) => node.enum !== undefined || node.constant !== undefined);
    if (!limited) return false;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const words: Json[] = [
      text.toUpperCase(),
      `${text} `,
      text.slice(1),
      "toString",
      "__proto__",
      7,
      [value],
      null,
    ];
    return replace(site, random.pick(words));
  },
  "unknown tag": (site, value, random) => {
    if (!isObject(value)) return false;
    const tag = tagOf(site, value);
    if (tag === undefined) return false;
    put(value, tag, random.pick(["word of the future", "", "constructor", 1, null]));
    return true;
  },
  "tag of another arm": (site, value, random) => {
    if (!isObject(value)) return false;
    const tag = tagOf(site, value);
    if (tag === undefined) return false;
    const tags = site.unions.flatMap(({ arms }) =>
      arms.flatMap((arm) => arm.members?.find(({ name }) => name === tag)?.schema.constant?.value ?? []),
    );
    if (tags.length === 0) return false;
    put(value, tag, random.pick(tags));
    return true;
  },
  "unknown member": (_site, value, random) => {
    if (!isObject(value)) return false;
    put(value, `x-${random.int(0, 99)}`, random.pick<Json>([null, 1, "word", {}, []]));
    return true;
  },
  "odd member": (_site, value, random) => {
    if (!isObject(value)) return false;
    put(value, random.pick(ODD_NAMES), random.pick<Json>([null, 1, "word", {}, []]));
    return true;
  },
  "half a pair": (site, value, random) => {
    if (!isObject(value)) return false;
    const needs = site.nodes.flatMap((node) => node.dependentRequired ?? []).flatMap((rule) => rule.needs);
    const there = needs.filter((name) => Object.hasOwn(value, name));
    if (there.length === 0) return false;
    delete value[random.pick(there)];
    return true;
  },
  fraction: (site, value, random) =>
    typeof value === "number" &&
    replace(site, JSON.parse(random.pick(["1.0", "1.5", "1e0", "0.1", "9007199254740993"])) as number),
  "beyond a double": (site, value, random) =>
    typeof value === "number" && replace(site, random.chance(0.5) ? INFINITE : -INFINITE),
  "negative zero": (site, value) => typeof value === "number" && replace(site, -0),
  "number as text": (site, value) => typeof value === "number" && replace(site, String(value)),
  "odd text": (site, value, random) => typeof value === "string" && replace(site, random.pick(ODD_STRINGS)),
  "extra item": (_site, value, random) => {
    if (!Array.isArray(value)) return false;
    value.push(random.pick<Json>([null, 1, "word", {}, []]));
    return true;
  },
} satisfies Record<string, Mutate>;

/** The name of a mutation. */
export type Mutation = keyof typeof MUTATIONS;

const NAMES = Object.keys(MUTATIONS) as Mutation[];

/** Changes a made value in one place; tells how, or nothing when no place took one of a few mutations. */
export function mutate({ sites }: Made, random: Random): Mutation | undefined {
  for (let tries = 0; tries < 8; tries++) {
    const name = random.pick(NAMES);
    const start = random.int(0, sites.length - 1);
    for (let i = 0; i < sites.length; i++) {
      const site = sites[(start + i) % sites.length] as Site;
      const value = got(site.holder, site.key);
      if (value !== undefined && (MUTATIONS[name] as Mutate)(site, value, random)) return name;
    }
  }
  return undefined;
}
