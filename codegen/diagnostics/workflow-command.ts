/** Annotations of a GitHub workflow: the commands that it reads from what a step prints. */

import type { Finding } from "./finding.js";

/** How an annotation is shown. */
export type AnnotationLevel = "error" | "warning" | "notice";

/** A place in a file; line and column are 1-based. */
export interface AnnotatedPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One workflow command on one line, without a line feed. */
export function workflowCommand(
  level: AnnotationLevel,
  { file, line, column }: AnnotatedPlace,
  title: string,
  text: string,
): string {
  return `::${level} file=${property(file)},line=${line},col=${column},title=${property(title)}::${data(text)}`;
}

/** The annotation of a finding. */
export function findingAnnotation({ severity, rule, message, ...place }: Finding): string {
  return workflowCommand(severity === "note" ? "notice" : severity, place, rule, message);
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
