/** From two loaded schemas to all that changed between them: compare, try, judge. */
import { DISK, type Files } from "../bundle/files.js";
import { compareNames } from "../bundle/pointer.js";
import { Findings, type RuleSettings } from "../diagnostics/finding.js";
import { digestsFor } from "../fingerprint/fingerprint.js";
import { type Loaded, loadSchema, loadSchemaText, stableFingerprint } from "../load.js";
import { project } from "../model/project.js";
import type { Protocol } from "../model/protocol.js";
import type { Change, Difference, Drift, Evidence, Witness } from "./change.js";
import { compareSurfaces } from "./compare/compare.js";
import { evidenceFor } from "./evidence/evidence.js";
import { hintsOf } from "./hints.js";
import { isAbout, refusedByOptIn, withoutOptIn } from "./opt-in.js";
import { unmarked } from "./unmarked.js";
import { changeOf, idOf, type Known } from "./verdict.js";

/** How two versions are compared. */
export interface DriftOptions {
  /** Tries each change. Absent: nothing is tried, what the rules say is taken as it is. */
  readonly evidence?: {
    /** Runs the text of a generated module; `fast-check` is the only thing that one imports. */
    readonly load: (text: string) => Promise<unknown>;
    /** Values for each node and way. Default: 100. */
    readonly runs?: number;
    /** Chooses the values. Default: 1. */
    readonly seed?: number;
  };
}

/** Keywords that the dialect does not have are for the comparison to tell of: no error. */
function tolerant(rules: RuleSettings): RuleSettings {
  return { ...rules, severities: { ...rules.severities, "unknown-keyword": "warning" } };
}

/**
 * Loads a schema for a comparison. What else is wrong with it is in the findings; then nothing is given.
 * @param rules how the other rules are taken
 * @param files where its files are; the disk by default
 * @throws {TroubleError} when a file cannot be read
 */
export function loadForDrift(
  path: string,
  rules: RuleSettings = {},
  files: Files = DISK,
): { readonly loaded: Loaded | undefined; readonly findings: Findings } {
  const findings = new Findings(tolerant(rules));
  return { loaded: loadSchema(path, findings, files), findings };
}

/** The same for a text; `path` names it in findings. */
export function loadTextForDrift(
  text: string,
  path: string,
): { readonly loaded: Loaded | undefined; readonly findings: Findings } {
  const findings = new Findings(tolerant({}));
  return { loaded: loadSchemaText(text, path, findings), findings };
}

/** All that changed from one version of a protocol to another. */
export async function driftOf(base: Loaded, head: Loaded, options: DriftOptions = {}): Promise<Drift> {
  const fingerprints = { base: stableFingerprint(base), head: stableFingerprint(head) };
  const marks = saysTreatment(base) === saysTreatment(head);
  const side = (loaded: Loaded, protocol: Protocol) => ({ protocol, root: loaded.bundle.root });
  const compare = (of: (protocol: Protocol) => Protocol): Compared => {
    const [b, h] = [of(base.protocol), of(head.protocol)];
    // What a surface shares with the stable one has its digest from there.
    digestsFor(b, project(base.protocol, "stable"));
    digestsFor(h, project(head.protocol, "stable"));
    return { base: b, head: h, differences: unique(compareSurfaces(side(base, b), side(head, h), marks)) };
  };
  const stable = compare((protocol) => project(protocol, "stable"));
  const whole = compare(unmarked);
  const inStable = new Set(stable.differences.map(placeOf));
  const inWhole = new Set(whole.differences.map(placeOf));
  const only = { ...whole, differences: whole.differences.filter((one) => !inStable.has(placeOf(one))) };
  const moved = (one: Difference): Pick<Known, "moved"> => {
    if (one.kind === "changed" || inWhole.has(placeOf(one))) return {};
    return { moved: one.kind === "added" ? "promoted" : "demoted" };
  };
  const { evidence } = options;
  const refusals =
    evidence === undefined
      ? new Map<Difference, Witness>()
      : await optInRefusals(stable, moved, evidence, ({ protocol }) =>
          compareSurfaces(side(base, stable.base), side(base, protocol), marks),
        );
  const changes = [
    ...(await judged(stable, options, (one) => ({ surface: "stable", ...moved(one) }), refusals)),
    ...(await judged(only, options, () => ({ surface: "experimental" }))),
  ];
  return {
    changes,
    hints: hintsOf([...stable.differences, ...only.differences], base.protocol, head.protocol),
    fingerprints,
  };
}

interface Compared {
  readonly base: Protocol;
  readonly head: Protocol;
  readonly differences: readonly Difference[];
}

/** A message for each thing that went behind the opt-in and that a client sends without it. */
async function optInRefusals(
  { base, differences }: Compared,
  moved: (difference: Difference) => Pick<Known, "moved">,
  how: NonNullable<DriftOptions["evidence"]>,
  compareWith: (gated: { readonly protocol: Protocol }) => readonly Difference[],
): Promise<Map<Difference, Witness>> {
  const demoted = differences.filter(
    (one) => one.pair?.via.client !== undefined && moved(one).moved === "demoted",
  );
  const found = new Map<Difference, Witness>();
  if (demoted.length === 0) return found;
  const protocol = withoutOptIn(base, demoted);
  const shown = compareWith({ protocol });
  const evidence = await evidenceFor(shown, base, protocol, how);
  for (const one of demoted)
    for (const other of shown) {
      const witness = evidence.get(other)?.witnesses["old-client-new-host"];
      if (witness?.sender === "client" && isAbout(one, other)) found.set(one, refusedByOptIn(witness));
    }
  return found;
}

async function judged(
  { base, head, differences }: Compared,
  { evidence: how }: DriftOptions,
  known: (difference: Difference) => Known,
  refusals?: ReadonlyMap<Difference, Witness>,
): Promise<Change[]> {
  const evidence = how === undefined ? undefined : await evidenceFor(differences, base, head, how);
  return differences
    .map((difference) => {
      const found = withRefusal(evidence?.get(difference), refusals?.get(difference));
      return changeOf(difference, {
        ...known(difference),
        ...(found === undefined ? {} : { evidence: found }),
      });
    })
    .sort(
      (a, b) =>
        compareNames(a.pointer, b.pointer) || compareNames(a.rule, b.rule) || compareNames(a.id, b.id),
    );
}

function withRefusal(evidence: Evidence | undefined, witness: Witness | undefined): Evidence | undefined {
  if (evidence === undefined || witness === undefined) return evidence;
  // What the schema of the host refuses needs no opt-in to be refused.
  return { ...evidence, witnesses: { "old-client-new-host": witness, ...evidence.witnesses } };
}

/** What two ways of coming to a node tell alike is told once; a way by which messages come counts more. */
function unique(differences: readonly Difference[]): Difference[] {
  const byId = new Map<string, Difference>();
  for (const difference of differences) {
    const id = idOf(difference);
    const other = byId.get(id);
    if (other === undefined || (other.pair?.uses.length ?? 0) < (difference.pair?.uses.length ?? 0))
      byId.set(id, difference);
  }
  return [...byId.values()];
}

function placeOf({ rule, pointer, before, after }: Difference): string {
  // A listed word has no place of its own.
  return JSON.stringify([rule, pointer, rule.startsWith("value-") ? [before ?? null, after ?? null] : []]);
}

/** Whether a bundle has marks that say how messages are treated; the owners' have none. */
function saysTreatment({ bundle }: Loaded): boolean {
  return /"x-msp-(?:kind|command-id|record|strict|withheld|direction|scope|protected)"/.test(
    bundle.source.text,
  );
}
