/** Loading generated arbitraries, which import fast-check. */
import type * as fc from "fast-check";
import { emitArbitraries } from "../../codegen/emit/arbitraries/emit.js";
import type { SurfacePlan } from "../../codegen/index.js";
import { loadModule } from "./compile.js";

/** A value that is wrong for one reason, as the generated arbitraries make it. */
export interface Invalid {
  readonly value: unknown;
  readonly instanceLocation: string;
  readonly keyword: string;
}

/** The test data of one definition. */
export interface Samples {
  readonly valid: fc.Arbitrary<unknown>;
  readonly invalid: fc.Arbitrary<Invalid> | undefined;
  readonly reasons: readonly { readonly instanceLocation: string; readonly keyword: string }[];
}

/** What a generated arbitraries module exports. */
export interface Arbitraries {
  readonly definitions: Readonly<Record<string, Samples>>;
  readonly methods: Readonly<Record<string, { readonly params?: Samples; readonly result: Samples }>>;
  readonly requests: Readonly<Record<string, { readonly params?: Samples; readonly result: Samples }>>;
  readonly notifications: Readonly<Record<string, Samples | undefined>>;
}

/** The arbitraries of a plan, loaded from their text; `edit` may poison it. */
export async function arbitrariesOf(
  plan: SurfacePlan,
  edit: (text: string) => string = (text) => text,
): Promise<Arbitraries> {
  const text = edit(emitArbitraries(plan)["arbitraries.js"]!);
  return (await loadGenerated(text)) as Arbitraries;
}

/** A generated module from its text, whether or not it imports fast-check. */
export function loadGenerated(text: string): Promise<unknown> {
  // A module that is only a text has no folder from which a bare name could be found.
  return loadModule(
    text.replace('from "fast-check"', `from ${JSON.stringify(import.meta.resolve("fast-check"))}`),
  );
}
