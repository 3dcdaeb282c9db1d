/**
 * The product `arbitraries`: fast-check arbitraries of valid values, and of values that are wrong for one reason.
 */
import type { Definition, Protocol } from "../../model/protocol.js";
import { cycleGroups, reachingCycles } from "../../model/recursion.js";
import { propertyKey, quote, typeName } from "../../plan/names.js";
import type { SurfacePlan } from "../../plan/plan.js";
import { scriptHeader } from "../header.js";
import { Expressions } from "./expression.js";
import { PARTS_RUNTIME } from "./runtime-parts.js";
import { VALUES_RUNTIME } from "./runtime-values.js";

/** The files of the product. */
export function emitArbitraries(plan: SurfacePlan): Readonly<Record<string, string>> {
  const { protocol } = plan;
  const names = [...protocol.definitions.keys()];
  const constant = new Map(names.map((name, i) => [name, `D${i}`]));
  const groups = cycleGroups(protocol.definitions);
  const recursive = reachingCycles(protocol.definitions);
  const expressions = new Expressions(
    protocol.definitions,
    (name) => constant.get(name)!,
    (from, to) => groups.get(from) !== undefined && groups.get(from) === groups.get(to),
  );
  const define = (id: string, definition: Definition, exact: boolean): string =>
    `const ${id} = define(${recursive.has(definition.name)}, (d) => ${expressions.ofDefinition(definition, exact)});\n`;
  const strict = [
    ...new Set(protocol.methods.flatMap((m) => (m.strict && m.params !== undefined ? [m.params] : []))),
  ];
  const exact = new Map(strict.map((name, i) => [name, `S${i}`]));
  let text = `${scriptHeader(plan)}import fc from "fast-check";\n\n${VALUES_RUNTIME}\n${PARTS_RUNTIME}\n`;
  for (const definition of protocol.definitions.values())
    text += define(constant.get(definition.name)!, definition, false);
  for (const [name, id] of exact) text += define(id, protocol.definitions.get(name)!, true);
  const groupsOfSamples = tables(protocol, constant, exact);
  for (const { name, rows } of groupsOfSamples) {
    text += `\nexport const ${name} = {\n${rows.map(({ key, value }) => `  ${literalKey(key)}: ${value},\n`).join("")}};\n`;
  }
  return { "arbitraries.js": text, "arbitraries.d.ts": declarations(plan, groupsOfSamples) };
}

type Constants = ReadonlyMap<string, string>;

interface Table {
  readonly name: string;
  readonly doc: string;
  readonly rows: readonly { readonly key: string; readonly value: string; readonly type: string }[];
}

function tables(protocol: Protocol, constant: Constants, exact: Constants): Table[] {
  const typeOf = (name: string | undefined): string =>
    name === undefined ? "undefined" : `Samples<${typeName(name)}>`;
  const params = (name: string | undefined, strict = false): string => {
    if (name === undefined) return "undefined";
    return strict ? `samples(${exact.get(name)})` : `definitions[${quote(name)}]`;
  };
  const call = (entry: {
    name: string;
    params?: string;
    result: string;
    strict?: boolean;
  }): Table["rows"][number] => ({
    key: entry.name,
    value: `{ params: ${params(entry.params, entry.strict)}, result: ${params(entry.result)} }`,
    type: `{ readonly params: ${typeOf(entry.params)}; readonly result: ${typeOf(entry.result)} }`,
  });
  return [
    {
      name: "definitions",
      doc: "The test data of each definition, by the name that the schema gives it.",
      rows: [...protocol.definitions.keys()].map((name) => ({
        key: name,
        value: `samples(${constant.get(name)})`,
        type: typeOf(name),
      })),
    },
    {
      name: "methods",
      doc: "The test data of each method; params that refuse unknown members have none.",
      rows: protocol.methods.map(call),
    },
    {
      name: "requests",
      doc: "The test data of each request that the host sends.",
      rows: protocol.requests.map(call),
    },
    {
      name: "notifications",
      doc: "The test data of each notification's params.",
      rows: protocol.notifications.map((n) => ({
        key: n.name,
        value: params(n.params),
        type: typeOf(n.params),
      })),
    },
  ];
}

function literalKey(name: string): string {
  // As a plain key, "__proto__" would set the prototype.
  return name === "__proto__" ? '["__proto__"]' : propertyKey(name);
}

function declarations(plan: SurfacePlan, groups: readonly Table[]): string {
  const names = [...plan.protocol.definitions.keys()];
  let text = `${scriptHeader(plan)}import type * as fc from "fast-check";\n`;
  if (names.length > 0)
    text += `import type {\n${names.map((name) => `  ${typeName(name)},\n`).join("")}} from "./types.js";\n`;
  text += `\n${DECLARATIONS}`;
  for (const { name, doc, rows } of groups) {
    text += `\n/** ${doc} */\nexport declare const ${name}: {\n`;
    for (const { key, type } of rows) text += `  readonly ${propertyKey(key)}: ${type};\n`;
    text += "};\n";
  }
  return text;
}

const DECLARATIONS = `/** A value that is wrong for exactly one reason. */
export interface Invalid {
  readonly value: unknown;
  /** JSON Pointer of what is wrong; of the object, where a member is missing. */
  readonly instanceLocation: string;
  /** The schema keyword that it breaks. */
  readonly keyword: string;
}

/** Test data for one definition. */
export interface Samples<T> {
  /** Values that are valid. */
  readonly valid: fc.Arbitrary<T>;
  /** Values that are wrong for one named reason; undefined where every value is valid. */
  readonly invalid: fc.Arbitrary<Invalid> | undefined;
  /** The reasons that \`invalid\` draws from; \`*\` in a location stands for an index or a name. */
  readonly reasons: readonly { readonly instanceLocation: string; readonly keyword: string }[];
}
`;
