/**
 * The law that binds the products: a value is accepted by all of them or by none. Each link is a function that
 * reports what breaks it, and counts what it really looked at.
 */
import fc from "fast-check";
import type { Validate, Validators } from "./compile.js";
import type { Arbitraries, Samples } from "./samples.js";

/** What was looked at for one definition. */
export interface Count {
  readonly definition: string;
  valid: number;
  invalid: number;
  /** How many different reasons the invalid values had. */
  reasons: number;
  /** How many reasons there are. */
  known: number;
}

/** What broke, and what was looked at. */
export interface Agreement {
  readonly broken: string[];
  readonly counts: Count[];
}

/** Valid samples pass, after a round trip through JSON; invalid ones are refused for their own reason and no other. */
export function agree(arbitraries: Arbitraries, validators: Validators, runs: number, seed = 1): Agreement {
  const out: Agreement = { broken: [], counts: [] };
  for (const [definition, samples] of Object.entries(arbitraries.definitions)) {
    const validate = validators.definitions[definition];
    if (validate === undefined) out.broken.push(`${definition}: has no validator`);
    else out.counts.push(agreeOn(definition, samples, validate, runs, seed, out.broken));
  }
  for (const definition of Object.keys(validators.definitions)) {
    if (!Object.hasOwn(arbitraries.definitions, definition))
      out.broken.push(`${definition}: has no arbitrary`);
  }
  return out;
}

function agreeOn(
  definition: string,
  samples: Samples,
  validate: Validate,
  runs: number,
  seed: number,
  broken: string[],
): Count {
  const count: Count = { definition, valid: 0, invalid: 0, reasons: 0, known: samples.reasons.length };
  for (const value of fc.sample(samples.valid, { numRuns: runs, seed })) {
    const text = JSON.stringify(value);
    const again = JSON.parse(text) as unknown;
    const violations = validate(again, { all: true });
    if (violations !== null)
      broken.push(`${definition}: refused the valid ${text}: ${JSON.stringify(violations[0])}`);
    else if (JSON.stringify(again) !== text) broken.push(`${definition}: changed by JSON: ${text}`);
    else count.valid++;
  }
  if (samples.invalid === undefined) return count;
  const seen = new Set<string>();
  for (const { value, instanceLocation, keyword } of fc.sample(samples.invalid, { numRuns: runs, seed })) {
    const text = JSON.stringify(value);
    const violations = validate(JSON.parse(text), { all: true }) ?? [];
    const [first] = violations;
    if (
      violations.length === 1 &&
      first!.instanceLocation === instanceLocation &&
      first!.keyword === keyword
    ) {
      count.invalid++;
      seen.add(`${instanceLocation.replace(/\d+/g, "*")} ${keyword}`);
    } else {
      broken.push(
        `${definition}: wants ${keyword} at "${instanceLocation}" of ${text}: got ${JSON.stringify(violations)}`,
      );
    }
  }
  count.reasons = seen.size;
  return count;
}

/** The definitions of which too little was looked at for the law to say anything. */
export function tooFew({ counts }: Agreement, runs: number): string[] {
  return counts
    .filter(({ valid, invalid, known }) => valid < runs || (known > 0 && invalid < runs))
    .map(({ definition }) => definition);
}
