/** Rules about nodes: `required-without-property`, `enum-without-openness`, `integer-without-range`, `missing-description`. */
import type { Annotated, Schema } from "../model/protocol.js";
import type { LintContext } from "./context.js";

/** Reports messages, errors, capabilities and definitions that nobody described. */
export function lintDescriptions({ protocol, source, findings }: LintContext): void {
  const { methods, notifications, requests, errors, capabilities, definitions } = protocol;
  const check = ({ description, pointer }: Annotated): void => {
    if (description === undefined || description.trim() === "")
      findings.report("missing-description", source, pointer, {});
  };
  for (const list of [methods, notifications, requests, errors, capabilities]) list.forEach(check);
  for (const definition of definitions.values()) check(definition);
}

/** Reports what a node says less clearly than it should. */
export function lintNode(node: Schema, { source, findings }: LintContext): void {
  if (node.members !== undefined) {
    for (const { name, declared } of node.members) {
      if (!declared)
        findings.report("required-without-property", source, `${node.pointer}/required`, { name });
    }
  }
  if (node.enum !== undefined && !node.enum.stated) {
    findings.report("enum-without-openness", source, `${node.pointer}/enum`, {});
  }
  const listed = node.enum !== undefined || node.constant !== undefined;
  if (
    !listed &&
    node.types?.includes("integer") &&
    (node.minimum === undefined || node.maximum === undefined)
  ) {
    findings.report("integer-without-range", source, node.pointer, {});
  }
}
