/** Edits that only say the same in another way, and those that say something of no value. */
import type { Json } from "../../../../../codegen/index.js";
import { reversed } from "../../../../support/reversed.js";
import { type Bundle, type Node, refTo, targetOf } from "../bundle.js";
import { at, placesOf, reach } from "../places.js";
import { type Edit, type Known, ofNodes, type Site } from "./edit.js";

const UNSEEN: Known["verdicts"] = { "old-client-new-host": "none", "new-client-old-host": "none" };

function unseen(
  name: string,
  rules: Known["rules"],
  sites: (bundle: Bundle) => readonly Pick<Site, "about" | "apply">[],
): Edit {
  const known: Known = { verdicts: UNSEEN, rules, unseen: true };
  return { name, sites: (bundle) => sites(bundle).map((site) => ({ ...site, experimental: false, known })) };
}

const everywhere = (apply: (bundle: Bundle) => void) => (): readonly Pick<Site, "about" | "apply">[] => [
  { about: ["everything"], apply },
];

function isRecursive(bundle: Bundle, name: string): boolean {
  const node = JSON.stringify(bundle.$defs[name]);
  return Object.keys(bundle.$defs).some(
    (other) => node.includes(`"#/$defs/${other}"`) && reach(bundle, other).has(name),
  );
}

/** What a node says of itself and not of its values. */
function marksOf(node: Node): Node {
  return Object.fromEntries(Object.entries(node).filter(([key]) => key === "x-msp-stability"));
}

function put(bundle: Bundle, path: readonly (string | number)[], node: Node): void {
  (at(bundle, path.slice(0, -1)) as Record<string | number, Json>)[path.at(-1) as string] = node;
}

/** The edits. */
export const FORM_EDITS: readonly Edit[] = [
  unseen("inline a definition", [], (bundle) =>
    placesOf(bundle).flatMap(({ definition, path }) => {
      const node = at(bundle, path);
      const target = targetOf(node);
      if (target === undefined || isRecursive(bundle, target)) return [];
      const apply = (copy: Bundle): void =>
        put(copy, path, { ...structuredClone(copy.$defs[target] as Node), ...marksOf(node) });
      return [{ about: [definition, target], apply }];
    }),
  ),
  unseen("extract a definition", ["definition-added"], (bundle) =>
    placesOf(bundle).flatMap(({ definition, path, as, isTag }) => {
      if (as === "definition" || isTag || targetOf(at(bundle, path)) !== undefined) return [];
      const apply = (copy: Bundle): void => {
        const node = at(copy, path);
        const marks = marksOf(node);
        for (const key of Object.keys(marks)) delete node[key];
        copy.$defs["Extracted"] = node;
        put(copy, path, { ...refTo("Extracted"), ...marks });
      };
      return [{ about: [definition], apply }];
    }),
  ),
  unseen("rename a definition", ["definition-added", "definition-removed"], (bundle) =>
    Object.keys(bundle.$defs).map((name) => ({
      about: ["everything"],
      apply: (copy: Bundle): void => {
        const renamed = JSON.parse(
          JSON.stringify(copy).replaceAll(`"#/$defs/${name}"`, `"#/$defs/Another"`),
        ) as Bundle;
        renamed.$defs["Another"] = renamed.$defs[name] as Node;
        delete renamed.$defs[name];
        Object.assign(copy, renamed);
      },
    })),
  ),
  unseen(
    "reorder keys",
    [],
    everywhere((bundle) => {
      const other = reversed(bundle) as Bundle;
      for (const key of Object.keys(bundle)) delete bundle[key];
      Object.assign(bundle, JSON.parse(JSON.stringify(other)) as Bundle);
    }),
  ),
  unseen(
    "reorder lists",
    [],
    everywhere((bundle) => {
      const nodes = placesOf(bundle).map(({ path }) => at(bundle, path));
      for (const node of nodes) {
        for (const key of [
          "required",
          "enum",
          ...(node["x-msp-openness"] === "open" ? [] : ["anyOf", "oneOf"]),
        ])
          if (node[key] !== undefined) (node[key] as Json[]).reverse();
        if (Array.isArray(node["type"])) node["type"].reverse();
      }
    }),
  ),
  unseen(
    "describe everything",
    [],
    everywhere((bundle) => {
      for (const { path } of placesOf(bundle)) at(bundle, path)["description"] = "What it is.";
    }),
  ),
  unseen("write a list of types as alternatives", [], (bundle) =>
    placesOf(bundle).flatMap(({ definition, path }) => {
      const node = at(bundle, path);
      if (!Array.isArray(node["type"])) return [];
      const apply = (copy: Bundle): void =>
        put(copy, path, { anyOf: (node["type"] as Json[]).map((type) => ({ type })), ...marksOf(node) });
      return [{ about: [definition], apply }];
    }),
  ),
  unseen("write alternatives as a list of types", [], (bundle) =>
    placesOf(bundle).flatMap(({ definition, path }) => {
      const node = at(bundle, path);
      const arms = node["anyOf"] as Node[] | undefined;
      if (arms === undefined || !arms.every((arm) => Object.keys(arm).join() === "type")) return [];
      const apply = (copy: Bundle): void =>
        put(copy, path, { type: arms.map(({ type }) => type as Json), ...marksOf(node) });
      return [{ about: [definition], apply }];
    }),
  ),
  ofNodes("deprecate", (_, { as }) =>
    as === "member"
      ? { rules: ["deprecated"], effect: {}, apply: (node) => void (node["deprecated"] = true) }
      : undefined,
  ),
];
