/** Edits of objects: their members, and what is said of others. */
import type { DriftRuleId } from "../../../../../codegen/drift/rules.js";
import { type Bundle, type Node, refTo } from "../bundle.js";
import type { Place } from "../places.js";
import { type Edit, type Effect, ofNodes } from "./edit.js";

const membersOf = (node: Node): Record<string, Node> => node["properties"] as Record<string, Node>;
const requiredOf = (node: Node): string[] => (node["required"] ?? []) as string[];
const isNew = (node: Node): boolean => node["x-msp-stability"] === "experimental";

/** Whether a node is an object with members and free others. */
function isObject(node: Node): boolean {
  return node["properties"] !== undefined && node["additionalProperties"] === undefined;
}

/** Whether the members of a node are those of a method that refuses others. */
function isStrict({ path }: Place, bundle: Bundle): boolean {
  return path.length === 2 && path[1] === "DoParams" && bundle.methods["thing/do"]?.["x-msp-strict"] === true;
}

function isTied(node: Node, name: string): boolean {
  return JSON.stringify(node["dependentRequired"] ?? {}).includes(`"${name}"`);
}

function require(node: Node, name: string, must: boolean): void {
  const rest = requiredOf(node).filter((other) => other !== name);
  const list = must ? [...rest, name] : rest;
  if (list.length === 0) delete node["required"];
  else node["required"] = list;
}

/** An edit of one member of a node: of the first that it is for. */
function ofMember(
  name: string,
  rules: readonly DriftRuleId[],
  fits: (member: Node, required: boolean, node: Node, name: string) => boolean,
  effect: Effect,
  apply: (node: Node, name: string) => void,
  /** Whether the edit is of the mark that puts a member behind the opt-in. */
  ofMark = false,
): Edit {
  return ofNodes(name, (node, place) => {
    if (!isObject(node)) return undefined;
    const found = Object.entries(membersOf(node)).find(
      ([key, member]) => key !== "kind" && fits(member, requiredOf(node).includes(key), node, key),
    );
    // What is inside something behind the opt-in is there too, whatever its own mark says.
    if (found === undefined || (ofMark && place.experimental)) return undefined;
    const [key, member] = found;
    return {
      rules,
      effect,
      apply: (copy) => apply(copy, key),
      experimental: isNew(member) && !ofMark,
    };
  });
}

/** An edit of an object as a whole. */
function ofObject(
  name: string,
  rules: readonly DriftRuleId[],
  effect: Effect,
  apply: (node: Node) => void,
): Edit {
  return ofNodes(name, (node) => (isObject(node) ? { rules, effect, apply } : undefined));
}

const TEXT: Node = { type: "string" };

/** The edits. */
export const MEMBER_EDITS: readonly Edit[] = [
  ofObject("add a member", ["member-added"], {}, (node) => {
    membersOf(node)["fresh"] = { ...TEXT };
  }),
  ofObject("add a required member", ["required-member-added"], { narrows: true }, (node) => {
    membersOf(node)["fresh"] = { ...TEXT };
    require(node, "fresh", true);
  }),
  ofObject("add a member that refers", ["member-added"], {}, (node) => {
    membersOf(node)["fresh"] = refTo("Word");
  }),
  ofMember(
    "remove a member",
    ["member-removed"],
    (_, required, node, name) => !required && !isTied(node, name),
    { relied: true },
    (node, name) => void delete membersOf(node)[name],
  ),
  ofMember(
    "remove a required member",
    ["required-member-removed"],
    (_, required) => required,
    { relied: true, widens: true },
    (node, name) => {
      delete membersOf(node)[name];
      require(node, name, false);
    },
  ),
  ofMember(
    "rename a member",
    ["member-added", "member-removed"],
    (_, required, node, name) => !required && !isTied(node, name),
    { relied: true },
    (node, name) => {
      membersOf(node)["renamed"] = membersOf(node)[name] as Node;
      delete membersOf(node)[name];
    },
  ),
  ofMember(
    "require a member",
    ["member-required"],
    (member, required, node, name) => !required && !isNew(member) && !isTied(node, name),
    { narrows: true },
    (node, name) => require(node, name, true),
  ),
  ofMember(
    "relax a member",
    ["member-optional"],
    (_, required) => required,
    { widens: true },
    (node, name) => require(node, name, false),
  ),
  ofMember(
    "demote a member",
    ["member-removed"],
    (member, required, node, name) => !required && !isNew(member) && !isTied(node, name),
    { relied: true, demoted: true },
    (node, name) => void ((membersOf(node)[name] as Node)["x-msp-stability"] = "experimental"),
    true,
  ),
  ofMember(
    "promote a member",
    ["member-added"],
    (member) => isNew(member),
    {},
    (node, name) => void delete (membersOf(node)[name] as Node)["x-msp-stability"],
    true,
  ),
  ofNodes("tie two members", (node) => {
    if (!isObject(node) || node["dependentRequired"] !== undefined) return undefined;
    const free = Object.entries(membersOf(node)).flatMap(([name, of]) =>
      isNew(of) || requiredOf(node).includes(name) ? [] : [name],
    );
    const [one, other] = free;
    if (one === undefined || other === undefined) return undefined;
    return {
      rules: ["dependency-added"],
      effect: { narrows: true },
      apply: (copy) => void (copy["dependentRequired"] = { [one]: [other] }),
    };
  }),
  ofNodes("untie two members", (node) =>
    node["dependentRequired"] === undefined
      ? undefined
      : {
          rules: ["dependency-removed"],
          effect: { widens: true },
          apply: (copy) => void delete copy["dependentRequired"],
        },
  ),
  ofNodes("restrict other members", (node, place, bundle) =>
    !isObject(node) || isStrict(place, bundle)
      ? undefined
      : {
          rules: ["others-restricted"],
          effect: { narrows: true },
          apply: (copy) => void (copy["additionalProperties"] = { type: "boolean" }),
        },
  ),
  ofNodes("free other members", (node) =>
    node["additionalProperties"] === undefined
      ? undefined
      : {
          rules: ["others-freed"],
          effect: { widens: true },
          apply: (copy) => void delete copy["additionalProperties"],
        },
  ),
];
