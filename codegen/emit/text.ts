/**
 * Pieces of text that several products share.
 */
import { compareNames } from "../bundle/pointer.js";
import type { Annotated, Schema } from "../model/protocol.js";

/** Text that cannot end the comment it stands in, on one line a paragraph. */
export function commentText(text: string): string[] {
  if (!/\*\/|[\n\r\u2028\u2029]/u.test(text)) return [text.trimEnd()];
  return text
    .replaceAll("*/", "*\\/")
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line) => line.trimEnd());
}

/** A doc comment with its lines, or nothing for none. */
export function docComment(lines: readonly string[], indent: string): string {
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => (line === "" ? `${indent} *\n` : `${indent} * ${line}\n`)).join("")}${indent} */\n`;
}

/** The lines of a doc comment: description, bounds, then tags. */
export function docLines(node: Annotated, schema?: Schema): string[] {
  const lines: string[] = [];
  const { description } = node;
  if (description !== undefined && description.trim() !== "") lines.push(...commentText(description));
  const bounds = schema === undefined ? "" : boundsText(schema);
  if (bounds !== "") lines.push(...commentText(bounds));
  if (node.deprecated === true) lines.push("@deprecated");
  if (node.stability !== undefined) {
    lines.push(
      node.descriptor === undefined
        ? "@experimental"
        : `@experimental ${commentText(node.descriptor).join(" ")}`,
    );
  }
  return lines;
}

/** The bounds of a node in words. */
export function boundsText(schema: Schema): string {
  const words: string[] = [];
  const range = (low: number | undefined, high: number | undefined, what: string, many: string): void => {
    if (low !== undefined && high !== undefined) words.push(`${what} from ${low} to ${high}${many}.`);
    else if (low !== undefined) words.push(`${what} at least ${low}${many}.`);
    else if (high !== undefined) words.push(`${what} at most ${high}${many}.`);
  };
  range(schema.minimum, schema.maximum, "Value", "");
  range(schema.minLength, schema.maxLength, "Length", " code points");
  range(schema.minItems, schema.maxItems, "Length", " elements");
  if (schema.pattern !== undefined) words.push(`Matches \`${schema.pattern}\`.`);
  for (const { name, needs } of schema.dependentRequired ?? []) {
    words.push(`\`${name}\` needs ${needs.map((need) => `\`${need}\``).join(" and ")}.`);
  }
  return words.join(" ");
}

/** Names in code-point order. */
export function sortedNames(names: Iterable<string>): string[] {
  return [...names].sort(compareNames);
}
