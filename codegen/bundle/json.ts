/**
 * A JSON reader that knows where everything stands.
 *
 * `JSON.parse` is the fast path. This scanner runs when a place is asked for, when the text is not JSON, and
 * when a text might hold the same key twice, which `JSON.parse` hides.
 */
import { child, compareNames } from "./pointer.js";

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
/** A JSON object; its members are own properties, `__proto__` included. */
export interface JsonObject {
  [name: string]: Json;
}

/** A text that is not JSON: the offset (UTF-16 units from the start) and what was expected there. */
export class JsonSyntaxError extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.name = "JsonSyntaxError";
    this.offset = offset;
  }
}

/** Where a value stands: the offset of its key (of itself, for array elements and the root) and of its first character. */
export interface Span {
  readonly key: number;
  readonly value: number;
}

/** What a scan found. */
export interface Scan {
  /** Offsets by JSON Pointer. Of a key that stands twice, the first. */
  readonly spans: ReadonlyMap<string, Span>;
  /** Keys that stand a second time in one object: the pointer of the member and the offset of the repeated key. */
  readonly duplicates: readonly { readonly pointer: string; readonly offset: number }[];
}

/** Nesting that the reader follows; deeper texts are refused. */
export const MAX_DEPTH = 1_000;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Scans a JSON text.
 * @throws {JsonSyntaxError} when the text is not JSON or nests deeper than {@link MAX_DEPTH}.
 */
export function scanJson(text: string): Scan {
  const spans = new Map<string, Span>();
  const duplicates: { pointer: string; offset: number }[] = [];
  let at = 0;

  const fail = (message: string): never => {
    throw new JsonSyntaxError(at, message);
  };
  const space = (): void => {
    for (;;) {
      const c = text.charCodeAt(at);
      if (c === 32 || c === 10 || c === 13 || c === 9) at++;
      else return;
    }
  };
  const string = (): string => {
    const start = at++;
    for (;;) {
      const c = text.charCodeAt(at);
      if (c === 34) break;
      if (Number.isNaN(c)) fail("the text ends inside a string");
      if (c < 32) fail("a control character stands in a string unescaped");
      if (c === 92) {
        at++;
        const e = text[at] ?? "";
        if (
          e === "u"
            ? !/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))
            : !'"\\/bfnrt'.includes(e) || e === ""
        ) {
          fail("a string has an escape that JSON does not know");
        }
        at += e === "u" ? 4 : 0;
      }
      at++;
    }
    at++;
    return JSON.parse(text.slice(start, at)) as string;
  };
  const value = (pointer: string, key: number, depth: number): void => {
    if (depth > MAX_DEPTH) fail(`values nest deeper than ${MAX_DEPTH} levels`);
    const repeated = spans.has(pointer);
    if (!repeated) spans.set(pointer, { key: key < 0 ? at : key, value: at });
    const c = text[at];
    if (c === "{") {
      at++;
      const seen = new Set<string>();
      space();
      if (text[at] === "}") {
        at++;
        return;
      }
      for (;;) {
        space();
        if (text[at] !== '"') fail("expected a member name in double quotes");
        const keyAt = at;
        const name = string();
        const place = child(pointer, name);
        if (seen.has(name)) duplicates.push({ pointer: place, offset: keyAt });
        seen.add(name);
        space();
        if (text[at] !== ":") fail("expected a colon after the member name");
        at++;
        space();
        value(place, keyAt, depth + 1);
        space();
        if (text[at] === ",") at++;
        else if (text[at] === "}") {
          at++;
          return;
        } else fail("expected a comma or the end of the object");
      }
    }
    if (c === "[") {
      at++;
      space();
      if (text[at] === "]") {
        at++;
        return;
      }
      for (let i = 0; ; i++) {
        space();
        value(child(pointer, i), -1, depth + 1);
        space();
        if (text[at] === ",") at++;
        else if (text[at] === "]") {
          at++;
          return;
        } else fail("expected a comma or the end of the array");
      }
    }
    if (c === '"') {
      string();
      return;
    }
    for (const word of ["true", "false", "null"]) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return;
      }
    }
    NUMBER.lastIndex = at;
    const number = NUMBER.exec(text);
    if (number === null)
      fail(c === undefined ? "the text ends where a value is expected" : "expected a value");
    // JSON.parse makes an infinity of it, and JSON.stringify null of that.
    else if (!Number.isFinite(Number(number[0]))) fail("the number is too large for a 64-bit float");
    else at += number[0].length;
  };

  space();
  value("", -1, 0);
  space();
  if (at < text.length) fail("something follows the value");
  return { spans, duplicates };
}

/** Whether two JSON values are equal; the order of members does not matter. */
export function jsonEqual(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((x, i) => jsonEqual(x, b[i] as Json))
    );
  }
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && jsonEqual(a[name] as Json, b[name] as Json))
  );
}

/** The keys of an object in code-point order. */
export function orderedKeys(object: JsonObject): string[] {
  const keys = Object.keys(object);
  for (let i = 1; i < keys.length; i++)
    if (compareNames(keys[i - 1]!, keys[i]!) > 0) return keys.sort(compareNames);
  return keys;
}

/** A value with the members of every object in code-point order. */
export function ordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(ordered);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(orderedKeys(value).map((key) => [key, ordered(value[key] as Json)]));
}

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
