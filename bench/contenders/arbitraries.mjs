// Values of the params of methods. A sample is the milliseconds of processor time for a thousand.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { spentMs } from "../lib/clock.mjs";
import { BENCH, ROOT } from "../lib/places.mjs";

const COUNT = 1_000;
const GENERATED = join(ROOT, "dist/generated/msp/experimental");

const makers = { mspkit, "bare fast-check": bare, "json-schema-faker": faker };

/** @param {{ maker: keyof typeof makers, definitions: string[] }} what the definitions that share the thousand */
export default async function prepare({ maker, definitions }) {
  const draw = await makers[maker](definitions);
  const each = Math.max(1, Math.round(COUNT / definitions.length));
  let seed = 0;
  return async () => {
    seed++;
    let made = 0;
    const start = spentMs();
    for (const definition of definitions) made += await draw(definition, each, seed);
    const ms = spentMs() - start;
    if (made !== each * definitions.length) throw new Error(`${maker} made ${made} values`);
    return (ms * COUNT) / made;
  };
}

// One fast-check for both, so that neither has a warmer one: the project's.
const { default: fc } = await import(
  pathToFileURL(createRequire(join(ROOT, "package.json")).resolve("fast-check")).href
);

async function mspkit() {
  const { definitions } = await import(pathToFileURL(join(GENERATED, "arbitraries.js")).href);
  return (definition, numRuns, seed) => fc.sample(definitions[definition].valid, { numRuns, seed }).length;
}

/** The same shapes, written with fast-check's own combinators and nothing else. */
async function bare() {
  const { definitions } = JSON.parse(readFileSync(join(GENERATED, "model.json"), "utf8"));
  const made = new Map();
  const of = (name) => {
    if (!made.has(name)) made.set(name, node(definitions[name]));
    return made.get(name);
  };
  const scalars = {
    string: () => fc.string(),
    boolean: () => fc.boolean(),
    null: () => fc.constant(null),
    number: () => fc.double({ noNaN: true, noDefaultInfinity: true }),
  };
  function node(schema) {
    if (schema.ref !== undefined) return of(schema.ref);
    if ("const" in schema) return fc.constant(schema.const);
    if (schema.enum !== undefined) {
      const words = fc.constantFrom(...schema.enum.values.map(({ value }) => value));
      return schema.enum.open
        ? fc.oneof({ weight: 4, arbitrary: words }, { weight: 1, arbitrary: fc.string() })
        : words;
    }
    if (schema.union !== undefined) return fc.oneof(...schema.union.arms.map(node));
    const kinds = (schema.types ?? []).map((type) => typed(type, schema));
    if (kinds.length === 0) return fc.jsonValue({ maxDepth: 1 });
    return kinds.length === 1 ? kinds[0] : fc.oneof(...kinds);
  }
  function typed(type, schema) {
    if (type === "integer")
      return fc.integer({
        min: schema.minimum ?? Number.MIN_SAFE_INTEGER,
        max: schema.maximum ?? Number.MAX_SAFE_INTEGER,
      });
    if (type === "string" && schema.pattern !== undefined)
      return fc.stringMatching(new RegExp(schema.pattern, "u"));
    if (type === "array")
      return fc.array(schema.items === undefined ? fc.jsonValue({ maxDepth: 1 }) : node(schema.items), {
        maxLength: 3,
      });
    if (type !== "object") return scalars[type]();
    const members = schema.members ?? [];
    if (members.length === 0)
      return fc.dictionary(
        fc.string(),
        schema.additional === undefined ? fc.jsonValue({ maxDepth: 1 }) : node(schema.additional),
        { maxKeys: 4, noNullPrototype: true },
      );
    const model = Object.fromEntries(members.map(({ name, schema: inner }) => [name, node(inner)]));
    return fc.record(model, {
      requiredKeys: members.filter(({ required }) => required).map(({ name }) => name),
      noNullPrototype: true,
    });
  }
  return (definition, numRuns, seed) => fc.sample(of(definition), { numRuns, seed }).length;
}

async function faker() {
  const { generate } = await import(
    pathToFileURL(join(BENCH, "node_modules/json-schema-faker/dist/index.js")).href
  );
  const schema = JSON.parse(readFileSync(join(GENERATED, "schema.json"), "utf8"));
  const roots = new Map();
  const rootOf = (definition) => {
    if (!roots.has(definition))
      roots.set(definition, { $ref: `#/$defs/${definition}`, $defs: closure(schema.$defs, definition) });
    return roots.get(definition);
  };
  return async (definition, numRuns, seed) => {
    let made = 0;
    for (let i = 0; i < numRuns; i++) {
      const value = await generate(rootOf(definition), { seed: seed * numRuns + i });
      if (value !== undefined) made++;
    }
    return made;
  };
}

/** The definitions that one reaches. */
function closure(definitions, start) {
  const found = {};
  const todo = [start];
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (Object.hasOwn(found, name)) continue;
    found[name] = definitions[name];
    JSON.stringify(definitions[name], (key, value) => {
      if (key === "$ref" && typeof value === "string") todo.push(value.slice("#/$defs/".length));
      return value;
    });
  }
  return found;
}
