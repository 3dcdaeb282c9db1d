/**
 * The canonical form of a JSON value: one text for all ways to write it. Members are sorted by UTF-16 code units, there
 * is no white space, numbers and strings are as JSON.stringify writes them. Array order, number values and Unicode
 * forms count; -0 is 0, which is how JSON has it.
 */

/**
 * The canonical text of a value. Members that are undefined count as absent; what says itself how it is written
 * (`toJSON`) is taken at its word. The value has no cycle.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) {
    let text = "[";
    for (let i = 0; i < value.length; i++) text += (i === 0 ? "" : ",") + canonicalJson(value[i]);
    return `${text}]`;
  }
  const members = value as Readonly<Record<string, unknown>>;
  if (typeof members["toJSON"] === "function") return canonicalJson(JSON.parse(JSON.stringify(value)));
  let text = "{";
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member === undefined) continue;
    text += `${text === "{" ? "" : ","}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `${text}}`;
}
