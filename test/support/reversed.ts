/** Values that differ in the order of their members alone. */

/** The same JSON with the members of every object in reverse. */
export function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reversed) as T;
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, member]) => [name, reversed(member)])) as T;
}
