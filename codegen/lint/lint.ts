/**
 * Checks of meaning, over the model. Each rule is a function of its own; this is their list.
 */
import { forEachSchema } from "../model/protocol.js";
import type { LintContext } from "./context.js";
import { lintCapability, lintMethods } from "./methods.js";
import { lintNames } from "./names.js";
import { lintReferences } from "./references.js";
import { lintDescriptions, lintNode } from "./schemas.js";
import { lintStability } from "./stability.js";
import { lintUnion } from "./unions.js";

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
