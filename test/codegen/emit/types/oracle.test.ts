/**
 * The types against an oracle: what json-schema-to-typescript makes of the same bundle must be assignable both ways
 * to ours, definition by definition. The oracle is told what it does not know: an open enum goes in as a ready type,
 * and an object without `additionalProperties` is closed, so that it gets no index signature.
 *
 * Assignability does not see an optional member that is missing on one side, so the types must be identical too.
 */
import { readFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";
import { beforeAll, describe, expect, test } from "vitest";
import { type Json, type JsonObject, SURFACES, type Surface } from "../../../../codegen/index.js";
import { typeName } from "../../../../codegen/plan/names.js";
import { planOf, textOf } from "../../../support/compile.js";
import { DEPOT_SCHEMA, MSP_SCHEMA, WORKSPACE_SCHEMA } from "../../../support/repo.js";
import { check, type Problem } from "../../../support/typescript.js";

/** Definitions that may differ, by `protocol-surface` and name, with the reason. At most twenty in each. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {};

/** Differences that must be seen: a replacement in our text, the definition it breaks, and by which relation. */
const POISONS: readonly {
  readonly what: string;
  readonly find: string;
  readonly put: string;
  readonly breaks: string;
  readonly relation: Relation;
}[] = [
  {
    what: "an optional member made required",
    find: "height?: number;",
    put: "height: number;",
    breaks: "Article",
    relation: "assignable",
  },
  {
    what: "a required member made optional",
    find: "question: string;",
    put: "question?: string;",
    breaks: "ConfirmParams",
    relation: "assignable",
  },
  {
    what: "null lost",
    find: "weight?: number | null;",
    put: "weight?: number;",
    breaks: "Article",
    relation: "assignable",
  },
  {
    what: "undefined let in",
    find: "limit?: number;",
    put: "limit?: number | undefined;",
    breaks: "FindParams",
    relation: "assignable",
  },
  {
    what: "an arm of a closed union lost",
    find: "Target = TargetPlace | TargetDepot;",
    put: "Target = TargetPlace;",
    breaks: "Target",
    relation: "assignable",
  },
  {
    what: "an arm of an open union lost",
    find: "Event_ = EventArrived | EventClosed | EventOther;",
    put: "Event_ = EventArrived | EventOther;",
    breaks: "Event",
    relation: "identical", // the catch-all takes what the lost arm took
  },
  {
    what: "a word of an enum lost",
    find: '"low" | "high" | "urgent";',
    put: '"low" | "high";',
    breaks: "Priority",
    relation: "assignable",
  },
  {
    what: "an open enum closed",
    find: '"hall" | "shelf" | "bin" | (string & {});',
    put: '"hall" | "shelf" | "bin";',
    breaks: "PlaceKind",
    relation: "assignable",
  },
  {
    what: "an open enum without completion",
    find: '"hall" | "shelf" | "bin" | (string & {});',
    put: "string;",
    breaks: "PlaceKind",
    relation: "identical",
  },
  {
    what: "a number made a string",
    find: "total: number;",
    put: "total: string;",
    breaks: "FindResult",
    relation: "assignable",
  },
  {
    what: "a constant made free",
    find: "version: 2;",
    put: "version: number;",
    breaks: "FindResult",
    relation: "assignable",
  },
  {
    what: "a list made its element",
    find: "parts?: Place[];",
    put: "parts?: Place;",
    breaks: "Place",
    relation: "assignable",
  },
  {
    what: "a map made free-form",
    find: "counts: { [name: string]: Quantity };",
    put: "counts: Record<string, unknown>;",
    breaks: "Stocktake",
    relation: "assignable",
  },
  {
    what: "an optional member lost",
    find: "  carrier?: string;\n",
    put: "",
    breaks: "Target",
    relation: "identical",
  },
];

type Relation = "assignable" | "identical";

/** One comparison: our text, the oracle's, and the definitions to compare. */
interface Case {
  readonly name: string;
  readonly definitions: readonly string[];
  readonly ours: string;
  readonly oracle: string;
}

/** The definitions of one case that differ, by relation. */
type Differences = Readonly<Record<Relation, readonly string[]>>;

const cases = new Map<string, Case>();
const differences = new Map<string, Differences>();
let otherProblems: readonly Problem[] = [];

beforeAll(async () => {
  for (const [protocol, path] of [
    ["msp", MSP_SCHEMA],
    ["depot", DEPOT_SCHEMA],
    ["workspace", WORKSPACE_SCHEMA],
  ] as const) {
    for (const surface of SURFACES) {
      const made = await caseOf(`${protocol}-${surface}`, path, surface);
      cases.set(made.name, made);
    }
  }
  const depot = cases.get("depot-experimental")!;
  for (const { what, find, put } of POISONS) {
    const ours = depot.ours.replace(find, put);
    if (ours === depot.ours) throw new Error(`nothing to poison: ${find}`);
    cases.set(what, { ...depot, name: what, ours });
  }
  compare();
}, 300_000);

/** Checks all cases in one program. */
function compare(): void {
  const files: Record<string, string> = {};
  const places = new Map<
    string,
    { readonly name: string; readonly relation: Relation; readonly at: string }
  >();
  [...cases.values()].forEach(({ name, definitions, ours, oracle }, index) => {
    const folder = `case${index}`;
    files[`${folder}/ours.ts`] = ours;
    files[`${folder}/oracle.ts`] = oracle;
    const lines = [
      `import type * as ours from "./ours.js"; import type { Root } from "./oracle.js";`,
      `type Assignable<A, B> = [A] extends [B] ? ([B] extends [A] ? true : "ours is wider") : "ours is narrower";`,
      `type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;`,
    ];
    for (const definition of definitions) {
      const pair = `ours.${typeName(definition)}, Root[${JSON.stringify(definition)}]`;
      for (const [relation, type] of [
        ["assignable", "Assignable"],
        ["identical", "Identical"],
      ] as const) {
        lines.push(`export const line${lines.length}: ${type}<${pair}> = true;`);
        places.set(`${folder}/compare.ts:${lines.length}`, { name, relation, at: definition });
      }
    }
    files[`${folder}/compare.ts`] = lines.join("\n");
    differences.set(name, { assignable: [], identical: [] });
  });
  const others: Problem[] = [];
  for (const problem of check(files)) {
    const place = places.get(`${problem.file}:${problem.line}`);
    if (place === undefined) {
      others.push(problem);
      continue;
    }
    const found = differences.get(place.name)!;
    differences.set(place.name, { ...found, [place.relation]: [...found[place.relation], place.at] });
  }
  otherProblems = others;
}

/** What is wrong with what was found: a difference that is not excused, or an excuse that nothing needs. */
function verdict(found: Differences, excused: Readonly<Record<string, string>>): readonly string[] {
  const differing = new Set([...found.assignable, ...found.identical]);
  return [
    ...[...differing].filter((name) => !Object.hasOwn(excused, name)).map((name) => `${name} differs`),
    ...Object.keys(excused)
      .filter((name) => !differing.has(name))
      .map((name) => `${name} is excused and does not differ`),
  ];
}

describe.each(["msp-stable", "msp-experimental", "depot-stable", "depot-experimental"])("%s", (name) => {
  test("every definition is assignable both ways to the oracle's, and identical", () => {
    expect(verdict(differences.get(name)!, EXCEPTIONS[name] ?? {})).toEqual([]);
  });

  test("no definition was left out, and few are excused", () => {
    const [protocol, surface] = name.split("-") as ["msp" | "depot", Surface];
    const text = readFileSync(protocol === "msp" ? MSP_SCHEMA : DEPOT_SCHEMA, "utf8");
    const names = [...planOf(text, surface).protocol.definitions.keys()];
    expect([...cases.get(name)!.definitions].sort()).toEqual([...names].sort());
    expect(names.length).toBeGreaterThan(protocol === "msp" ? 300 : 20);
    expect(Object.keys(EXCEPTIONS[name] ?? {}).length).toBeLessThanOrEqual(20);
  });
});

test("neither side has an error of its own", () => {
  expect(otherProblems).toEqual([]);
});

test.each(POISONS)("it sees $what, and names the definition", ({ what, breaks, relation }) => {
  const found = differences.get(what)!;
  expect(found[relation]).toContain(breaks);
  expect(verdict(found, {})).toContain(`${breaks} differs`);
  // Only what reaches the broken definition differs, not everything.
  expect(found.identical.length).toBeLessThan(10);
});

test("an exception that no longer differs is reported", () => {
  const found = { assignable: ["A"], identical: ["A", "B"] };
  expect(verdict(found, { A: "reason", B: "reason", C: "reason" })).toEqual([
    "C is excused and does not differ",
  ]);
  expect(verdict(found, { A: "reason" })).toEqual(["B differs"]);
});

async function caseOf(name: string, path: string, surface: Surface): Promise<Case> {
  const text = readFileSync(path, "utf8");
  const definitions = mapForOracle((JSON.parse(text) as JsonObject)["$defs"] as JsonObject, surface);
  const names = Object.keys(definitions);
  // One member for each definition, so that its type is found by the name that the bundle gives it.
  const root = {
    $defs: definitions,
    type: "object",
    properties: Object.fromEntries(
      names.map((definition) => [definition, { $ref: `#/$defs/${definition}` }]),
    ),
    required: names,
    additionalProperties: false,
  };
  const oracle = await compile(root as object, "Root", {
    bannerComment: "",
    format: false,
    ignoreMinAndMaxItems: true,
  });
  return { name, definitions: names, ours: await textOf(planOf(text, surface), "types"), oracle };
}

/** What the oracle is told; the rest is prose, marks, and bounds that no type can say. */
const KEPT = new Set(["$ref", "type", "enum", "const", "required"]);

/** One schema node for the oracle, on one surface. Made from the bundle's own text, not from the model. */
function forOracle(node: JsonObject, surface: Surface): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(node)) {
    if (KEPT.has(key)) out[key] = value;
    else if (key === "properties") out[key] = mapForOracle(value as JsonObject, surface);
    else if (key === "anyOf" || key === "oneOf")
      out[key] = (value as JsonObject[]).map((arm) => forOracle(arm, surface));
    else if (key === "items" || key === "additionalProperties")
      out[key] = forOracle(value as JsonObject, surface);
  }
  if (Array.isArray(out["enum"])) {
    const experimental = (node["x-msp-value-stability"] ?? {}) as JsonObject;
    const values = out["enum"].filter(
      (value: Json) => surface !== "stable" || !Object.hasOwn(experimental, String(value)),
    );
    if (node["x-msp-openness"] === "open")
      return { tsType: [...values.map((value) => JSON.stringify(value)), "(string & {})"].join(" | ") };
    out["enum"] = values;
  }
  const properties = out["properties"] as JsonObject | undefined;
  // An object without any declared member is free-form, and stays so.
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const required = (out["required"] ?? []) as Json[];
    out["required"] = required.filter((member) => Object.hasOwn(properties, String(member)));
    out["additionalProperties"] ??= false;
  }
  return out;
}

function mapForOracle(map: JsonObject, surface: Surface): JsonObject {
  return Object.fromEntries(
    Object.entries(map)
      .filter(([, node]) => surface !== "stable" || (node as JsonObject)["x-msp-stability"] === undefined)
      .map(([name, node]) => [name, forOracle(node as JsonObject, surface)]),
  );
}
