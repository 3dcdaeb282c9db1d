/** The entry of a definition, wherever it stands. */
import type { Json } from "../../bundle/json.js";
import type { Definition, Protocol, Schema } from "../../model/protocol.js";
import { anchorName } from "../../plan/names.js";
import { translate } from "../schema/translate.js";
import type { ExampleMaker } from "./example.js";
import { type Context, fieldsTable, linkerOf } from "./fields.js";
import { badges, code, details, heading, jsonBlock, jsonCode, plain, prose } from "./markdown.js";
import { enumLines, isPlain, limitsText, tagsOf, typeText } from "./shape.js";

/** What every page is made with. */
export interface Book extends Context {
  readonly protocol: Protocol;
  readonly examples: ExampleMaker;
}

/** The line above an example. */
export const EXAMPLE = "Example:";

/** The entry of a definition: heading, text, fields, example, source and schema node. */
export function definitionEntry(definition: Definition, level: number, book: Book, title?: string): string[] {
  const { name, schema } = definition;
  return [
    ...heading(level, (title ?? plain(name)) + badges(definition), anchorName("type", name)),
    ...paragraphs(definition, book),
    ...facts(definition, book),
    ...(schema.enum === undefined ? [] : enumLines(schema.enum)),
    ...fieldsTable(schema, book),
    ...arms(schema, level + 1, book, definition),
    ...(schema.union?.arms.every(isPlain) === false ? [] : example(book.examples.of(name))),
    ...source(schema.pointer, translate(schema, book.protocol.definitions)),
  ];
}

/** The title and description of something, as paragraphs. */
export function paragraphs(
  node: { readonly title?: string; readonly description?: string },
  context: Context,
): string[] {
  const lines = [
    ...(node.title === undefined ? [] : [`**${plain(node.title)}**`]),
    ...prose(node.description ?? "", linkerOf(context)),
  ];
  return lines.flatMap((line) => [line, ""]);
}

/** A list of facts; nothing where there is none. */
export function factList(lines: readonly string[]): string[] {
  return lines.length === 0
    ? []
    : [...lines.map((line) => `- ${line.replace(/^[^:]+(?=: )/, "**$&**")}`), ""];
}

function facts(definition: Definition, book: Book): string[] {
  const { name, schema, role } = definition;
  const limits = limitsText(schema);
  const users = book.places.isInMessage(name) ? [] : book.places.users(name, book.page);
  return factList([
    ...(isTabled(schema) ? [] : [`Type: ${outerType(schema, book)}`]),
    ...(limits === "" ? [] : [`Limits: ${limits}`]),
    ...(schema.examples === undefined ? [] : [`For example: ${schema.examples.map(jsonCode).join(", ")}`]),
    ...(definition.descriptor === undefined ? [] : [`Descriptor: ${code(definition.descriptor)}`]),
    ...(role === undefined ? [] : [`Role: ${ROLES[role]}`]),
    ...(users.length === 0 ? [] : [`Used by: ${users.join(", ")}`]),
  ]);
}

/** Whether a table of members says of an object that it is one. */
function isTabled({ types, members = [], ref, union, additional }: Schema): boolean {
  const more = ref !== undefined || union !== undefined || additional !== undefined;
  return types?.join() === "object" && members.length > 0 && !more;
}

/** What a definition is for that no message reaches by reference. */
export const ROLES: Readonly<Record<NonNullable<Definition["role"]>, string>> = {
  errorData: "the `data` of every error",
  request: "the envelope of a request",
  notification: "the envelope of a notification",
  successResponse: "the envelope of an answer",
  errorResponse: "the envelope of an error",
  record: "a record of a log",
};

/** The type of a whole definition: its values and alternatives follow below. */
function outerType(schema: Schema, context: Context): string {
  const { enum: listed, ...rest } = schema;
  if (listed === undefined) return typeOf(schema, context);
  const name = listed.open ? "string, an open enum" : "a closed enum";
  if (schema.ref !== undefined || schema.union !== undefined) return `${name} and ${typeOf(rest, context)}`;
  return !listed.open && schema.types?.join() === "string" ? `string, ${name}` : name;
}

function typeOf(schema: Schema, { page, places }: Context): string {
  return typeText(schema, (name) => places.definitionLink(name, page));
}

/** A section for each alternative, where one has more to it than a name. */
function arms(schema: Schema, level: number, book: Book, whole: Definition, prefix = ""): string[] {
  const { union } = schema;
  if (union === undefined || union.arms.every(isPlain)) return [];
  return union.arms.flatMap((arm, i) => {
    const { description, title } = arm;
    const number = `${prefix}${i + 1}`;
    const limits = limitsText(arm);
    const tags = tagsOf(arm);
    const catchAll = union.open && i === union.arms.length - 1;
    const suffix = catchAll ? ", of the future" : tags === "" ? "" : `: ${tags}`;
    const inner = arms(arm, level + 1, book, whole, `${number}.`);
    return [
      ...heading(Math.min(level, 6), `Alternative ${number}${suffix}`),
      ...paragraphs(
        { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) },
        book,
      ),
      ...factList([
        ...(isTabled(arm) ? [] : [`Type: ${typeOf(arm, book)}`]),
        ...(limits === "" ? [] : [`Limits: ${limits}`]),
        ...(arm.examples === undefined ? [] : [`For example: ${arm.examples.map(jsonCode).join(", ")}`]),
      ]),
      ...fieldsTable(arm, book),
      ...(inner.length > 0 || prefix !== "" ? inner : example(book.examples.ofArm(whole, i))),
    ];
  });
}

/** An example, or why there is none. */
export function example(value: Json | undefined): string[] {
  if (value === undefined) return ["No short example could be made.", ""];
  return [EXAMPLE, "", ...jsonBlock(value)];
}

/** The place in the bundle, and the node there in plain JSON Schema. */
export function source(pointer: string, node: Json): string[] {
  return details("Source and schema", [`${code(pointer)} in the schema bundle:`, "", ...jsonBlock(node)]);
}
