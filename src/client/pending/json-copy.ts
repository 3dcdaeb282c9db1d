/**
 * A value as JSON carries it, if JSON carries it whole. What JSON would drop or change without a word, such as a
 * date, a map or NaN, is refused: it may be somebody's words.
 */

/** A copy that has been through JSON. Throws where it differs, members that are undefined aside. */
export function jsonCopy(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  const copy: unknown = text === undefined ? undefined : JSON.parse(text);
  if (text === undefined || !isSame(value, copy))
    throw new TypeError("JSON does not carry this value unchanged");
  return copy;
}

function isSame(value: unknown, copy: unknown): boolean {
  if (typeof value !== "object" || typeof copy !== "object" || value === null || copy === null) {
    return value === copy;
  }
  if (Array.isArray(value)) {
    // By index, since `every` would step over the holes of a list.
    return Array.isArray(copy) && Array.from(value).every((entry, index) => isSame(entry, copy[index]));
  }
  // Its tag tells a map, a set or a date from an object, whichever realm it is of.
  if (Object.prototype.toString.call(value) !== "[object Object]") return false;
  return Object.entries(value).every(
    ([name, member]) =>
      member === undefined || (Object.hasOwn(copy, name) && isSame(member, copyOf(copy, name))),
  );
}

function copyOf(object: object, name: string): unknown {
  return (object as Readonly<Record<string, unknown>>)[name];
}
