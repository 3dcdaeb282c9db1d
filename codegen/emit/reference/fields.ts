/** The table of an object's members, with those of the objects inside it. */
import type { Dependency, Member, Schema } from "../../model/protocol.js";
import { badges, code, jsonCode, type Linker, prose, table } from "./markdown.js";
import type { Places } from "./places.js";
import { isPlain, limitsText, typeText } from "./shape.js";

/** The heads of the table. */
export const HEADS = ["Member", "Type", "Presence", "Limits", "Description"] as const;

/** Where a table stands, and how it links. */
export interface Context {
  readonly page: string;
  readonly places: Places;
}

/** The table of the members of a node; nothing where it has none to show. */
export function fieldsTable(schema: Schema, context: Context): string[] {
  const rows: string[][] = [];
  addParts(schema, "", context, rows);
  return rows.length === 0 ? [] : table(HEADS, rows);
}

/** The linker of a page. */
export function linkerOf({ page, places }: Context): Linker {
  return (word) => places.linkOf(word, page);
}

/** The rows of what a node has inside. The arms of a union at the outside have tables of their own. */
function addParts(schema: Schema, path: string, context: Context, rows: string[][]): void {
  const members = schema.members ?? [];
  // What must be there is what a reader looks for first.
  for (const member of [...members.filter((m) => m.required), ...members.filter((m) => !m.required)])
    addMember(member, path, schema.dependentRequired ?? [], context, rows);
  if (schema.items !== undefined && !isPlain(schema.items)) {
    addNode(schema.items, `${path}[]`, "each element", context, rows);
  }
  if (schema.additional !== undefined && !isPlain(schema.additional)) {
    addNode(schema.additional, path === "" ? "*" : `${path}.*`, "each other member", context, rows);
  }
  if (path === "") return;
  schema.union?.arms.forEach((arm, i) => {
    if (!isPlain(arm)) addNode(arm, `${path} (alternative ${i + 1})`, "one of several", context, rows);
  });
}

function addMember(
  { name, required, declared, schema }: Member,
  path: string,
  dependencies: readonly Dependency[],
  context: Context,
  rows: string[][],
): void {
  const step = /^[\w$/-]+$/.test(name) ? name : JSON.stringify(name);
  const needs = dependencies.find((rule) => rule.name === name)?.needs ?? [];
  const more = needs.length === 0 ? [] : [`needs ${needs.map((need) => code(need)).join(" and ")}`];
  const presence = !required ? "optional" : declared ? "required" : "required, not declared";
  addNode(schema, path === "" ? step : `${path}.${step}`, presence, context, rows, more);
}

function addNode(
  schema: Schema,
  path: string,
  presence: string,
  context: Context,
  rows: string[][],
  more: readonly string[] = [],
): void {
  const { page, places } = context;
  rows.push([
    code(path) + badges(schema),
    typeText(schema, (name) => places.definitionLink(name, page)),
    presence,
    [limitsText(schema), ...more].filter((part) => part !== "").join(", "),
    remarks(schema, context).join("<br>"),
  ]);
  addParts(schema, path, context, rows);
}

/** The description of a node and what it needs. */
function remarks(schema: Schema, context: Context): string[] {
  const { page, places } = context;
  const lines: string[] = [];
  if (schema.title !== undefined) lines.push(...prose(`${schema.title}.`));
  if (schema.description !== undefined) lines.push(...prose(schema.description, linkerOf(context)));
  if (schema.examples !== undefined) lines.push(`For example ${schema.examples.map(jsonCode).join(", ")}.`);
  if (schema.capability !== undefined)
    lines.push(`Needs the capability ${places.capabilityLink(schema.capability, page)}.`);
  if (schema.descriptor !== undefined) lines.push(`Descriptor ${code(schema.descriptor)}.`);
  return lines;
}
