// An emitter for hosts without a library: what a host must know of the protocol, as one small file of JSON. It has the
// kinds of errors, a row for each method, and the JSON Schemas of the params of the methods that the example hosts serve.
//   mspkit generate --emitter ./examples/hosts/protocol.mjs --only schema --out out
// What is experimental is in the file of the experimental surface only: a host needs that one, to know what to refuse.

/** The methods that the example hosts serve, each as far as it can. */
const SERVED = [
  "initialize",
  "session/start",
  "session/resume",
  "session/read",
  "session/list",
  "session/rename",
  "turn/start",
  "turn/steer",
  "turn/interrupt",
  "turn/cancel",
  "turn/unqueue",
  "goal/set",
  "goal/edit",
  "goal/clear",
  "goal/pause",
  "goal/resume",
  "view/subscribe",
  "view/unsubscribe",
  "view/page",
];

/** @param {any} plan */
export default function emit({ header, model }) {
  const { protocol, methods, errors, definitions } = model;
  const needed = new Map();
  const need = (name) => {
    if (needed.has(name)) return;
    needed.set(name, undefined);
    needed.set(name, schemaOf(definitions[name], need));
  };
  const rows = {};
  for (const [name, row] of Object.entries(methods)) {
    const { params, record, strict, gates, withheld, stability, descriptor } = row;
    rows[name] = stability === undefined ? {} : { experimental: descriptor };
    if (!SERVED.includes(name)) continue;
    if (params !== undefined) need(params);
    Object.assign(rows[name], { params, record });
    if (strict) rows[name].strict = true;
    if (gates !== undefined) rows[name].gates = gates;
    if (withheld.includes("ephemeral")) rows[name].durableOnly = true;
  }
  const codes = {};
  for (const [kind, { code, overrideKinds }] of Object.entries(errors))
    for (const each of [kind, ...overrideKinds]) codes[each] = code;
  const file = {
    $comment: header.join(" "),
    fingerprint: protocol.fingerprints.stable,
    errors: codes,
    methods: rows,
    definitions: Object.fromEntries([...needed].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
  return { files: { "protocol.json": `${lines(file)}\n` } };
}

/** The JSON Schema of a node, without what only people read. Words of an open enum are left out: it takes any. */
function schemaOf(node, need) {
  if (node.ref !== undefined) {
    need(node.ref);
    return { $ref: node.ref };
  }
  if (node.union !== undefined) return { anyOf: node.union.arms.map((arm) => schemaOf(arm, need)) };
  const schema = { type: node.types };
  for (const keyword of ["const", "pattern", "minimum", "maximum"])
    if (node[keyword] !== undefined) schema[keyword] = node[keyword];
  if (node.enum?.open === false) schema.enum = node.enum.values.map(({ value }) => value);
  if (node.items !== undefined) schema.items = schemaOf(node.items, need);
  if (node.additional !== undefined) schema.additionalProperties = schemaOf(node.additional, need);
  if (node.members !== undefined) {
    schema.properties = Object.fromEntries(
      node.members.map(({ name, schema: member }) => [name, schemaOf(member, need)]),
    );
    schema.required = node.members.filter(({ required }) => required).map(({ name }) => name);
  }
  if (node.dependentRequired !== undefined)
    schema.dependentRequired = Object.fromEntries(
      node.dependentRequired.map(({ name, needs }) => [name, needs]),
    );
  return schema;
}

/** JSON with one line for each entry of the second level. */
function lines(file) {
  const parts = Object.entries(file).map(([name, value]) => {
    if (typeof value !== "object") return `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    const rows = Object.entries(value).map(
      ([key, row]) => `    ${JSON.stringify(key)}: ${JSON.stringify(row)}`,
    );
    return `${JSON.stringify(name)}: {\n${rows.join(",\n")}\n  }`;
  });
  return `{\n  ${parts.join(",\n  ")}\n}`;
}
