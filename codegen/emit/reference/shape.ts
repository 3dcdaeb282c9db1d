/** What a schema node accepts, in words: its type, its values, its limits. */
import type { EnumFacet, Schema } from "../../model/protocol.js";
import { badges, code, EXPERIMENTAL, jsonCode } from "./markdown.js";

/** Writes the link to a definition. */
export type TypeLink = (definition: string) => string;

/** The type of a node, in a few words: everything that its value must be at once. */
export function typeText(schema: Schema, link: TypeLink): string {
  const words: string[] = [];
  if (schema.ref !== undefined) words.push(link(schema.ref));
  if (schema.constant !== undefined) words.push(`the value ${jsonCode(schema.constant.value)}`);
  if (schema.enum !== undefined) words.push(enumText(schema.enum));
  if (schema.union !== undefined) {
    const arms = either(schema.union.arms.map((arm) => armText(arm, link)));
    words.push(schema.union.open ? `${arms}, or one of the future` : arms);
  }
  // A constant and the values of an enum have their types already.
  if (schema.constant === undefined && schema.enum === undefined) words.push(...innerTypes(schema, link));
  return words.length === 0 ? "any value" : words.join(" and ");
}

/** Alternatives, null last. */
function either(texts: readonly string[]): string {
  const all = [...new Set(texts)];
  return [...all.filter((text) => text !== "null"), ...all.filter((text) => text === "null")].join(" or ");
}

function innerTypes(schema: Schema, link: TypeLink): string[] {
  const { types, items, additional, members } = schema;
  if (types === undefined) {
    return [
      ...(items === undefined ? [] : [`where it is an array, one of ${bracketed(items, link)}`]),
      ...(additional === undefined && members === undefined
        ? []
        : [`where it is an object, ${objectText(schema, link)}`]),
    ];
  }
  const names = types.map((type) => {
    if (type === "array") return items === undefined ? "array" : `array of ${bracketed(items, link)}`;
    return type === "object" ? objectText(schema, link) : type;
  });
  return [either(names)];
}

function bracketed(schema: Schema, link: TypeLink): string {
  const text = typeText(schema, link);
  return / or | and |, /.test(text) ? `(${text})` : text;
}

function objectText(schema: Schema, link: TypeLink): string {
  const declared = schema.members?.some(({ declared: own }) => own) === true;
  if (schema.additional !== undefined && !declared) return `map of ${bracketed(schema.additional, link)}`;
  return declared || schema.members?.length ? "object" : "object with any members";
}

/** One alternative, told apart by its constants where it is an object. */
function armText(arm: Schema, link: TypeLink): string {
  const tags = tagsOf(arm);
  return tags === "" ? typeText(arm, link) : `object with ${tags}`;
}

/** The constants of an object: what it is told by. */
export function tagsOf(schema: Schema): string {
  return (schema.members ?? [])
    .flatMap(({ name, required, schema: { constant } }) =>
      required && constant !== undefined ? [`${code(name)} ${jsonCode(constant.value)}`] : [],
    )
    .join(" and ");
}

function enumText({ values, open }: EnumFacet): string {
  const list = values.map(
    (value) => jsonCode(value.value) + (value.stability === undefined ? "" : ` ${EXPERIMENTAL}`),
  );
  return open ? `string, known: ${list.join(", ")}` : `one of ${list.join(", ")}`;
}

/** The values of an enum, one on a line, and what becomes of others. */
export function enumLines({ values, open }: EnumFacet): string[] {
  return [
    open
      ? "Known values; any other string is valid too, and must be borne:"
      : "One of these values, and no other:",
    "",
    ...values.map((value) => `- ${jsonCode(value.value)}${badges(value)}`),
    "",
  ];
}

/** The limits of a node in the words of JSON Schema, and its default. */
export function limitsText(schema: Schema): string {
  const words: string[] = [];
  for (const key of ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const) {
    const limit = schema[key];
    if (limit !== undefined) words.push(`${key} ${limit}`);
  }
  if (schema.pattern !== undefined) words.push(`pattern ${code(schema.pattern)}`);
  if (schema.default !== undefined) words.push(`default ${jsonCode(schema.default.value)}`);
  return words.join(", ");
}

/** Whether the words for a node's type say all there is to say of it. */
export function isPlain(schema: Schema): boolean {
  const { pointer: _, ref: _ref, types: _types, members, items, additional, union, ...rest } = schema;
  if (Object.keys(rest).length > 0) return false;
  return (
    (members ?? []).length === 0 &&
    (items === undefined || isPlain(items)) &&
    (additional === undefined || isPlain(additional)) &&
    (union === undefined || union.arms.every(isPlain))
  );
}
