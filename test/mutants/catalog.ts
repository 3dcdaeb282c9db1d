/** All mutants. */
import { commandMutants } from "./list/commands.js";
import { durabilityMutants } from "./list/durability.js";
import { turnMutants } from "./list/turns.js";
import { viewMutants } from "./list/view.js";
import type { Mutant } from "./mutant.js";

/** See the top of the file. */
export const mutants: readonly Mutant[] = [
  ...commandMutants,
  ...durabilityMutants,
  ...turnMutants,
  ...viewMutants,
];
