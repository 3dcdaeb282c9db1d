/**
 * Params of methods, drawn in bulk: fast-check makes them, which is what takes time, so each is used a few times, each
 * time with other ids and other members left out.
 */
import fc from "fast-check";
import { methods as arbitraries } from "../../../generated/msp/experimental/arbitraries.js";
import { methods as rows } from "../../../generated/msp/experimental/tables.js";
import { mspModel } from "../coverage/model.js";
import type { Random } from "../random.js";

/** Params with one thing wrong. */
export interface NearMiss {
  readonly value: unknown;
  readonly why: string;
}

interface Samples {
  readonly valid: fc.Arbitrary<unknown>;
  readonly invalid: fc.Arbitrary<{
    readonly value: unknown;
    readonly instanceLocation: string;
    readonly keyword: string;
  }> | null;
}

/** Values of each method. */
const DRAWN = 64;

/** What is known of the params of a method. */
export interface MethodShape {
  readonly name: string;
  /** Members that are bounded, with the values at their bounds and just beyond. */
  readonly bounds: readonly { readonly member: string; readonly values: readonly number[] }[];
  /** Members that may be left out. */
  readonly optional: readonly string[];
  /** Whether the method takes params. */
  readonly takesParams: boolean;
  /** Whether there is a way for its params to be wrong. */
  readonly canMiss: boolean;
}

const all: Readonly<Record<string, { readonly params: Samples | undefined }>> = arbitraries as never;

/** All methods of the surface but the handshake. */
export const SHAPES: ReadonlyMap<string, MethodShape> = new Map(
  Object.keys(rows).map((name) => [name, shapeOf(name)]),
);

function shapeOf(name: string): MethodShape {
  const { methods, definitions } = mspModel();
  const params = methods[name]?.params;
  const members = (params === undefined ? undefined : definitions[params])?.members ?? [];
  const optional = members.flatMap((member) => (member.required ? [] : [member.name]));
  const bounds = members.flatMap(({ name: member, schema: { minimum, maximum } }) => {
    const values = [
      ...(minimum === undefined ? [] : [minimum, minimum - 1]),
      ...(maximum === undefined ? [] : [maximum, maximum + 1]),
    ];
    return values.length === 0 ? [] : [{ member, values }];
  });
  const samples = all[name]?.params;
  return { name, bounds, optional, takesParams: params !== undefined, canMiss: samples?.invalid != null };
}

/** Params of all methods, drawn by a seed when they are first wanted. Which are taken is left to who takes them. */
export class Pools {
  readonly #seed: number;
  readonly #valid = new Map<string, readonly unknown[]>();
  readonly #invalid = new Map<string, readonly NearMiss[]>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Params that the schema allows; undefined where the method takes none. Not to be changed. */
  valid(method: string, random: Random): unknown {
    const samples = all[method]?.params;
    if (samples === undefined) return undefined;
    return random.pick(once(this.#valid, method, () => fc.sample(samples.valid, this.#parameters())));
  }

  /** Params with one thing wrong; undefined where nothing can be. */
  invalid(method: string, random: Random): NearMiss | undefined {
    const invalid = all[method]?.params?.invalid;
    if (invalid == null) return undefined;
    const draw = (): readonly NearMiss[] =>
      fc.sample(invalid, this.#parameters()).map(({ value, instanceLocation, keyword }) => ({
        value,
        why: `${instanceLocation || "the params"}, ${keyword}`,
      }));
    return random.pick(once(this.#invalid, method, draw));
  }

  #parameters(): { seed: number; numRuns: number } {
    return { seed: this.#seed | 0, numRuns: DRAWN };
  }
}

function once<T>(drawn: Map<string, readonly T[]>, method: string, draw: () => readonly T[]): readonly T[] {
  let values = drawn.get(method);
  if (values === undefined) {
    values = draw();
    drawn.set(method, values);
  }
  return values;
}
