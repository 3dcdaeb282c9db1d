/**
 * What a drift may pass: stable changes that break, or cannot be proved not to, are acknowledged one by one; what is
 * acknowledged was made; and from 1.0.0 on nothing goes without having been announced.
 */
import { type Json, jsonEqual } from "../bundle/json.js";
import type { Source } from "../bundle/source.js";
import type { Findings } from "../diagnostics/finding.js";
import type { Acknowledgment, Acknowledgments, Deprecation } from "./acknowledgments.js";
import type { Change, Drift } from "./change.js";
import type { DriftRuleId } from "./rules.js";
import { compareReleases } from "./version.js";

/** What the gate has to know besides. */
export interface GateOptions {
  /** The release of `base`; absent where it is not known: windows are not asked for then. */
  readonly release?: string;
  /**
   * Whether `base` or `head` has what a deprecation names (`isWritten` says it of one source); without it no
   * deprecation is called idle.
   */
  readonly has?: (pointer: string, value?: Json) => boolean;
}

/** A change and what acknowledges it. */
export interface Acknowledged {
  readonly change: Change;
  readonly acknowledgment: Acknowledgment;
}

/** A member of an acknowledgment that is not as the change is. */
export interface Mistaken extends Acknowledged {
  readonly member: "pointer" | "rule" | "release";
  readonly expected: string;
}

/** An acknowledged removal that was not announced in time. */
export interface WithoutWindow extends Acknowledged {
  readonly problem: string;
}

/** What the gate says of one drift. */
export interface GateResult {
  /** The release of `base`, where it is known. */
  readonly release?: string;
  /** Stable changes that break or are unknown, and that nothing acknowledges. */
  readonly failing: readonly Change[];
  /** Such changes that pass, being acknowledged. */
  readonly acknowledged: readonly Acknowledged[];
  /** Acknowledged removals from a release of 1.0.0 or later that fail all the same. */
  readonly withoutWindow: readonly WithoutWindow[];
  readonly mistaken: readonly Mistaken[];
  /** Acknowledgments that match no change. */
  readonly stale: readonly Acknowledgment[];
  /** Deprecations of what neither version has. */
  readonly idle: readonly Deprecation[];
}

/** Rules of removal by which nobody loses anything that could be announced: a restriction is gone. */
const FREEING: ReadonlySet<DriftRuleId> = new Set<DriftRuleId>(["dependency-removed", "pattern-removed"]);

/** Whether a change takes away something that an earlier release may have announced to go. */
export function isRemoval({ rule, moved }: Pick<Change, "rule" | "moved">): boolean {
  return moved === "demoted" || (rule.endsWith("-removed") && !FREEING.has(rule));
}

/** Whether a change fails where nothing acknowledges it. */
export function needsAcknowledgment({ surface, verdict }: Pick<Change, "surface" | "verdict">): boolean {
  return surface === "stable" && (verdict === "breaking" || verdict === "unknown");
}

/**
 * Holds a drift against what is acknowledged.
 * @throws {RangeError} where the release of the options is none
 */
export function gate(drift: Drift, file: Acknowledgments, options: GateOptions = {}): GateResult {
  const { release, has } = options;
  const byId = new Map(file.acknowledgments.map((one) => [one.change, one]));
  const made = new Set<string>();
  const failing: Change[] = [];
  const acknowledged: Acknowledged[] = [];
  const withoutWindow: WithoutWindow[] = [];
  const mistaken: Mistaken[] = [];
  for (const change of drift.changes) {
    const acknowledgment = byId.get(change.id);
    if (acknowledgment === undefined) {
      if (needsAcknowledgment(change)) failing.push(change);
      continue;
    }
    // Of changes with one id the first is told of: their pointers and rules are the same.
    if (!made.has(change.id)) mistaken.push(...mistakes({ change, acknowledgment }, release));
    made.add(change.id);
    if (!needsAcknowledgment(change)) continue;
    const problem = windowProblem({ change, acknowledgment }, file.deprecations, release);
    if (problem === undefined) acknowledged.push({ change, acknowledgment });
    else withoutWindow.push({ change, acknowledgment, problem });
  }
  return {
    ...(release === undefined ? {} : { release }),
    failing,
    acknowledged,
    withoutWindow,
    mistaken,
    stale: file.acknowledgments.filter(({ change }) => !made.has(change)),
    idle: has === undefined ? [] : file.deprecations.filter(({ pointer, value }) => !has(pointer, value)),
  };
}

/** What an acknowledgment says otherwise than the change that it names. */
function mistakes({ change, acknowledgment }: Acknowledged, release: string | undefined): Mistaken[] {
  const found: Mistaken[] = [];
  for (const member of ["pointer", "rule"] as const)
    if (acknowledgment[member] !== change[member])
      found.push({ change, acknowledgment, member, expected: change[member] });
  if (release !== undefined && compareReleases(acknowledgment.release, release) <= 0)
    found.push({ change, acknowledgment, member: "release", expected: `later than ${release}` });
  return found;
}

/** Why an acknowledged removal fails all the same; undefined where it may be made, or is none. */
function windowProblem(
  { change, acknowledgment }: Acknowledged,
  deprecations: readonly Deprecation[],
  release: string | undefined,
): string | undefined {
  if (!isRemoval(change) || release === undefined || compareReleases(release, "1.0.0") < 0) return undefined;
  const announced = deprecations.find((one) => announces(one, change));
  if (announced === undefined) return "no deprecation announces it";
  const { firstNoticed, removableFrom } = announced;
  if (compareReleases(firstNoticed, release) > 0) return `it was first noticed in ${firstNoticed}, later`;
  if (compareReleases(acknowledgment.release, removableFrom) < 0)
    return `it may go from ${removableFrom} on, not in ${acknowledgment.release}`;
  return undefined;
}

/** Rules by which one of several things goes that stand at one pointer. */
const ONE_OF_SEVERAL: ReadonlySet<DriftRuleId> = new Set<DriftRuleId>([
  "value-removed",
  "arm-removed",
  "type-removed",
]);

/** Whether a deprecation is of what a removal took away. */
export function announces({ pointer, value }: Deprecation, { pointer: gone, rule, before }: Change): boolean {
  if (pointer !== gone) return false;
  return value === undefined ? !ONE_OF_SEVERAL.has(rule) : before !== undefined && jsonEqual(value, before);
}

/** What several drifts of one head come to: each may have its own base. */
export interface GateTotal {
  /** Acknowledgments that match no change of any of them. */
  readonly stale: readonly Acknowledgment[];
  /** Deprecations of what none of the versions has. */
  readonly idle: readonly Deprecation[];
  readonly passes: boolean;
}

/** Puts the results of several bases together; they are of one acknowledgments file. */
export function totalOf(results: readonly GateResult[]): GateTotal {
  const inAll = <T>(of: (result: GateResult) => readonly T[]): T[] => {
    const [first, ...rest] = results.map(of);
    return (first ?? []).filter((one) => rest.every((list) => list.includes(one)));
  };
  const stale = inAll((result) => result.stale);
  const idle = inAll((result) => result.idle);
  const clean = ({ failing, withoutWindow, mistaken }: GateResult): boolean =>
    failing.length + withoutWindow.length + mistaken.length === 0;
  return { stale, idle, passes: stale.length === 0 && idle.length === 0 && results.every(clean) };
}

/** Reports what is wrong with the acknowledgments, with its place in their file. Failing changes are no findings. */
export function reportAcknowledgments(
  results: readonly GateResult[],
  file: Acknowledgments,
  source: Source,
  findings: Findings,
): void {
  const at = (one: Acknowledgment): string => `/acknowledgments/${file.acknowledgments.indexOf(one)}`;
  const { stale, idle } = totalOf(results);
  for (const one of stale) {
    const { change, pointer } = one;
    findings.report("stale-acknowledgment", source, at(one), { change, pointer });
  }
  for (const one of idle)
    findings.report("idle-deprecation", source, `/deprecations/${file.deprecations.indexOf(one)}/pointer`, {
      pointer: one.pointer,
    });
  const told = new Set<string>();
  for (const { mistaken, withoutWindow, release } of results) {
    for (const { change, acknowledgment, member, expected } of mistaken) {
      const pointer = `${at(acknowledgment)}/${member}`;
      if (told.has(`${pointer} ${expected}`)) continue;
      told.add(`${pointer} ${expected}`);
      const params = { member, found: `"${acknowledgment[member]}"`, change: change.id, expected };
      findings.report("mistaken-acknowledgment", source, pointer, params);
    }
    for (const { change, acknowledgment, problem } of withoutWindow) {
      const params = { pointer: change.pointer, base: release ?? "", problem };
      findings.report("removal-without-window", source, at(acknowledgment), params);
    }
  }
}
