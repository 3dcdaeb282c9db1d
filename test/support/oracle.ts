/**
 * The oracle of the validators: ajv over the plain schema of the same surface, asked about the same values.
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Json, JsonObject, SurfacePlan } from "../../codegen/index.js";
import { Random } from "../../src/laws/random.js";
import { textOf, type Validate, type Validators, type Violation } from "./compile.js";
import { type Mutation, mutate } from "./mutations.js";
import { ValueMaker } from "./values.js";

/** How often a verdict was given. */
export interface Counts {
  accepted: number;
  refused: number;
}

/** A value on which the two differ. */
export interface Disagreement {
  readonly definition: string;
  readonly mutation: Mutation | undefined;
  /** As JSON, which cannot tell infinity from null. */
  readonly value: string;
  readonly accepted: boolean;
}

/** What one run saw. Verdicts are the validators' own. */
export interface Report {
  values: number;
  readonly valid: Counts;
  readonly mutated: Counts;
  readonly byDefinition: Map<string, { readonly valid: Counts; readonly mutated: Counts }>;
  readonly byMutation: Map<Mutation, Counts>;
  readonly disagreements: Disagreement[];
  /** Values on which ajv throws: its comparison with an object calls the value's own `toString` or `valueOf`. */
  undecided: number;
  /** Refusals whose reasons do not fit together: none, several where one was asked for, or a pointer to nowhere. */
  readonly incoherent: string[];
}

/** An ajv for the product `schema`. It may be used again: it reads the rules of schemas once. */
export function plainAjv(): Ajv2020 {
  return new Ajv2020({
    strict: true,
    // The dialect has lists of types, facets without types, and required members that it does not declare.
    allowUnionTypes: true,
    strictTypes: false,
    strictRequired: false,
    ownProperties: true,
    messages: false,
  });
}

/** ajv's validators of the definitions of a surface, or of some, over the product `schema`. */
export async function oracleOf(
  plan: SurfacePlan,
  names: Iterable<string> = plan.protocol.definitions.keys(),
  ajv: Ajv2020 = plainAjv(),
): Promise<ReadonlyMap<string, ValidateFunction>> {
  const schema = JSON.parse(await textOf(plan, "schema")) as JsonObject & { readonly $id: string };
  ajv.addSchema(schema);
  const found = new Map<string, ValidateFunction>();
  for (const name of names) {
    const token = encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
    found.set(name, ajv.compile({ $ref: `${schema.$id}#/$defs/${token}` }));
  }
  ajv.removeSchema(schema.$id);
  return found;
}

/**
 * Asks both about made values of each definition: each value as it was made, then once more after a mutation.
 * @param rounds values made for each definition
 */
export function compare(
  { protocol }: SurfacePlan,
  validators: Validators,
  oracle: ReadonlyMap<string, ValidateFunction>,
  { rounds, seed, only }: { rounds: number; seed: number; only?: readonly string[] },
): Report {
  const report: Report = {
    values: 0,
    valid: { accepted: 0, refused: 0 },
    mutated: { accepted: 0, refused: 0 },
    byDefinition: new Map(),
    byMutation: new Map(),
    disagreements: [],
    undecided: 0,
    incoherent: [],
  };
  const random = new Random(seed);
  const maker = new ValueMaker(protocol.definitions, random);
  for (const { name, schema } of protocol.definitions.values()) {
    if (only !== undefined && !only.includes(name)) continue;
    const ours = validators.definitions[name] as Validate;
    const theirs = oracle.get(name) as ValidateFunction;
    const here = { valid: { accepted: 0, refused: 0 }, mutated: { accepted: 0, refused: 0 } };
    report.byDefinition.set(name, here);
    const ask = (value: Json, mutation: Mutation | undefined, counts: readonly Counts[]): void => {
      const violations = ours(value);
      const accepted = violations === null;
      report.values++;
      for (const count of counts) count[accepted ? "accepted" : "refused"]++;
      const verdict = verdictOf(theirs, value);
      if (verdict === undefined) report.undecided++;
      else if (verdict !== accepted)
        report.disagreements.push({ definition: name, mutation, value: JSON.stringify(value), accepted });
      if (violations !== null) {
        const problem = incoherence(value, violations, ours(value, { all: true }));
        if (problem !== undefined) report.incoherent.push(`${name}: ${problem} for ${JSON.stringify(value)}`);
      }
    };
    for (let round = 0; round < rounds; round++) {
      const made = maker.make(schema);
      ask(made.value, undefined, [report.valid, here.valid]);
      const mutation = mutate(made, random);
      if (mutation === undefined) continue;
      let counts = report.byMutation.get(mutation);
      if (counts === undefined) report.byMutation.set(mutation, (counts = { accepted: 0, refused: 0 }));
      ask(made.value, mutation, [report.mutated, here.mutated, counts]);
    }
  }
  return report;
}

function verdictOf(validate: ValidateFunction, value: Json): boolean | undefined {
  try {
    return validate(value);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function incoherence(
  value: Json,
  first: readonly Violation[],
  all: readonly Violation[] | null,
): string | undefined {
  if (first.length !== 1) return `${first.length} violations where the first was asked for`;
  if (all === null || all.length === 0) return "no violation where all were asked for";
  if (JSON.stringify(all[0]) !== JSON.stringify(first[0])) return "another first violation";
  const lost = all.find(({ instanceLocation }) => at(value, instanceLocation) === undefined);
  return lost === undefined ? undefined : `nothing at ${lost.instanceLocation}`;
}

/** The part of a value at a JSON Pointer. */
export function at(value: unknown, pointer: string): unknown {
  let part = value;
  for (const token of pointer.split("/").slice(1)) {
    if (typeof part !== "object" || part === null) return undefined;
    part = Object.getOwnPropertyDescriptor(part, token.replaceAll("~1", "/").replaceAll("~0", "~"))?.value;
  }
  return part;
}
