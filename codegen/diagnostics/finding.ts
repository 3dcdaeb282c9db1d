/**
 * A finding: one rule, broken at one place.
 */
import type { Position, Source } from "../bundle/source.js";
import { type MessageParams, type RuleId, render, rules, type Severity } from "./catalog.js";

/** One broken rule at one place of one file. */
export interface Finding {
  /** Id of the rule; `mspkit explain ID` tells more. */
  readonly rule: RuleId;
  readonly severity: Severity;
  /** What is wrong, for people; programs read `rule` and `params`. */
  readonly message: string;
  /** The named parameters of the message. */
  readonly params: Readonly<Record<string, string | number>>;
  /** JSON Pointer into the file; empty for the file as a whole. */
  readonly instanceLocation: string;
  /** The file as it was named by the caller. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 units. */
  readonly column: number;
}

/** One finding on one line, with its place first, as compilers and editors write it. */
export function findingLine({ file, line, column, severity, rule, message }: Finding): string {
  return `${file}:${line}:${column}: ${severity} ${rule}: ${message}`;
}

/** How rules are to be taken: from the configuration. */
export interface RuleSettings {
  /** A severity of one's own, by rule. */
  readonly severities?: Readonly<Partial<Record<RuleId, Severity | "off">>>;
  /** Places where a rule is known to be broken, with good reason. */
  readonly excuses?: readonly Excuse[];
}

/** One rule is not reported at one place. */
export interface Excuse {
  /** JSON Pointer of the finding that is excused. */
  readonly pointer: string;
  readonly rule: RuleId;
  readonly reason: string;
}

interface Entry {
  readonly rule: RuleId;
  readonly severity: Severity;
  readonly params: Readonly<Record<string, string | number>>;
  readonly pointer: string;
  readonly file: string;
  readonly at: () => Position;
}

/** Collects findings. Where each stands is worked out only when it is told, since that means reading the text again. */
export class Findings {
  readonly #entries: Entry[] = [];
  readonly #settings: RuleSettings;
  readonly #used = new Set<Excuse>();

  constructor(settings: RuleSettings = {}) {
    this.#settings = settings;
  }

  /** Reports a broken rule at a pointer of a source. */
  report<Id extends RuleId>(rule: Id, source: Source, pointer: string, params: MessageParams<Id>): void {
    this.#add(rule, source.path, pointer, () => source.locate(pointer), params);
  }

  /** Reports a broken rule at a place that is not in a parsed source. */
  add<Id extends RuleId>(
    rule: Id,
    file: string,
    pointer: string,
    at: Position,
    params: MessageParams<Id>,
  ): void {
    this.#add(rule, file, pointer, () => at, params);
  }

  #add(rule: RuleId, file: string, pointer: string, at: () => Position, params: Entry["params"]): void {
    const severity = this.#settings.severities?.[rule] ?? rules[rule].severity;
    if (severity === "off") return;
    const excuse = this.#settings.excuses?.find((e) => e.rule === rule && e.pointer === pointer);
    if (excuse !== undefined) this.#used.add(excuse);
    else this.#entries.push({ rule, severity, params, pointer, file, at });
  }

  /** Whether anything of the severity `error` was found. */
  get hasErrors(): boolean {
    return this.count("error") > 0;
  }

  /** How many findings have a severity. */
  count(severity: Severity): number {
    return this.#entries.reduce((n, entry) => n + (entry.severity === severity ? 1 : 0), 0);
  }

  /** The excuses that excused nothing. */
  unusedExcuses(): Excuse[] {
    return (this.#settings.excuses ?? []).filter((excuse) => !this.#used.has(excuse));
  }

  /** The findings in the order of their places, then of their rules. */
  sorted(): Finding[] {
    return this.#entries
      .map(({ rule, severity, params, pointer, file, at }): Finding => {
        const message = render(rule, params as MessageParams<RuleId>);
        return { rule, severity, message, params, instanceLocation: pointer, file, ...at() };
      })
      .sort(
        (a, b) =>
          compare(a.file, b.file) ||
          a.line - b.line ||
          a.column - b.column ||
          compare(a.rule, b.rule) ||
          compare(a.message, b.message),
      );
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The tool's surroundings failed: a file that is not there, a folder that cannot be written. Never a verdict. */
export class TroubleError extends Error {
  /** The path that failed, as it was given. */
  readonly path: string;
  /** What is wrong with it. */
  readonly why: string;
  /** What to do about it, where there is something to say. */
  readonly hint: string | undefined;
  constructor(path: string, why: string, hint?: string) {
    super(`${path}: ${why}`);
    this.name = "TroubleError";
    this.path = path;
    this.why = why;
    this.hint = hint;
  }
}

/** A product cannot be made of a node; the place and the reason become a finding. */
export class CannotEmit extends Error {
  /** JSON Pointer of the node. */
  readonly pointer: string;
  /** The product, once it is known. */
  product = "";
  constructor(pointer: string, problem: string) {
    super(problem);
    this.name = "CannotEmit";
    this.pointer = pointer;
  }
}
