/** What conditions and expressions look at: an event, and what the steps of a run have come to. */
import type { JsonObject, JsonValue } from "../../../src/commands/app.js";

/** The object that paths lead into. */
export interface Subject {
  readonly eventId: string;
  readonly type: string;
  readonly data: JsonObject;
  /** Only within a run. */
  readonly values?: JsonObject;
}

/** The value at a JSON pointer; undefined where there is none. Members of prototypes are none. */
export function valueAt(subject: Subject, path: string): JsonValue | undefined {
  let value = subject as unknown as JsonValue | undefined;
  for (const part of path.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
    else if (isObject(value)) value = Object.hasOwn(value, key) ? value[key] : undefined;
    else return undefined;
  }
  return value;
}

/** Whether a value is an object of JSON. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two values of JSON are the same: type and content, without regard to the order of members. */
export function sameValue(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, i) => sameValue(one as JsonValue, b[i] as JsonValue));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key] as JsonValue, b[key] as JsonValue))
  );
}

/** Compares strings by their code points: as UTF-16 does, but that what is beyond the basic plane comes last. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return weight(x) - weight(y);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above every other unit. */
function weight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
