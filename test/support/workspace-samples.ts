/** Values that the workspace bundle allows, by their methods. */
import * as fc from "fast-check";
import { methods } from "../../generated/workspace/stable/arbitraries.js";
import type { JsonObject } from "../../src/commands/app.js";

/** Some params or results of a method. The same seed gives the same. */
export function samplesOf(
  method: string,
  part: "params" | "result",
  numRuns: number,
  seed: number,
): JsonObject[] {
  const { valid } = methods[method as keyof typeof methods][part];
  return fc.sample(valid as fc.Arbitrary<unknown>, { numRuns, seed }) as JsonObject[];
}
