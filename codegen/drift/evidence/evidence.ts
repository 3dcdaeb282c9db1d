/**
 * Proves what the rules say of differences: values that one side sends and the other refuses, or how many it was shown
 * to accept. What is found for one change is shown in a whole message of the real versions, made small.
 */
import type { Json } from "../../bundle/json.js";
import type { Protocol } from "../../model/protocol.js";
import {
  type Difference,
  type Evidence,
  MET_BY,
  PARTIES,
  type Pair,
  type Pairing,
  type Party,
  type Use,
  WAYS,
  type Way,
  type Witness,
} from "../change.js";
import { type Chain, chainTo, type Frame, Frames, type Roots, rootsOf, shows, VARIANTS } from "./embed.js";
import { Merged, type Side } from "./merged.js";
import { partAt, pointerTo, withPart } from "./paths.js";
import { Pointed } from "./pointed.js";
import { type Load, Probe } from "./probe.js";
import { type Found, maySay, search, type Trial, trialOf } from "./search.js";
import { shrink } from "./shrink.js";

/** How evidence is looked for. */
export interface EvidenceOptions {
  /** Evaluates the text of a generated module, and finds fast-check where it imports that. */
  readonly load: Load;
  /** Values drawn for each node and way. Default: 100. */
  readonly runs?: number;
  /** The same seed gives the same evidence. Default: 1. */
  readonly seed?: number;
}

/** Who sends what is lost or gained. */
const SIDE: Readonly<Record<Way, Side>> = { narrows: "base", widens: "head" };

/** One way of a difference to be tried, and the messages in which it may show. */
interface Attempt {
  readonly way: Way;
  readonly trial: Trial;
  readonly senders: readonly {
    readonly party: Party;
    readonly use: Use;
    readonly chain: Chain | undefined;
    readonly roots: Roots;
  }[];
}

/**
 * The evidence for some differences of two surfaces. A difference of which no value tells anything has none.
 * @param base the surface before, of which the differences were made
 * @param head the surface after
 */
export async function evidenceFor(
  differences: readonly Difference[],
  base: Protocol,
  head: Protocol,
  options: EvidenceOptions,
): Promise<ReadonlyMap<Difference, Evidence>> {
  const merged = new Merged(base, head);
  const pointed = new Pointed(base, merged.definitions);
  const attempts = new Map(
    differences.map((difference) => [difference, attemptsOf(merged, pointed, difference)]),
  );
  const messages = new Map(
    differences.flatMap((difference) => {
      const definition = difference.message?.definition;
      return definition === undefined
        ? []
        : [[difference, merged.add({ pointer: "", ref: definition }, SIDE[wayOf(difference)])] as const];
    }),
  );
  const { runs = 100, seed = 1 } = options;
  const prover =
    merged.definitions.size === 0
      ? undefined
      : new Prover(merged, pointed, await Probe.of(merged.definitions, options.load), { runs, seed });
  const found = new Map<Difference, Evidence>();
  for (const [difference, ways] of attempts) {
    const evidence =
      difference.message === undefined
        ? (prover?.prove(difference, ways) ?? untriedEvidence(difference, ways))
        : messageEvidence(difference, prover?.smallest(messages.get(difference)));
    if (evidence !== undefined) found.set(difference, evidence);
  }
  return found;
}

function attemptsOf(merged: Merged, pointed: Pointed, { isolated, pair }: Difference): Attempt[] {
  return WAYS.flatMap((way): Attempt[] => {
    const pairOf = isolated?.[way];
    if (pairOf === undefined || pair === undefined) return [];
    const senders = PARTIES.flatMap((party): Attempt["senders"][number][] => {
      const use = pair.via[party]?.use;
      if (use === undefined) return [];
      const chain = chainTo(pair, party);
      const root = (chain?.[0] ?? { pair }).pair;
      for (const { pair: holder } of chain ?? []) merged.add(holder[SIDE[way]], SIDE[way]);
      return [{ party, use, chain, roots: rootsOf(merged, root, use, SIDE[way]) }];
    });
    return senders.length === 0 ? [] : [{ way, trial: trialOf(merged, pointed, pairOf, way), senders }];
  });
}

/** The way of a message that came or went. */
function wayOf({ kind }: Difference): Way {
  return kind === "removed" ? "narrows" : "widens";
}

/** A message that the other side does not know as a whole. */
function messageEvidence(difference: Difference, value: Json | undefined): Evidence | undefined {
  const { message } = difference;
  if (message === undefined || !message.refused) return undefined;
  const { definition, refused: _, ...use } = message;
  const accepted = {};
  if (definition !== undefined && value === undefined)
    return {
      accepted,
      witnesses: {},
      disagreement: "it could not be tried: no value of its params was found",
    };
  const pairing = MET_BY[wayOf(difference)][use.sender];
  const refusal = {
    instanceLocation: "",
    keyword: "method",
    message: `must be a message that the ${use.sender === "client" ? "host" : "client"} knows`,
  };
  return {
    accepted,
    witnesses: { [pairing]: { pairing, sender: use.sender, use, value: value ?? {}, refusal } },
  };
}

class Prover {
  readonly #merged: Merged;
  readonly #probe: Probe;
  readonly #pointed: Pointed;
  readonly #frames: Frames;
  readonly #draws: { readonly runs: number; readonly seed: number };

  constructor(
    merged: Merged,
    pointed: Pointed,
    probe: Probe,
    draws: { readonly runs: number; readonly seed: number },
  ) {
    this.#merged = merged;
    this.#probe = probe;
    this.#draws = draws;
    this.#pointed = pointed;
    this.#frames = new Frames(merged, probe, pointed, draws.seed);
  }

  /** A small valid value of a definition. */
  smallest(id: string | undefined): Json | undefined {
    if (id === undefined) return undefined;
    const made = this.#pointed.example(this.#merged.node(id));
    const { values } = made === undefined ? this.#probe.valid(id, this.#draws.seed, 10) : { values: [made] };
    const valid = values.filter((value) => this.#probe.accepts(id, value));
    const [first] = valid.sort((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
    return first === undefined
      ? undefined
      : shrink({ whole: first, place: [] }, ({ whole }) => this.#probe.accepts(id, whole)).whole;
  }

  /** Tries the ways of a difference. */
  prove(difference: Difference, attempts: readonly Attempt[]): Evidence | undefined {
    const accepted: Partial<Record<Pairing, number>> = {};
    const witnesses: Partial<Record<Pairing, Witness>> = {};
    const disagreements: string[] = [];
    for (const { way, trial, senders } of attempts) {
      const found = search(trial, this.#merged, this.#probe, this.#pointed, this.#draws);
      for (const { party, use, chain, roots } of senders) {
        const pairing = MET_BY[way][party];
        const witness =
          chain === undefined
            ? undefined
            : this.#witness({ way, trial, chain, roots, use, party, pairing }, found.refused);
        if (found.accepted > 0) accepted[pairing] = (accepted[pairing] ?? 0) + found.accepted;
        const known = witnesses[pairing];
        if (witness !== undefined && (known === undefined || sizeOf(witness) < sizeOf(known)))
          witnesses[pairing] = witness;
        const problem = disagreementOf(difference[way], found, witness !== undefined);
        if (problem !== undefined) disagreements.push(`${pairing}: ${problem}`);
      }
    }
    if (attempts.length === 0) return undefined;
    disagreements.push(...untried(difference, attempts));
    return {
      accepted,
      witnesses,
      ...(disagreements.length === 0 ? {} : { disagreement: [...new Set(disagreements)].join("; ") }),
    };
  }

  /** The smallest message that shows one of some refused values. */
  #witness(
    {
      way,
      trial,
      chain,
      roots,
      use,
      party,
      pairing,
    }: {
      readonly way: Way;
      readonly trial: Trial;
      readonly chain: Chain;
      readonly roots: Roots;
      readonly use: Use;
      readonly party: Party;
      readonly pairing: Pairing;
    },
    refused: readonly Json[],
  ): Witness | undefined {
    const holds = ({ whole, place }: Frame): boolean => {
      const part = partAt(whole, place);
      return (
        part !== undefined &&
        maySay(this.#merged, this.#probe, trial.sender, trial.reader, part) &&
        !this.#probe.accepts(trial.reader, part) &&
        shows(this.#merged, this.#probe, roots, whole) &&
        this.#refusal(roots, trial, { whole, place }) !== undefined
      );
    };
    for (let variant = 0; variant < VARIANTS; variant++) {
      if (refused.length === 0) return undefined;
      const frame = this.#frames.of(chain, party, SIDE[way], variant);
      if (frame === undefined) continue;
      for (const part of refused) {
        const whole = { whole: withPart(frame.whole, frame.place, part), place: frame.place };
        if (!holds(whole)) continue;
        const small = shrink(whole, holds);
        const refusal = this.#refusal(roots, trial, small);
        if (refusal !== undefined) return { pairing, sender: party, use, value: small.whole, refusal };
      }
    }
    return undefined;
  }

  /**
   * Why the reader refuses a message: for what the change alone refuses, else for something at its place, or around
   * it where alternatives are told together.
   */
  #refusal(roots: Roots, trial: Trial, { whole, place }: Frame): Witness["refusal"] | undefined {
    const violations = this.#probe.violations(roots.reader, whole);
    const at = pointerTo(place);
    const alone = new Set(
      this.#probe
        .violations(trial.reader, partAt(whole, place) as Json)
        .map(({ instanceLocation, keyword, message }) =>
          JSON.stringify([at + instanceLocation, keyword, message]),
        ),
    );
    const found =
      violations.find(({ instanceLocation, keyword, message }) =>
        alone.has(JSON.stringify([instanceLocation, keyword, message])),
      ) ??
      violations.find(
        ({ instanceLocation }) => instanceLocation === at || instanceLocation.startsWith(`${at}/`),
      ) ??
      violations.find(
        ({ instanceLocation, keyword }) =>
          (keyword === "oneOf" || keyword === "anyOf") && `${at}/`.startsWith(`${instanceLocation}/`),
      );
    // A list without words is how it is said that nothing may stand there.
    return found?.keyword === "enum" && found.message === NO_WORD
      ? { ...found, keyword: "x-msp-strict", message: "must not be there: the method does not declare it" }
      : found;
  }
}

/** How validators say that a value is in a list without words. */
const NO_WORD = "must be one of ";

/** What a rule says against what was found; undefined where they agree. */
function disagreementOf(
  effect: Difference["narrows"],
  { refused, accepted, problem }: Found,
  shown: boolean,
): string | undefined {
  if (shown) return effect === "no" ? "the rule says that no value is refused, and one was found" : undefined;
  if (effect === "maybe") return undefined;
  if (accepted === 0 && refused.length === 0)
    return `it could not be tried${problem === undefined ? "" : `: ${problem}`}`;
  if (effect === "no") return undefined;
  return refused.length === 0
    ? `the rule says that values are refused, and none of ${accepted} was`
    : "the rule says that values are refused, and no message shows it";
}

/** Evidence for a difference of which nothing could be tried; undefined where nothing had to be. */
function untriedEvidence(difference: Difference, attempts: readonly Attempt[]): Evidence | undefined {
  const problems = untried(difference, attempts);
  return problems.length === 0
    ? undefined
    : { accepted: {}, witnesses: {}, disagreement: problems.join("; ") };
}

/** The ways that a rule is sure of and that nothing was given to try by, though messages carry the values. */
function untried({ narrows, widens, pair }: Difference, attempts: readonly Attempt[]): string[] {
  if (pair === undefined || !isUsed(pair)) return [];
  const effects = { narrows, widens };
  return WAYS.filter((way) => effects[way] === "yes" && attempts.every((attempt) => attempt.way !== way)).map(
    (way) => `it could not be tried whether a value is ${way === "narrows" ? "lost" : "gained"}`,
  );
}

function isUsed({ via }: Pair): boolean {
  return PARTIES.some((party) => via[party] !== undefined);
}

function sizeOf({ value }: Witness): number {
  return JSON.stringify(value).length;
}
