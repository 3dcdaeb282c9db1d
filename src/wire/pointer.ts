/**
 * JSON Pointers (RFC 6901) into values.
 */

/** The pointer of a member of what `base` points to. */
export function memberPointer(base: string, name: string): string {
  return `${base}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
