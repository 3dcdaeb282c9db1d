/** The two sides of a message's part, as ajv sees them, and values about them. */
import type { ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import {
  Findings,
  type Json,
  type Loaded,
  planSurface,
  type SurfacePlan,
} from "../../../../codegen/index.js";
import { Random } from "../../../../src/laws/random.js";
import { mutate } from "../../../support/mutations.js";
import { oracleOf, plainAjv } from "../../../support/oracle.js";
import { arbitrariesOf, type Samples } from "../../../support/samples.js";
import { ValueMaker } from "../../../support/values.js";
import type { Bundle } from "./bundle.js";
import { valuesFor } from "./enumerate.js";
import { isObject, isSent, spotOf, takes } from "./meaning.js";
import { type Part, partsOf, reach, stableOf } from "./places.js";

/** One version, on its stable surface. */
export interface Version {
  readonly bundle: Bundle;
  readonly plan: SurfacePlan;
  readonly parts: ReadonlyMap<string, Part>;
}

/** The version of a loaded bundle. */
export function versionOf(bundle: Bundle, loaded: Loaded): Version {
  const stable = stableOf(bundle);
  return {
    bundle: stable,
    plan: planSurface(loaded, "stable", new Findings()) as SurfacePlan,
    parts: new Map(partsOf(stable).map((part) => [keyOf(part), part])),
  };
}

/** What names a part on both sides. */
export function keyOf({ use: { kind, message, part, sender } }: Pick<Part, "use">): string {
  return `${kind} ${message} ${part} ${sender}`;
}

const ajv = plainAjv();

/** The verdicts of ajv on the parts of a version's messages. */
export class Oracle {
  readonly #parts: ReadonlyMap<string, Part>;
  readonly #bundle: Bundle;
  readonly #validators: ReadonlyMap<string, ValidateFunction>;

  private constructor({ parts, bundle }: Version, validators: ReadonlyMap<string, ValidateFunction>) {
    this.#parts = parts;
    this.#bundle = bundle;
    this.#validators = validators;
  }

  /** Compiles the definitions of some parts. */
  static async of(version: Version, keys: readonly string[]): Promise<Oracle> {
    const names = keys.flatMap((key) => version.parts.get(key)?.definition ?? []);
    return new Oracle(version, await oracleOf(version.plan, new Set(names), ajv));
  }

  /** Whether this version takes a value as a part; a strict method takes no member that it does not declare. */
  takes(key: string, value: Json): boolean {
    const { definition, strict } = this.#parts.get(key) as Part;
    if (definition === undefined) return isObject(value);
    if (!(this.#validators.get(definition) as ValidateFunction)(value)) return false;
    if (!strict || !isObject(value)) return true;
    const { node } = spotOf(this.#bundle, definition);
    const isMap = node["additionalProperties"] !== undefined;
    return isMap || Object.keys(value).every((name) => Object.hasOwn(node["properties"] as object, name));
  }

  /** Whether what the bundle says by itself is what ajv says; of a strict method, only of what ajv is asked about. */
  agrees(key: string, value: Json): boolean {
    const { definition } = this.#parts.get(key) as Part;
    if (definition === undefined) return true;
    const said = (this.#validators.get(definition) as ValidateFunction)(value);
    return said === takes(spotOf(this.#bundle, definition), value);
  }
}

/** The parts that both versions have and that do not say the same, letter for letter. */
export function changedParts(base: Version, head: Version): string[] {
  return [...base.parts.keys()].filter((key) => {
    const [before, after] = [base.parts.get(key), head.parts.get(key)];
    return after !== undefined && closureOf(base.bundle, before as Part) !== closureOf(head.bundle, after);
  });
}

function closureOf(bundle: Bundle, { definition, strict }: Part): string {
  if (definition === undefined) return "";
  return JSON.stringify([
    definition,
    strict,
    [...reach(bundle, definition)].map((name) => bundle.$defs[name]),
  ]);
}

/** Whether a side sends a value that it takes. */
export function isSentBy(key: string, sender: Version, reader: Version, value: Json): boolean {
  const [ours, theirs] = [sender.parts.get(key) as Part, reader.parts.get(key) as Part];
  return isSent([spotOf(sender.bundle, ours.definition)], [spotOf(reader.bundle, theirs.definition)], value);
}

/** The enumerated values about a part. */
export function enumerated(key: string, base: Version, head: Version): Json[] {
  const spot = ({ bundle, parts }: Version) => [spotOf(bundle, parts.get(key)?.definition)];
  return valuesFor(spot(base), spot(head));
}

/** Drawn values of a definition of a version: by the generated test data, and by the maker of the tests. */
export async function drawn(
  { plan }: Version,
  names: readonly string[],
  { runs, seed }: { readonly runs: number; readonly seed: number },
): Promise<Map<string, Json[]>> {
  const { definitions } = await arbitrariesOf(plan);
  const random = new Random(seed);
  const maker = new ValueMaker(plan.protocol.definitions, random);
  return new Map(
    names.map((name) => {
      const { valid, invalid } = definitions[name] as Samples;
      const values = fc.sample(valid, { numRuns: runs, seed }) as Json[];
      if (invalid !== undefined)
        values.push(...fc.sample(invalid, { numRuns: runs, seed }).map(({ value }) => value as Json));
      const { schema } = plan.protocol.definitions.get(name) as {
        readonly schema: Parameters<ValueMaker["make"]>[0];
      };
      for (let i = 0; i < runs; i++) {
        const made = maker.make(schema);
        values.push(structuredClone(made.value));
        if (mutate(made, random) !== undefined) values.push(made.value);
      }
      // What no text can carry is nothing that a side sends.
      return [name, values.map((value) => JSON.parse(JSON.stringify(value)) as Json)] as const;
    }),
  );
}
