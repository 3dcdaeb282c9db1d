/**
 * Checks of meaning, over the model. Each rule is a function of its own; this is their list.
 */
import type { Source } from "../bundle/source.js";
import type { Findings } from "../diagnostics/finding.js";
import type { Protocol } from "../model/protocol.js";
import { forEachSchema } from "../model/protocol.js";
import { lintCapability, lintMethods } from "./methods.js";
import { lintNames } from "./names.js";
import { lintReferences } from "./references.js";
import { lintDescriptions, lintNode } from "./schemas.js";
import { lintStability } from "./stability.js";
import { lintUnion } from "./unions.js";

/** What a lint function gets. */
export interface LintContext {
  readonly protocol: Protocol;
  readonly source: Source;
  readonly findings: Findings;
}

/** Reports every broken rule of a whole protocol (not of a projection). */
export function lint(context: LintContext): void {
  // A definition that is only itself would send the others round in circles.
  if (!lintReferences(context)) return;
  lintStability(context);
  lintNames(context);
  lintMethods(context);
  lintDescriptions(context);
  for (const { schema } of context.protocol.definitions.values()) {
    forEachSchema(schema, (node) => {
      lintUnion(node, context);
      lintCapability(node, context);
      lintNode(node, context);
    });
  }
}
