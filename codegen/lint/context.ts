/** What every lint rule gets. */
import type { Source } from "../bundle/source.js";
import type { Findings } from "../diagnostics/finding.js";
import type { Protocol } from "../model/protocol.js";

/** The whole protocol (not a projection), where it stands, and where findings go. */
export interface LintContext {
  readonly protocol: Protocol;
  readonly source: Source;
  readonly findings: Findings;
}
