/** A drift as annotations of a GitHub workflow. */
import {
  type AnnotationLevel,
  findingAnnotation,
  workflowCommand,
} from "../../diagnostics/workflow-command.js";
import type { Change } from "../change.js";
import { needsAcknowledgment } from "../gate.js";
import {
  type Comparison,
  type DriftRun,
  explanation,
  fails,
  hintWords,
  type Standing,
  sentence,
  standings,
  summary,
} from "./run.js";

/**
 * An error for each change that fails; a warning for one that breaks or may, and does not; a notice for any other that
 * a peer can see. The last notice of a comparison has the counts.
 */
export function githubActionsReport({ comparisons, findings }: DriftRun): string {
  return [...comparisons.flatMap(annotations), ...findings.map(findingAnnotation), ""].join("\n");
}

function annotations(comparison: Comparison): string[] {
  const { drift, gate, places } = comparison;
  const standing = standings(gate);
  const told = drift.changes.filter((change) => change.verdict !== "none");
  return [
    ...told.map((change) => {
      const lines = [sentence(change), ...explanation(change, standing(change), comparison)];
      const title = `${change.verdict} ${change.rule}`;
      return workflowCommand(
        levelOf(change, standing(change)),
        places(change.pointer, change.side),
        title,
        lines.join("\n"),
      );
    }),
    ...drift.hints.map((hint) => workflowCommand("notice", places(hint.to, "head"), "hint", hintWords(hint))),
    workflowCommand("notice", places("", "head"), "drift", summary(comparison)),
  ];
}

function levelOf(change: Change, standing: Standing): AnnotationLevel {
  if (fails(standing)) return "error";
  return needsAcknowledgment(change) ? "warning" : "notice";
}
