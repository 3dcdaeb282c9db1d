/** The rule `name-clash`. */
import { exportedNames } from "../plan/exports.js";
import type { LintContext } from "./context.js";

/** Reports definitions that would share a name in generated code. */
export function lintNames({ protocol, source, findings }: LintContext): void {
  const byIdentifier = new Map<string, { readonly name: string; readonly pointer: string }[]>();
  for (const { identifier, name, pointer } of exportedNames(protocol)) {
    const list = byIdentifier.get(identifier);
    if (list === undefined) byIdentifier.set(identifier, [{ name, pointer }]);
    else list.push({ name, pointer });
  }
  for (const [identifier, list] of byIdentifier) {
    if (list.length < 2) continue;
    for (const { name, pointer } of list) {
      const others = list.filter((other) => other.pointer !== pointer).map((other) => `"${other.name}"`);
      findings.report("name-clash", source, pointer, { name, identifier, others: others.join(", ") });
    }
  }
}
