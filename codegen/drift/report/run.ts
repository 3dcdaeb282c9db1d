/** What the reports of a drift are made from, and what they say alike. */
import type { Finding } from "../../diagnostics/finding.js";
import type { AnnotatedPlace } from "../../diagnostics/workflow-command.js";
import { visible } from "../../emit/reference/markdown.js";
import type { Acknowledgment } from "../acknowledgments.js";
import { type Change, type Drift, PAIRINGS, type Pairing, VERDICTS, type Verdict } from "../change.js";
import type { GateResult } from "../gate.js";
import { driftRules } from "../rules.js";

/** Where something stands that one of the two bundles has, or had: in whose file, at which line and column. */
export type Places = (pointer: string, side: Change["side"]) => AnnotatedPlace;

/** One base held against the head. */
export interface Comparison {
  /** The two versions as the user named them. */
  readonly base: string;
  readonly head: string;
  readonly drift: Drift;
  /** Absent where nothing is judged: then no change fails. */
  readonly gate?: GateResult;
  /** The release that `head` may be at the earliest; absent where the release of `base` is not known. */
  readonly nextVersion?: string;
  readonly places: Places;
}

/** One run: each base, and what is wrong beside the changes (acknowledgments, a roll-back). */
export interface DriftRun {
  readonly comparisons: readonly Comparison[];
  readonly findings: readonly Finding[];
}

/** How a change stands before the gate. `told`: it needs no acknowledgment, or nothing is judged. */
export type Standing =
  | { readonly is: "told" | "failing" }
  | { readonly is: "acknowledged"; readonly acknowledgment: Acknowledgment }
  | { readonly is: "without window"; readonly acknowledgment: Acknowledgment; readonly problem: string };

/** How each change of a comparison stands. */
export function standings(gate: GateResult | undefined): (change: Change) => Standing {
  const known = new Map<Change, Standing>();
  for (const change of gate?.failing ?? []) known.set(change, { is: "failing" });
  for (const { change, acknowledgment } of gate?.acknowledged ?? [])
    known.set(change, { is: "acknowledged", acknowledgment });
  for (const { change, acknowledgment, problem } of gate?.withoutWindow ?? [])
    known.set(change, { is: "without window", acknowledgment, problem });
  return (change) => known.get(change) ?? { is: "told" };
}

/** Whether a change in such a standing makes the run fail. */
export function fails({ is }: Standing): boolean {
  return is === "failing" || is === "without window";
}

/** A pairing in words. */
export function pairingWords(pairing: Pairing, { base, head }: Pick<Comparison, "base" | "head">): string {
  return pairing === "old-client-new-host"
    ? `clients of ${base} with hosts of ${head}`
    : `clients of ${head} with hosts of ${base}`;
}

/** What a change is besides its verdict: `experimental`, `promoted`. */
export function marksOf({ surface, moved }: Change): string[] {
  return [...(surface === "experimental" ? [surface] : []), ...(moved === undefined ? [] : [moved])];
}

/** A change in one sentence on one line, with what it is about before it. */
export function sentence(change: Change): string {
  const marks = marksOf(change);
  return `${visible(change.subject)}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}: ${driftRules[change.rule].purpose}`;
}

/** Why a change has its verdict, what shows it, and how it stands; a text on each line. */
export function explanation(
  change: Change,
  standing: Standing,
  names: Pick<Comparison, "base" | "head">,
): string[] {
  const lines: string[] = [];
  for (const pairing of PAIRINGS) {
    const { verdict, reason } = change.pairings[pairing];
    if (verdict === "none") continue;
    const accepted = change.evidence?.accepted[pairing];
    const count = accepted === undefined ? "" : ` (${accepted} values sent and accepted)`;
    lines.push(`${pairingWords(pairing, names)}: ${verdict}: ${reason}${count}`);
  }
  if (tellsDisagreement(change))
    lines.push(`rule and evidence disagree: ${change.evidence?.disagreement ?? ""}`);
  if (change.witness !== undefined) lines.push(...witnessLines(change.witness));
  if (standing.is === "failing") lines.push(`not acknowledged: ${change.id}`);
  if (standing.is === "acknowledged" || standing.is === "without window") {
    const { release, reason, issue, acts } = standing.acknowledgment;
    const who =
      acts === "both" ? "clients and hosts act" : `${acts} ${acts === "nobody" ? "has to act" : "act"}`;
    lines.push(`acknowledged for ${release} (${issue}; ${who}): ${reason.trim()}`);
  }
  if (standing.is === "without window") lines.push(`fails all the same: ${standing.problem}`);
  return lines.map(visible);
}

/** Whether the evidence disagrees with the rule in words that no pairing has for its reason. */
export function tellsDisagreement({ evidence, pairings }: Change): boolean {
  const text = evidence?.disagreement;
  return text !== undefined && PAIRINGS.every((pairing) => pairings[pairing].reason !== text);
}

function witnessLines({ sender, use, value, refusal }: NonNullable<Change["witness"]>): string[] {
  const { keyword, instanceLocation, message } = refusal;
  const at = instanceLocation === "" ? "" : ` at ${instanceLocation}`;
  return [
    `the ${sender} sends, as ${use.part} of ${use.message}: ${JSON.stringify(value)}`,
    `refused${at} by ${keyword}: ${message}`,
  ];
}

/** How many stable changes have each verdict, how many fail and are acknowledged, and the rest. */
export interface Counts {
  readonly stable: Readonly<Record<Verdict, number>>;
  readonly experimental: number;
  readonly acknowledged: number;
  readonly failing: number;
}

/** The counts of a comparison. */
export function countsOf({ drift, gate }: Pick<Comparison, "drift" | "gate">): Counts {
  const standing = standings(gate);
  const stable = drift.changes.filter(({ surface }) => surface === "stable");
  const of = (verdict: Verdict): number => stable.filter((change) => change.verdict === verdict).length;
  return {
    stable: { none: of("none"), additive: of("additive"), unknown: of("unknown"), breaking: of("breaking") },
    experimental: drift.changes.length - stable.length,
    acknowledged: drift.changes.filter((change) => standing(change).is === "acknowledged").length,
    failing: drift.changes.filter((change) => fails(standing(change))).length,
  };
}

/** The counts in words, and what the next version is. */
export function summary(comparison: Comparison): string {
  const { stable, experimental, acknowledged, failing } = countsOf(comparison);
  const { base, head, drift, gate, nextVersion } = comparison;
  const told =
    drift.changes.length === 0
      ? ["no change"]
      : [...VERDICTS]
          .reverse()
          .map((verdict) => `${stable[verdict]} ${verdict === "none" ? "without effect" : verdict}`);
  if (experimental > 0) told.push(`${experimental} experimental`);
  if (gate !== undefined && failing + acknowledged > 0)
    told.push(`${failing} ${failing === 1 ? "fails" : "fail"}, ${acknowledged} acknowledged`);
  if (nextVersion !== undefined) told.push(`next version: ${nextVersion}`);
  return `${base} to ${head}: ${told.join(", ")}`;
}

/** Two changes that may be one, in words. */
export function hintWords({ from, to }: Drift["hints"][number]): string {
  return visible(`${to} may be ${from} under another name`);
}
