/**
 * Where two payloads differ, for telling a client why its id stands for something else.
 */
import { memberPointer } from "../wire/pointer.js";

/**
 * The JSON Pointer of the first place in which two values of JSON differ, members in canonical order: of the member that
 * only one has, of the first item that only one has, of the values that are not the same. Empty where they differ as a
 * whole, undefined where they are one payload. Tells no value of either.
 */
export function firstDifference(a: unknown, b: unknown): string | undefined {
  if (a === b) return undefined;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return "";
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) ? inLists(a, b) : "";
  return inObjects(a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>);
}

function inLists(a: readonly unknown[], b: readonly unknown[]): string | undefined {
  const both = Math.min(a.length, b.length);
  for (let i = 0; i < both; i++) {
    const inside = firstDifference(a[i], b[i]);
    if (inside !== undefined) return `/${i}${inside}`;
  }
  return a.length === b.length ? undefined : `/${both}`;
}

function inObjects(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const name of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) {
    // A member that is undefined counts as absent; so does one that only a prototype has.
    const inside = firstDifference(own(a, name), own(b, name));
    if (inside !== undefined) return memberPointer("", name) + inside;
  }
  return undefined;
}

function own(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
