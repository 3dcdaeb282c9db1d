/**
 * How a value selects the arm of a union: by its JSON type, and among objects by a tag. Worked out once, for types,
 * validators, test data and lint alike. A union in which two arms may take one value has no dispatch.
 */
import type { Json } from "../bundle/json.js";
import { jsonEqual } from "../bundle/json.js";
import type { Definition, Schema, Union } from "./protocol.js";

/** The kinds of value that JavaScript and every JSON parser tell apart. */
export const CATEGORIES = ["array", "boolean", "null", "number", "object", "string"] as const;
/** One of them. */
export type Category = (typeof CATEGORIES)[number];

/** What happens to values of some categories. */
export type Branch =
  /** One arm takes them all. */
  | { readonly kind: "arm"; readonly categories: readonly Category[]; readonly arm: number }
  /** Objects: the value of a required member says which. */
  | {
      readonly kind: "tag";
      readonly categories: readonly ["object"];
      readonly tag: string;
      readonly cases: readonly { readonly value: string; readonly arm: number }[];
      /** The catch-all of an open union: takes every string that no case has. */
      readonly otherwise: number | undefined;
    }
  /** Scalars: each arm lists its values. */
  | { readonly kind: "values"; readonly categories: readonly [Category]; readonly arms: readonly number[] };

/** The dispatch of a union, or why it has none. */
export type Dispatch =
  | { readonly ok: true; readonly branches: readonly Branch[] }
  | { readonly ok: false; readonly reason: "overlap" | "no-catch-all"; readonly problem: string };

type Definitions = ReadonlyMap<string, Definition>;

const known = new WeakMap<Definitions, WeakMap<Union, Dispatch>>();

/** The dispatch of a union among some definitions; worked out once for each. */
export function dispatchOf(union: Union, definitions: Definitions): Dispatch {
  let ofUnion = known.get(definitions);
  if (ofUnion === undefined) known.set(definitions, (ofUnion = new WeakMap()));
  let dispatch = ofUnion.get(union);
  if (dispatch === undefined) ofUnion.set(union, (dispatch = workOut(union, definitions)));
  return dispatch;
}

function workOut(union: Union, definitions: Definitions): Dispatch {
  const takes = union.arms.map((arm) => categoriesOf(arm, definitions));
  const branches: Branch[] = [];
  const single = new Map<number, Category[]>();
  let hasCatchAll = false;
  for (const category of CATEGORIES) {
    const arms = takes.flatMap((set, i) => (set.has(category) ? [i] : []));
    if (arms.length === 0) continue;
    if (arms.length === 1 && !(union.open && category === "object")) {
      single.set(arms[0]!, [...(single.get(arms[0]!) ?? []), category]);
      continue;
    }
    if (category === "object") {
      const branch = tagBranch(union, arms, definitions);
      if ("problem" in branch) return { ok: false, ...branch };
      branches.push(branch);
      hasCatchAll = branch.otherwise !== undefined;
    } else {
      const problem = sharedValue(union, arms, definitions);
      if (problem !== undefined) {
        return {
          ok: false,
          reason: "overlap",
          problem: `arms ${arms.join(" and ")} both take a ${category}${problem}`,
        };
      }
      branches.push({ kind: "values", categories: [category], arms });
    }
  }
  if (union.open && !hasCatchAll)
    return { ok: false, reason: "no-catch-all", problem: "it has no tagged objects" };
  for (const [arm, categories] of single) branches.push({ kind: "arm", categories, arm });
  return { ok: true, branches };
}

type TagBranch = Extract<Branch, { kind: "tag" }>;

function tagBranch(
  union: Union,
  arms: readonly number[],
  definitions: Definitions,
): TagBranch | { readonly reason: "overlap" | "no-catch-all"; readonly problem: string } {
  const catchAll = union.open ? arms.at(-1) : undefined;
  const tagged = arms.filter((arm) => arm !== catchAll);
  const tags = requiredMembers(union.arms[arms[0]!]!, definitions);
  for (const tag of tags) {
    const values = tagged.map((arm) => tagValues(union.arms[arm]!, tag, definitions));
    if (values.some((list) => list === undefined)) continue;
    const cases = values.flatMap((list, i) => list!.map((value) => ({ value, arm: tagged[i]! })));
    const twice = cases.find(({ value }, i) => cases.findIndex((other) => other.value === value) !== i);
    if (twice !== undefined) {
      return { reason: "overlap", problem: `two arms have ${tag} "${twice.value}"` };
    }
    if (catchAll !== undefined && !isFreeTag(union.arms[catchAll]!, tag, definitions)) continue;
    return { kind: "tag", categories: ["object"], tag, cases, otherwise: catchAll };
  }
  return union.open
    ? { reason: "no-catch-all", problem: "its last arm has no required tag that is a plain string" }
    : {
        reason: "overlap",
        problem: `arms ${arms.join(" and ")} are objects without a common required tag of different constants`,
      };
}

/** The names that a node requires, itself or by reference. */
function requiredMembers(schema: Schema, definitions: Definitions): string[] {
  const own = (schema.members ?? []).filter((member) => member.required).map((member) => member.name);
  if (schema.ref !== undefined)
    own.push(...requiredMembers(definitions.get(schema.ref)!.schema, definitions));
  for (const arm of schema.union?.arms.slice(0, 1) ?? []) own.push(...requiredMembers(arm, definitions));
  return own;
}

/** The strings that a required member is limited to, or nothing when it is free. */
function tagValues(schema: Schema, tag: string, definitions: Definitions): string[] | undefined {
  const member = schema.members?.find(({ name }) => name === tag);
  if (member?.required) {
    const values = valuesOf(member.schema, definitions);
    if (values?.every((value) => typeof value === "string")) return values as string[];
  }
  if (schema.ref !== undefined) {
    const values = tagValues(definitions.get(schema.ref)!.schema, tag, definitions);
    if (values !== undefined) return values;
  }
  if (schema.union !== undefined && !schema.union.open) {
    const lists = schema.union.arms.map((arm) => tagValues(arm, tag, definitions));
    if (lists.every((list) => list !== undefined)) return lists.flat() as string[];
  }
  return undefined;
}

function isFreeTag(schema: Schema, tag: string, definitions: Definitions): boolean {
  const target = schema.ref === undefined ? schema : definitions.get(schema.ref)!.schema;
  const member = target.members?.find(({ name }) => name === tag);
  if (!member?.required) return false;
  const categories = categoriesOf(member.schema, definitions);
  return (
    categories.size === 1 && categories.has("string") && valuesOf(member.schema, definitions) === undefined
  );
}

/** The values that a node is limited to, or nothing when it is not limited to a list. */
export function valuesOf(schema: Schema, definitions: Definitions): readonly Json[] | undefined {
  if (schema.constant !== undefined) return [schema.constant.value];
  if (schema.enum !== undefined && !schema.enum.open) return schema.enum.values.map(({ value }) => value);
  return schema.ref === undefined ? undefined : valuesOf(definitions.get(schema.ref)!.schema, definitions);
}

function sharedValue(union: Union, arms: readonly number[], definitions: Definitions): string | undefined {
  const lists = arms.map((arm) => valuesOf(union.arms[arm]!, definitions));
  if (lists.some((list) => list === undefined)) return "";
  const all = lists.flat() as Json[];
  const twice = all.find((value, i) => all.findIndex((other) => jsonEqual(other, value)) !== i);
  return twice === undefined ? undefined : `: ${JSON.stringify(twice)}`;
}

const knownCategories = new WeakMap<Definitions, WeakMap<Schema, Set<Category>>>();

/** The categories of value that a node may accept; worked out once for each, since many ways may lead to one node. */
export function categoriesOf(schema: Schema, definitions: Definitions): ReadonlySet<Category> {
  let ofSchema = knownCategories.get(definitions);
  if (ofSchema === undefined) knownCategories.set(definitions, (ofSchema = new WeakMap()));
  let found = ofSchema.get(schema);
  if (found === undefined) ofSchema.set(schema, (found = workOutCategories(schema, definitions)));
  return found;
}

function workOutCategories(schema: Schema, definitions: Definitions): Set<Category> {
  let set = new Set<Category>(CATEGORIES);
  const narrow = (other: Iterable<Category>): void => {
    const allowed = new Set(other);
    set = new Set([...set].filter((category) => allowed.has(category)));
  };
  if (schema.types !== undefined) narrow(schema.types.map((type) => (type === "integer" ? "number" : type)));
  if (schema.constant !== undefined) narrow([categoryOf(schema.constant.value)]);
  if (schema.enum !== undefined)
    narrow(schema.enum.open ? ["string"] : schema.enum.values.map(({ value }) => categoryOf(value)));
  if (schema.ref !== undefined) narrow(categoriesOf(definitions.get(schema.ref)!.schema, definitions));
  if (schema.union !== undefined)
    narrow(schema.union.arms.flatMap((arm) => [...categoriesOf(arm, definitions)]));
  return set;
}

function categoryOf(value: Json): Category {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as Category);
}
