/**
 * The law of the drift gate: what it says of an edited bundle is what values show, as ajv judges them, and what is
 * known of the edit.
 */
import {
  type Change,
  type Drift,
  PAIRINGS,
  type Pairing,
  type Use,
  type Verdict,
  type Way,
  worst,
} from "../../../../codegen/drift/change.js";
import type { DriftOptions } from "../../../../codegen/drift/drift.js";
import { Findings, type Json, type Loaded, loadSchemaText } from "../../../../codegen/index.js";
import { loadGenerated } from "../../../support/samples.js";
import { type Bundle, textOfBundle } from "./bundle.js";
import { edited, type Site } from "./edits/edit.js";
import {
  changedParts,
  drawn,
  enumerated,
  isSentBy,
  keyOf,
  Oracle,
  type Version,
  versionOf,
} from "./sides.js";

/** What is tried: the gate, or a mutant of it. */
export type DriftOf = (base: Loaded, head: Loaded, options?: DriftOptions) => Promise<Drift>;

/** One case. */
export interface Case {
  readonly base: Bundle;
  /** The names of the edits, for people. */
  readonly edits: readonly string[];
  readonly sites: readonly Site[];
}

/** What was really looked at. */
export interface Counts {
  cases: number;
  /** Heads that are no bundle: edits that do not go together. */
  unread: number;
  values: number;
  /** Values that one side sends and the other refuses. */
  readonly shown: Record<Way, number>;
  witnesses: number;
  readonly verdicts: Record<Verdict, number>;
}

/** Nothing yet. */
export function noCounts(): Counts {
  return {
    cases: 0,
    unread: 0,
    values: 0,
    shown: { narrows: 0, widens: 0 },
    witnesses: 0,
    verdicts: { none: 0, additive: 0, unknown: 0, breaking: 0 },
  };
}

/** How much is drawn beside what is enumerated; nothing by default. */
export interface Draws {
  readonly runs: number;
  readonly seed: number;
}

/** In which pairing a way of a sender works. */
const PAIRING: Readonly<Record<Way, Readonly<Record<Use["sender"], Pairing>>>> = {
  narrows: { client: "old-client-new-host", host: "new-client-old-host" },
  widens: { client: "new-client-old-host", host: "old-client-new-host" },
};

/** Loads a bundle; undefined where it is none. */
export function read(bundle: Bundle): Loaded | undefined {
  return loadSchemaText(textOfBundle(bundle), "bundle.json", new Findings());
}

/** Holds a case against the law. @returns what is broken */
export async function examine(
  { base, sites }: Case,
  driftOf: DriftOf,
  counts: Counts,
  draws?: Draws,
): Promise<string[]> {
  const head = edited(base, sites);
  const [before, after] = [read(base), read(head)];
  if (before === undefined) throw new Error("the base is no bundle");
  if (after === undefined) {
    counts.unread++;
    return [];
  }
  counts.cases++;
  const drift = await driftOf(before, after, { evidence: { load: loadGenerated } });
  for (const { verdict } of drift.changes) counts.verdicts[verdict]++;
  const [b, h] = [versionOf(base, before), versionOf(head, after)];
  const [only] = sites;
  const changed = changedParts(b, h);
  const [ofBase, ofHead] = await oracles(b, h, [...new Set([...changed, ...witnessed(drift)])]);
  const c = confirmed(drift, { ...b, oracle: ofBase }, { ...h, oracle: ofHead }, counts);
  const d = await soundness(
    drift,
    changed,
    { ...b, oracle: ofBase },
    { ...h, oracle: ofHead },
    counts,
    draws,
  );
  return [
    ...(only === undefined || sites.length > 1 ? [] : asKnown(drift, only)),
    ...drift.changes.flatMap(({ rule, evidence }) =>
      evidence?.disagreement === undefined ? [] : [`${rule}: disagreement: ${evidence.disagreement}`],
    ),
    ...c,
    ...d,
  ];
}

/** The stable changes that are more than names. */
export function seen({ changes }: Drift): Change[] {
  return changes.filter(({ surface, rule }) => surface === "stable" && !rule.startsWith("definition-"));
}

function asKnown(drift: Drift, { known, experimental }: Site): string[] {
  const broken: string[] = [];
  const expect = (what: string, got: unknown, wanted: unknown): void => {
    if (JSON.stringify(got) !== JSON.stringify(wanted))
      broken.push(`${what} is ${JSON.stringify(got)} and should be ${JSON.stringify(wanted)}`);
  };
  const of = (surface: Change["surface"]): Change[] => drift.changes.filter((one) => one.surface === surface);
  const rulesOf = (changes: readonly Change[]): string[] =>
    [...new Set(changes.map(({ rule }) => rule))].sort();
  const { base, head } = drift.fingerprints;
  if (experimental) {
    expect("stable", rulesOf(of("stable")), []);
    expect("fingerprint equal", base === head, true);
    expect("experimental rules", rulesOf(of("experimental")), [...known.rules].sort());
    return broken;
  }
  expect("rules", rulesOf(of("stable")), [...known.rules].sort());
  for (const pairing of PAIRINGS)
    expect(
      pairing,
      worst(drift.changes.map(({ pairings }) => pairings[pairing].verdict)),
      known.verdicts[pairing],
    );
  if (known.unseen === true) expect("fingerprint equal", base === head, true);
  return broken;
}

/** A version with ajv's verdicts. */
type Judged = Version & { readonly oracle: Oracle };

/** The parts of messages that witnesses stand in. */
function witnessed({ changes }: Drift): string[] {
  return changes.flatMap(({ evidence }) => Object.values(evidence?.witnesses ?? {}).map(keyOf));
}

/** Each "breaking" has a message that one side sends and the other refuses. */
function confirmed(drift: Drift, base: Judged, head: Judged, counts: Counts): string[] {
  const broken: string[] = [];
  for (const change of drift.changes) {
    for (const pairing of PAIRINGS) {
      const { verdict, refusedBy } = change.pairings[pairing];
      const witness = change.evidence?.witnesses[pairing];
      const told = `${change.rule} at ${change.pointer}, ${pairing}`;
      if (verdict === "breaking" && witness === undefined) broken.push(`${told}: no witness`);
      if (witness === undefined || change.surface === "experimental") continue;
      if (verdict !== "breaking" && refusedBy === undefined)
        broken.push(`${told}: a witness, and yet ${verdict}`);
      counts.witnesses++;
      const key = keyOf(witness);
      const text = JSON.stringify(witness.value);
      const old = (pairing === "old-client-new-host") === (witness.sender === "client");
      const [from, to] = old ? [base, head] : [head, base];
      const isSendersOwn = from.parts.has(key);
      if (!isSendersOwn) broken.push(`${told}: the sender has no ${key}`);
      else if (!from.oracle.takes(key, witness.value)) broken.push(`${told}: the sender refuses ${text}`);
      else if (witness.refusal.keyword === "method") {
        if (to.parts.has(key)) broken.push(`${told}: the reader knows ${key}`);
      } else if (witness.refusal.keyword === "experimental") {
        // The reader's schema skips what it does not declare; a host refuses it, since it knows the name.
        if (!to.parts.has(key) || isSentBy(key, to, from, witness.value))
          broken.push(`${told}: nothing in ${text} is behind the opt-in`);
      } else if (!to.parts.has(key)) broken.push(`${told}: the reader has no ${key}`);
      else if (to.oracle.takes(key, witness.value)) broken.push(`${told}: the reader takes ${text}`);
      else if (!isSentBy(key, from, to, witness.value)) broken.push(`${told}: nobody sends ${text}`);
    }
  }
  return broken;
}

function oracles(base: Version, head: Version, keys: readonly string[]): Promise<[Oracle, Oracle]> {
  const those = (version: Version): string[] => keys.filter((key) => version.parts.has(key));
  return Promise.all([Oracle.of(base, those(base)), Oracle.of(head, those(head))]);
}

/** What values show to break is told as breaking or unknown. */
async function soundness(
  drift: Drift,
  keys: readonly string[],
  base: Judged,
  head: Judged,
  counts: Counts,
  draws: Draws | undefined,
): Promise<string[]> {
  const more =
    draws === undefined ? [] : await Promise.all([base, head].map((side) => drawnFor(side, keys, draws)));
  const broken: string[] = [];
  for (const key of keys) {
    const found: Partial<Record<Way, Json>> = {};
    for (const value of [...enumerated(key, base, head), ...more.flatMap((of) => of.get(key) ?? [])]) {
      counts.values++;
      const [before, after] = [base.oracle.takes(key, value), head.oracle.takes(key, value)];
      if (!base.oracle.agrees(key, value) || !head.oracle.agrees(key, value))
        broken.push(`${key}: what ajv and the bundle say of ${JSON.stringify(value)} differs`);
      if (before === after) continue;
      const [way, sender, reader] = before
        ? (["narrows", base, head] as const)
        : (["widens", head, base] as const);
      if (!isSentBy(key, sender, reader, value)) continue;
      counts.shown[way]++;
      found[way] ??= value;
    }
    for (const [way, value] of Object.entries(found) as [Way, Json][])
      if (!isTold(drift, key, way))
        broken.push(`${key} ${way}, as ${JSON.stringify(value)} shows, and no change tells`);
  }
  return broken;
}

async function drawnFor(
  version: Version,
  keys: readonly string[],
  draws: Draws,
): Promise<Map<string, Json[]>> {
  const nameOf = (key: string): string | undefined => version.parts.get(key)?.definition;
  const values = await drawn(version, [...new Set(keys.flatMap((key) => nameOf(key) ?? []))], draws);
  return new Map(keys.map((key) => [key, values.get(nameOf(key) ?? "") ?? []]));
}

/** Whether a change tells that a part loses or gains values. */
function isTold(drift: Drift, key: string, way: Way): boolean {
  return seen(drift).some(({ uses, moreUses, pairings }) => {
    const use = uses.find((one) => keyOf({ use: one }) === key);
    if (use === undefined && !moreUses) return false;
    const sender = use?.sender ?? (key.endsWith("client") ? "client" : "host");
    const { verdict } = pairings[PAIRING[way][sender]];
    if (verdict === "breaking" || verdict === "unknown") return true;
    // What a client newly says breaks nobody: that it is told of is enough.
    return way === "widens" && sender === "client" && verdict === "additive";
  });
}
