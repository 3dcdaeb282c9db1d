/**
 * The generated modules by which values are drawn and checked: validators and test data of some definitions, made by
 * what makes the products, and loaded once.
 */
import type { Json } from "../../bundle/json.js";
import { CannotEmit } from "../../diagnostics/finding.js";
import { Expressions } from "../../emit/arbitraries/expression.js";
import { PARTS_RUNTIME } from "../../emit/arbitraries/runtime-parts.js";
import { VALUES_RUNTIME } from "../../emit/arbitraries/runtime-values.js";
import { Compiler } from "../../emit/validators/compiler.js";
import { RUNTIME } from "../../emit/validators/runtime.js";
import type { Definition } from "../../model/protocol.js";
import { cycleGroups, reachingCycles } from "../../model/recursion.js";

/** One reason why a value is refused, as generated validators tell it. */
export interface Violation {
  readonly instanceLocation: string;
  readonly keyword: string;
  readonly message: string;
}

/** What was drawn, and why it is less than was asked for. */
export interface Drawn {
  readonly values: readonly Json[];
  readonly problem?: string;
}

interface ValidatorsModule {
  readonly validators: Readonly<
    Record<string, (value: Json, options?: { readonly all: boolean }) => readonly Violation[] | null>
  >;
}

interface SamplesModule {
  readonly valid: (id: string, seed: number, count: number) => Json[] | undefined;
  readonly wrong: (id: string, seed: number, count: number, near: boolean) => Json[];
}

/** Loads the text of a module; it may import fast-check. */
export type Load = (text: string) => Promise<unknown>;

/** Draws and checks values of definitions. */
export class Probe {
  readonly #validators: ValidatorsModule["validators"];
  readonly #samples: SamplesModule;
  readonly #problems: ReadonlyMap<string, string>;
  /** Many changes are of one node, and what is drawn of it is the same. */
  readonly #drawn = new Map<string, Drawn>();

  private constructor(
    { validators }: ValidatorsModule,
    samples: SamplesModule,
    problems: ReadonlyMap<string, string>,
  ) {
    this.#validators = validators;
    this.#samples = samples;
    this.#problems = problems;
  }

  /** Makes and loads the modules of some definitions. */
  static async of(definitions: ReadonlyMap<string, Definition>, load: Load): Promise<Probe> {
    const { text, problems } = samplesText(definitions);
    const validators = (await load(validatorsText(definitions))) as ValidatorsModule;
    return new Probe(validators, (await load(text)) as SamplesModule, problems);
  }

  /** Whether a definition accepts a value. */
  accepts(id: string, value: Json): boolean {
    return this.#validator(id)(value) === null;
  }

  /** All that a definition refuses in a value. */
  violations(id: string, value: Json): readonly Violation[] {
    return this.#validator(id)(value, { all: true }) ?? [];
  }

  #validator(id: string): ValidatorsModule["validators"][string] {
    return this.#validators[id] as ValidatorsModule["validators"][string];
  }

  /** Valid values of a definition. */
  valid(id: string, seed: number, count: number): Drawn {
    return this.#draw(id, `valid ${seed} ${count}`, () => this.#samples.valid(id, seed, count));
  }

  /**
   * Values that a definition refuses, each for one reason, as many of every reason.
   * @param near whether the reason is in the value itself or in a part of it, or else further inside
   */
  wrong(id: string, seed: number, count: number, near: boolean): Drawn {
    return this.#draw(id, `wrong ${seed} ${count} ${near}`, () => this.#samples.wrong(id, seed, count, near));
  }

  #draw(id: string, how: string, draw: () => Json[] | undefined): Drawn {
    const key = `${id} ${how}`;
    let drawn = this.#drawn.get(key);
    if (drawn === undefined) this.#drawn.set(key, (drawn = this.#drawAnew(id, draw)));
    return drawn;
  }

  #drawAnew(id: string, draw: () => Json[] | undefined): Drawn {
    const problem = this.#problems.get(id);
    if (problem !== undefined) return { values: [], problem };
    try {
      const values = draw();
      return values === undefined ? { values: [], problem: "no value is finite" } : { values };
    } catch (error) {
      // A string that is hard to find ends so; what draws it says which.
      return { values: [], problem: (error as Error).message };
    }
  }
}

function validatorsText(definitions: ReadonlyMap<string, Definition>): string {
  const compiler = new Compiler(definitions);
  const functions = compiler.compile();
  const entries = [...definitions.keys()].map(
    (name) => `${name}:(v,o)=>${compiler.verdict(name, "v")}?null:E(${compiler.functionOf(name)},v,o),\n`,
  );
  return `${RUNTIME}${functions}export const validators={\n${entries.join("")}};\n`;
}

/** The module of test data. What cannot be drawn is undefined in it, as values without an end are. */
function samplesText(definitions: ReadonlyMap<string, Definition>): {
  readonly text: string;
  readonly problems: ReadonlyMap<string, string>;
} {
  const groups = cycleGroups(definitions);
  const recursive = reachingCycles(definitions);
  const problems = new Map<string, string>();
  const expressions = new Expressions(
    definitions,
    (name) => `D${name}`,
    (from, to) => groups.get(from) !== undefined && groups.get(from) === groups.get(to),
  );
  let text = `import fc from "fast-check";\n\n${VALUES_RUNTIME}\n${PARTS_RUNTIME}\n`;
  for (const definition of definitions.values()) {
    const { name } = definition;
    let expression = "undefined";
    try {
      expression = expressions.ofDefinition(definition);
    } catch (error) {
      if (!(error instanceof CannotEmit)) throw error;
      problems.set(name, error.message);
    }
    text += `const D${name} = define(${recursive.has(name)}, (d) => ${expression});\n`;
  }
  text += `const generators = {\n${[...definitions.keys()].map((name) => `${name}: D${name},\n`).join("")}};\n`;
  return { text: text + DRAW, problems };
}

const DRAW = `export const valid = (id, seed, numRuns) => {
  const made = generators[id](NESTING);
  return made === undefined ? undefined : fc.sample(made.valid, { seed, numRuns });
};
export const wrong = (id, seed, count, near) => {
  const made = generators[id](NESTING);
  if (made === undefined) return [];
  const ways = made.ways().filter(({ at }) => (at.indexOf("/", 1) === -1) === near);
  // Of many reasons some are left out, evenly.
  const step = Math.max(1, ways.length / count);
  const numRuns = Math.max(1, Math.floor(count / Math.max(1, ways.length)));
  const values = [];
  for (let i = 0; i < ways.length; i += step)
    for (const { value } of fc.sample(ways[Math.floor(i)].make(), { seed, numRuns })) values.push(value);
  return values;
};
`;
