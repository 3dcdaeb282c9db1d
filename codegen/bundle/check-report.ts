/**
 * How the dialect check reports: one way for every kind of thing that can be wrong with a key or a value.
 */
import type { Findings } from "../diagnostics/finding.js";
import type { JsonObject } from "./json.js";
import { MARKS, type Place, type ValueCheck } from "./keywords.js";
import { child } from "./pointer.js";
import type { Source } from "./source.js";
import { didYouMean } from "./suggest.js";

/** Reports on one source. */
export class CheckReport {
  readonly source: Source;
  readonly findings: Findings;

  constructor(source: Source, findings: Findings) {
    this.source = source;
    this.findings = findings;
  }

  /** Handles a mark or a foreign annotation; false when the key is neither. */
  mark(node: JsonObject, key: string, pointer: string, place: Place): boolean {
    if (!key.startsWith("x-")) return false;
    const at = child(pointer, key);
    if (!key.startsWith("x-msp-")) this.findings.report("foreign-annotation", this.source, at, { name: key });
    else if (!Object.hasOwn(MARKS, key)) {
      const params = { mark: key, hint: didYouMean(key, Object.keys(MARKS)) };
      this.findings.report("unknown-mark", this.source, at, params);
    } else if (!MARKS[key]!.on.includes(place)) {
      this.invalid(at, key, `does not belong on ${PLACE_NAMES[place]}`);
    } else this.value(node, key, pointer, MARKS[key]!.check);
    return true;
  }

  extra(
    key: string,
    at: string,
    known: Iterable<string>,
    rule: "unknown-keyword" | "unknown-top-level-key" = "unknown-top-level-key",
  ): void {
    if (Object.hasOwn(MARKS, key)) this.invalid(at, key, "does not belong here");
    else if (key.startsWith("x-msp-")) {
      const params = { mark: key, hint: didYouMean(key, Object.keys(MARKS)) };
      this.findings.report("unknown-mark", this.source, at, params);
    } else if (key.startsWith("x-"))
      this.findings.report("foreign-annotation", this.source, at, { name: key });
    else if (rule === "unknown-keyword") {
      this.findings.report(rule, this.source, at, { keyword: key, hint: didYouMean(key, known) });
    } else this.findings.report(rule, this.source, at, { key, hint: didYouMean(key, known) });
  }

  value(node: JsonObject, key: string, pointer: string, check: ValueCheck): boolean {
    const value = node[key];
    const problem = value === undefined ? undefined : check(value);
    if (problem !== undefined) this.invalid(child(pointer, key), key, problem);
    return problem === undefined;
  }

  invalid(at: string, keyword: string, problem: string): void {
    this.findings.report("invalid-value", this.source, at, { keyword, problem });
  }
}

const PLACE_NAMES: Readonly<Record<Place, string>> = {
  definition: "a definition",
  member: "a member",
  inner: "this node",
  method: "a method",
  notification: "a notification",
  request: "a server request",
  error: "an error",
};
