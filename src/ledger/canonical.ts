/**
 * The canonical form of a JSON value (RFC 8785): one text for all ways to write it. Members are sorted by UTF-16 code
 * units, there is no white space, numbers and strings are as JSON.stringify writes them. Array order, number values and
 * Unicode forms count; -0 is 0, which is how JSON has it.
 */

/**
 * The canonical text of a value. Members that are undefined count as absent; what says itself how it is written
 * (`toJSON`) is taken at its word. The value has no cycle.
 */
export function canonicalJson(value: unknown): string {
  // The platform's own writer is the fastest, and it keeps the order in which it finds the members.
  return inOrder(value) ? (JSON.stringify(value) ?? "null") : write(value);
}

/** Whether the members of all objects in a value stand in canonical order already, and nothing in it is unusual. */
function inOrder(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!inOrder(value[i])) return false;
    return true;
  }
  const members = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(members);
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    if (i > 0 && name < names[i - 1]!) return false;
    const member = members[name];
    if (
      typeof member === "object"
        ? !inOrder(member)
        : typeof member === "function" || typeof member === "symbol"
    )
      return false;
  }
  return typeof members["toJSON"] !== "function";
}

function write(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) {
    let text = "[";
    for (let i = 0; i < value.length; i++) text += (i === 0 ? "" : ",") + write(value[i]);
    return `${text}]`;
  }
  const members = value as Readonly<Record<string, unknown>>;
  if (typeof members["toJSON"] === "function") return write(JSON.parse(JSON.stringify(value)));
  let text = "{";
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member === undefined) continue;
    text += `${text === "{" ? "" : ","}${JSON.stringify(name)}:${write(member)}`;
  }
  return `${text}}`;
}
