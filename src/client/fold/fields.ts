/**
 * The fields of an item that text is appended to. A delta names one by a dotted path, such as `text` or `summary.0`.
 */
import type { Item } from "../../../generated/msp/experimental/types.js";

/** The field that a delta means when it names none. */
export const DEFAULT_FIELD: keyof Item = "text";

/** Output is streamed under one name and stands in the item under another. */
const OUTPUT_FIELD = "output";
const OUTPUT_MEMBER: keyof Item = "visibleOutput";

const INDEX = /^(?:0|[1-9]\d*)$/;

function pathOf(field: string): readonly string[] {
  return field === OUTPUT_FIELD ? [OUTPUT_MEMBER] : field.split(".");
}

/** The text that an item has at a field; undefined when it has none there. */
export function textAt(item: Item, field: string): string | undefined {
  let value: unknown = item;
  for (const name of pathOf(field)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return typeof value === "string" ? value : undefined;
}

/** The item with a text at a field; the item itself where it has no such place. What was given is left as it is. */
export function withTextAt(item: Item, field: string, text: string): Item {
  return put(item, pathOf(field), text) as Item;
}

function put(into: unknown, [name, ...rest]: readonly string[], text: string): unknown {
  if (name === undefined) return text;
  if (Array.isArray(into)) {
    // No further than the next place: an index is a number that somebody else chose.
    if (!INDEX.test(name) || Number(name) > into.length) return into;
    const copy: unknown[] = into.slice();
    copy[Number(name)] = put(copy[Number(name)], rest, text);
    return copy;
  }
  if (into === undefined && INDEX.test(name)) return put([], [name, ...rest], text);
  if (into !== undefined && (typeof into !== "object" || into === null)) return into;
  const copy: Record<string, unknown> = { ...into };
  const value = put(Object.hasOwn(copy, name) ? copy[name] : undefined, rest, text);
  // Not by assignment, to which the name `__proto__` means something else.
  return Object.defineProperty(copy, name, { value, configurable: true, enumerable: true, writable: true });
}

/** The fields in which an item that is open may have text that was streamed, with the text. */
export function streamedTexts(item: Item): ReadonlyMap<string, string> {
  const summary: unknown = item.summary;
  const parts = Array.isArray(summary) ? summary.map((_, i) => `summary.${i}`) : [];
  const texts = new Map<string, string>();
  for (const field of [DEFAULT_FIELD, OUTPUT_FIELD, ...parts]) {
    const text = textAt(item, field);
    if (text !== undefined && text !== "") texts.set(field, text);
  }
  return texts;
}
