/** From definitions alone to their validators. */
import type { RuleSettings } from "../../../../codegen/index.js";
import { bundleOf, planOf, type Validators, validatorsOf } from "../../../support/compile.js";

/** The validators of some definitions, by name; rules that are errors may be turned off. */
export async function definitionsOf(
  defs: unknown,
  severities: NonNullable<RuleSettings["severities"]> = {},
): Promise<Validators["definitions"]> {
  return (await validatorsOf(planOf(bundleOf(defs), "experimental", { severities }))).definitions;
}
