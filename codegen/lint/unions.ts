/** Rules about unions: `open-union-without-catch-all`, `overlapping-union`. */
import { dispatchOf } from "../model/dispatch.js";
import type { Schema } from "../model/protocol.js";
import type { LintContext } from "./context.js";

/** Reports a union in which a value does not select one arm. */
export function lintUnion({ union, pointer }: Schema, { protocol, source, findings }: LintContext): void {
  if (union === undefined) return;
  const dispatch = dispatchOf(union, protocol.definitions);
  if (dispatch.ok) return;
  const rule = dispatch.reason === "no-catch-all" ? "open-union-without-catch-all" : "overlapping-union";
  findings.report(rule, source, `${pointer}/${union.keyword}`, { problem: dispatch.problem });
}
