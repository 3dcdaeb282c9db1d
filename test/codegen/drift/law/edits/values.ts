/** Edits of what values a node takes: words, types, null, bounds, patterns, alternatives. */
import type { Json } from "../../../../../codegen/index.js";
import { armOf, catchAll, type Node, ROOTS, targetOf } from "../bundle.js";
import { takes } from "../meaning.js";
import type { Place } from "../places.js";
import { type Change, type Edit, ofNodes } from "./edit.js";

const isOpen = (node: Node): boolean => node["x-msp-openness"] === "open";
const isWord = (node: Node): boolean => node["enum"] !== undefined;
const isListed = (node: Node): boolean => isWord(node) || node["const"] !== undefined;

/** Whether the type of a place is no other node's affair: an arm is chosen by it, a message is an object. */
function isFree({ as, definition }: Place): boolean {
  return as !== "arm" && !(as === "definition" && ROOTS.some((name) => name === definition));
}

function set(node: Node, more: Node): void {
  Object.assign(node, more);
}

/** Makes another node of one, but for its mark. */
function become(node: Node, other: Node): void {
  const mark = node["x-msp-stability"];
  for (const key of Object.keys(node)) delete node[key];
  set(node, mark === undefined ? other : { ...other, "x-msp-stability": mark });
}

const WORDS: readonly Edit[] = [
  ofNodes("add a word", (node) =>
    isWord(node)
      ? {
          rules: ["value-added"],
          effect: { widens: !isOpen(node) },
          apply: (copy) => void (copy["enum"] = [...(copy["enum"] as Json[]), "amber"]),
        }
      : undefined,
  ),
  ofNodes("remove a word", (node) =>
    isWord(node) && (node["enum"] as Json[]).length > 1
      ? {
          rules: ["value-removed"],
          effect: isOpen(node) ? { relied: true } : { narrows: true },
          apply: (copy) => void (copy["enum"] = (copy["enum"] as Json[]).slice(1)),
        }
      : undefined,
  ),
  ofNodes("open a list", (node) =>
    isWord(node) && !isOpen(node)
      ? {
          rules: ["values-opened"],
          effect: { widens: true },
          apply: (copy) => set(copy, { "x-msp-openness": "open" }),
        }
      : undefined,
  ),
  ofNodes("close a list", (node) =>
    isWord(node) && isOpen(node)
      ? {
          rules: ["values-closed"],
          effect: { narrows: true },
          apply: (copy) => set(copy, { "x-msp-openness": "closed" }),
        }
      : undefined,
  ),
];

const TYPES: readonly Edit[] = [
  ofNodes("change a type", (node, place) => {
    if (!isFree(place) || isListed(node) || (node["type"] !== "string" && node["type"] !== "boolean"))
      return undefined;
    return {
      rules: ["type-added", "type-removed"],
      effect: { narrows: true, widens: true },
      apply: (copy) => become(copy, { type: "integer", minimum: 0, maximum: 5 }),
    };
  }),
  ofNodes("take fractions", (node) =>
    node["type"] === "integer"
      ? { rules: ["type-added"], effect: { widens: true }, apply: (copy) => set(copy, { type: "number" }) }
      : undefined,
  ),
  ofNodes("take whole numbers alone", (node) =>
    node["type"] === "number"
      ? {
          rules: ["type-removed"],
          effect: { narrows: true },
          apply: (copy) => set(copy, { type: "integer" }),
        }
      : undefined,
  ),
  ofNodes("take null", (node, place) =>
    isFree(place) && typeof node["type"] === "string" && !isListed(node)
      ? {
          rules: ["null-added"],
          effect: { widens: true },
          apply: (copy) => void (copy["type"] = [copy["type"] as Json, "null"]),
        }
      : undefined,
  ),
  ofNodes("take null beside what is referred to", (node, place, bundle) => {
    if (!isFree(place) || targetOf(node) === undefined || takes({ bundle, node }, null)) return undefined;
    return {
      rules: ["null-added"],
      effect: { widens: true },
      apply: (copy) => become(copy, { anyOf: [{ $ref: copy["$ref"] as Json }, { type: "null" }] }),
    };
  }),
  ofNodes("take null no more", (node) => {
    const arms = node["anyOf"] as Node[] | undefined;
    if (!Array.isArray(node["type"]) && !arms?.some(({ type }) => type === "null")) return undefined;
    return {
      rules: ["null-removed"],
      effect: { narrows: true },
      apply: (copy) => {
        if (arms === undefined) copy["type"] = (copy["type"] as Json[])[0] as Json;
        else become(copy, (copy["anyOf"] as Node[]).find(({ type }) => type !== "null") as Node);
      },
    };
  }),
];

/** A bound that is there, by one. */
function bound(name: string, key: string, step: number, tighter: boolean): Edit {
  const change: Change = (node) =>
    typeof node[key] === "number" && !isListed(node)
      ? {
          rules: [tighter ? "bound-tightened" : "bound-loosened"],
          effect: tighter ? { narrows: true } : { widens: true },
          apply: (copy) => void (copy[key] = (copy[key] as number) + step),
        }
      : undefined;
  return ofNodes(name, change);
}

/** A bound that comes or goes, on nodes of one type. */
function limit(name: string, type: string, key: string, value: number): readonly Edit[] {
  return [
    ofNodes(`add ${name}`, (node) =>
      node["type"] === type && node[key] === undefined && !isListed(node) && node["pattern"] === undefined
        ? { rules: ["bound-tightened"], effect: { narrows: true }, apply: (copy) => void (copy[key] = value) }
        : undefined,
    ),
    ofNodes(`remove ${name}`, (node) =>
      node[key] === undefined
        ? undefined
        : { rules: ["bound-loosened"], effect: { widens: true }, apply: (copy) => void delete copy[key] },
    ),
  ];
}

const BOUNDS: readonly Edit[] = [
  bound("raise a minimum", "minimum", 1, true),
  bound("lower a minimum", "minimum", -1, false),
  bound("lower a maximum", "maximum", -1, true),
  bound("raise a maximum", "maximum", 1, false),
  bound("raise a least length", "minLength", 1, true),
  bound("lower a most length", "maxLength", -1, true),
  bound("raise a most length", "maxLength", 1, false),
  bound("lower a most number of items", "maxItems", -1, true),
  bound("raise a most number of items", "maxItems", 1, false),
  ...limit("a most length", "string", "maxLength", 4),
  ...limit("a least number of items", "array", "minItems", 1),
  ofNodes("add a pattern", (node) =>
    node["type"] === "string" && !isListed(node) && node["pattern"] === undefined
      ? {
          rules: ["pattern-added"],
          effect: { narrows: true },
          apply: (copy) => set(copy, { pattern: "^[xyz]*$" }),
        }
      : undefined,
  ),
  ofNodes("remove a pattern", (node) =>
    node["pattern"] === undefined
      ? undefined
      : {
          rules: ["pattern-removed"],
          effect: { widens: true },
          apply: (copy) => void delete copy["pattern"],
        },
  ),
  ofNodes("change a pattern", (node) =>
    node["pattern"] === undefined
      ? undefined
      : {
          rules: ["pattern-changed"],
          effect: { narrows: true, widens: true },
          apply: (copy) => set(copy, { pattern: "^[bc]+$" }),
        },
  ),
];

/** The arms of a union of tagged objects, by its keyword. */
function taggedArms(node: Node): { readonly keyword: "anyOf" | "oneOf"; readonly arms: Node[] } | undefined {
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const arms = node[keyword] as Node[] | undefined;
    const first = arms?.[0]?.["properties"] as Record<string, Node> | undefined;
    if (arms !== undefined && first?.["kind"] !== undefined) return { keyword, arms };
  }
  return undefined;
}

function ofUnion(
  name: string,
  change: (
    node: Node,
    arms: readonly Node[],
  ) => (Omit<NonNullable<ReturnType<Change>>, "apply"> & { readonly arms: readonly Node[] }) | undefined,
  openness?: "open",
): Edit {
  return ofNodes(name, (node) => {
    const union = taggedArms(node);
    const made = union === undefined ? undefined : change(node, union.arms);
    if (union === undefined || made === undefined) return undefined;
    const { arms, ...rest } = made;
    return {
      ...rest,
      apply: (copy) => {
        delete copy[union.keyword];
        const stays = openness ?? (isOpen(node) && name !== "close a union" ? "open" : undefined);
        delete copy["x-msp-openness"];
        set(copy, { [stays === "open" ? "anyOf" : union.keyword]: structuredClone(arms) as Json });
        if (stays === "open") set(copy, { "x-msp-openness": "open" });
      },
    };
  });
}

const ARMS: readonly Edit[] = [
  ofUnion("add an arm", (node, arms) => ({
    rules: ["arm-added"],
    effect: { widens: !isOpen(node) },
    arms: [armOf("four", { properties: { d: { type: "boolean" } }, required: ["d"] }), ...arms],
  })),
  ofUnion("remove an arm", (node, arms) => ({
    rules: ["arm-removed"],
    effect: isOpen(node) ? { relied: true } : { narrows: true },
    arms: arms.slice(1),
  })),
  ofUnion("close a union", (node, arms) =>
    isOpen(node)
      ? { rules: ["union-closed"], effect: { narrows: true }, arms: arms.slice(0, -1) }
      : undefined,
  ),
  ofUnion(
    "open a union",
    (node, arms) =>
      isOpen(node)
        ? undefined
        : { rules: ["union-opened"], effect: { widens: true }, arms: [...arms, catchAll()] },
    "open",
  ),
];

/** The edits. */
export const VALUE_EDITS: readonly Edit[] = [...WORDS, ...TYPES, ...BOUNDS, ...ARMS];
