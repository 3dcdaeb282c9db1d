// The bundle in the forms that peers read, grown, or cut down to some definitions.

/** Whether a member of a schema node says nothing about values. */
const isAnnotation = (key) =>
  key.startsWith("x-") ||
  ["description", "title", "examples", "deprecated", "default", "$comment"].includes(key);

/** Calls `change` for each schema node of a copy, inside first. */
function mapSchema(schema, change) {
  const copy = { ...schema };
  for (const key of ["items", "additionalProperties"]) {
    if (typeof copy[key] === "object") copy[key] = mapSchema(copy[key], change);
  }
  for (const key of ["anyOf", "oneOf"]) {
    if (copy[key] !== undefined) copy[key] = copy[key].map((arm) => mapSchema(arm, change));
  }
  if (copy.properties !== undefined) {
    copy.properties = mapValues(copy.properties, (member) => mapSchema(member, change));
  }
  return change(copy);
}

function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

/** One JSON Schema whose root reaches every definition, with its descriptions: what a type generator reads. */
export function asOneSchema(bundle) {
  const names = Object.keys(bundle.$defs);
  const withoutMarks = (node) =>
    Object.fromEntries(Object.entries(node).filter(([key]) => !key.startsWith("x-")));
  return {
    $schema: bundle.$schema,
    title: "Bundle",
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
    $defs: mapValues(bundle.$defs, (definition) => mapSchema(definition, withoutMarks)),
  };
}

/**
 * The definitions as plain JSON Schema for a validator: no annotations, an open enum is a string, and the last arm of
 * an open union excludes the tags of the others.
 */
export function plainDefinitions(bundle) {
  return mapValues(bundle.$defs, (definition) =>
    mapSchema(definition, (node) => {
      const open = node["x-msp-openness"] === "open";
      const plain = Object.fromEntries(Object.entries(node).filter(([key]) => !isAnnotation(key)));
      if (open && plain.enum !== undefined) return { type: "string" };
      const arms = plain.anyOf ?? plain.oneOf;
      if (!open || arms === undefined) return plain;
      const tag = Object.keys(arms[0].properties).find(
        (name) => arms[0].properties[name].const !== undefined,
      );
      const known = arms.slice(0, -1).map((arm) => arm.properties[tag].const);
      const rest = structuredClone(arms.at(-1));
      rest.properties[tag] = { type: "string", not: { enum: known } };
      return { anyOf: [...arms.slice(0, -1), rest] };
    }),
  );
}

/** The names of some definitions and of all that they refer to. */
export function reachable(names, definitions) {
  const found = new Set();
  const add = (name) => {
    if (found.has(name)) return;
    found.add(name);
    mapSchema(definitions[name], (node) => {
      if (node.$ref !== undefined) add(node.$ref.slice("#/$defs/".length));
      return node;
    });
  };
  names.forEach(add);
  return found;
}

/** The definitions that a server checks most: the params of each method, and those of `item/completed`. */
export function messageDefinitions(bundle) {
  const params = Object.values(bundle.methods).flatMap((method) => method.params ?? []);
  params.push(bundle.notifications["item/completed"].params);
  return [...new Set(params.map(({ $ref }) => $ref.slice("#/$defs/".length)))];
}

/**
 * The bundle some times over: the first copy as it is, in the others each definition, method, notification and
 * request has a suffix to its name, and references and descriptors follow.
 */
export function grown(bundle, times) {
  const out = structuredClone(bundle);
  for (let i = 1; i < times; i++) {
    const suffix = `Copy${i}`;
    const named = (record) => Object.entries(record).map(([name, value]) => [`${name}${suffix}`, value]);
    const change = (node) => {
      const copy = { ...node };
      if (copy.$ref !== undefined) copy.$ref += suffix;
      const descriptor = copy["x-msp-descriptor"];
      if (descriptor !== undefined) copy["x-msp-descriptor"] = descriptor.replace(/^[^.]*/, `$&${suffix}`);
      return copy;
    };
    for (const [name, definition] of named(bundle.$defs)) out.$defs[name] = mapSchema(definition, change);
    for (const section of ["methods", "notifications", "requests"]) {
      for (const [name, message] of named(bundle[section])) {
        out[section][name] = change(
          mapValues(message, (part) => (part?.$ref === undefined ? part : change(part))),
        );
      }
    }
  }
  return out;
}
