// An emitter that writes Go: one file of structs and string types.
//   mspkit generate --emitter ./examples/emitters/go/structs.mjs --only schema --out out
// An open enum is a string type with constants for its known words, and takes every other word. Optional members are
// pointers with omitempty, so that absent and zero stay apart. Unions and other mixtures are json.RawMessage: which
// arm it is, the reader decides by the tag.

const SCALARS = { string: "string", integer: "int64", number: "float64", boolean: "bool", null: "any" };

/** @param {any} plan */
export default function emit({ header, names, model }) {
  const types = new Map(Object.entries(names).map(([name, chosen]) => [name, exported(String(chosen))]));
  const parts = Object.entries(model.definitions).map(([name, node]) =>
    definition(types.get(name), node, types),
  );
  const body = parts.join("\n");
  const imports = body.includes("json.RawMessage") ? 'import "encoding/json"\n\n' : "";
  const head = header.map((/** @type {string} */ line) => `// ${line}\n`).join("");
  return { files: { "go/structs.go": `${head}\npackage protocol\n\n${imports}${body}` } };
}

function definition(type, node, types) {
  const doc = node.description === undefined ? "" : comment(`${type}: ${node.description}`, "");
  if (isStruct(node)) return `${doc}type ${type} ${struct(node, types)}\n`;
  if (node.enum?.values.every(({ value }) => typeof value === "string")) {
    const taken = new Set();
    const rows = node.enum.values.map(({ value }, i) => {
      let name = `${type}${exported(value)}`;
      if (value === "" || taken.has(name)) name = `${type}Value${i}`;
      taken.add(name);
      return `\t${name} ${type} = ${JSON.stringify(value)}\n`;
    });
    return `${doc}type ${type} string\n\nconst (\n${rows.join("")})\n`;
  }
  // A defined type cannot be an alias of itself through a slice or map, but it can be defined by one.
  return `${doc}type ${type} ${typeOf(node, types)}\n`;
}

function isStruct(node) {
  return (
    node.ref === undefined &&
    node.types?.length === 1 &&
    node.types[0] === "object" &&
    (node.members ?? []).length > 0
  );
}

function struct(node, types) {
  const used = new Set();
  let text = "struct {\n";
  for (const { name, required, schema } of node.members) {
    let field = exported(name);
    while (used.has(field)) field += "_";
    used.add(field);
    const type = typeOf(schema, types);
    const optional = !required || (schema.types ?? []).includes("null");
    const pointer = optional && !/^(?:\*|\[\]|map\[|any$|json\.)/.test(type) ? "*" : "";
    if (schema.description !== undefined) text += comment(schema.description, "\t");
    text += `\t${field} ${pointer}${type} ${tag(name, required)}\n`;
  }
  return `${text}}`;
}

/** A struct tag. Go's parser of tags knows no escapes that JSON names would need, so such a name has none. */
function tag(name, required) {
  if (!/^[\w.\-$/ ]+$/.test(name) || name === "-") return '`json:"-"`';
  return `\`json:"${name}${required ? "" : ",omitempty"}"\``;
}

function typeOf(node, types) {
  if (node.ref !== undefined) return types.get(node.ref);
  if (node.enum !== undefined)
    return node.enum.values.every(({ value }) => typeof value === "string") ? "string" : "json.RawMessage";
  if (typeof node.const === "string") return "string";
  if (node.const !== undefined || node.union !== undefined)
    return nullable(node.union, types) ?? "json.RawMessage";
  const kinds = (node.types ?? []).filter((type) => type !== "null");
  if (kinds.length !== 1) return "json.RawMessage";
  const [kind] = kinds;
  if (kind === "array") return `[]${node.items === undefined ? "any" : typeOf(node.items, types)}`;
  if (kind !== "object") return SCALARS[kind];
  if ((node.members ?? []).length > 0) return struct(node, types);
  return `map[string]${node.additional === undefined ? "any" : typeOf(node.additional, types)}`;
}

/** The type of "this or null": a pointer. */
function nullable(union, types) {
  const arms = (union?.arms ?? []).filter((arm) => !(arm.types?.length === 1 && arm.types[0] === "null"));
  return union !== undefined && arms.length === 1 && union.arms.length === 2
    ? `*${typeOf(arms[0], types)}`
    : undefined;
}

/** A Go name that other packages see. */
function exported(name) {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  const joined = words.map((word) => word[0].toUpperCase() + word.slice(1)).join("");
  return /^[A-Z]/.test(joined) ? joined : `X${joined}`;
}

function comment(text, indent) {
  return text
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => `${indent}// ${line}\n`)
    .join("");
}
