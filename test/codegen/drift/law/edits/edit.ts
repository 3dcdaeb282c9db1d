/** What an edit of a bundle is: something that is done to it, with what is known to come of it. */
import type { Pairing, Party, Verdict } from "../../../../../codegen/drift/change.js";
import type { DriftRuleId } from "../../../../../codegen/drift/rules.js";
import type { Bundle, Node } from "../bundle.js";
import { at, type Place, placesOf, sendersOf, stableOf } from "../places.js";

/** One way in which an edit can be made in a bundle. */
export interface Site {
  /** The definitions or messages that it is about: edits of others do not meet it. */
  readonly about: readonly string[];
  /** Whether it is behind the opt-in, so that the stable surface stays as it is. */
  readonly experimental: boolean;
  /** Makes the edit. */
  readonly apply: (bundle: Bundle) => void;
  readonly known: Known;
}

/** What is known to come of an edit. */
export interface Known {
  /** The worst verdict for each pairing. */
  readonly verdicts: Readonly<Record<Pairing, Verdict>>;
  /** The rules that tell of it. */
  readonly rules: readonly DriftRuleId[];
  /** Whether no peer sees anything of it, so that the fingerprint stays. */
  readonly unseen?: boolean;
}

/** A kind of edit. */
export interface Edit {
  readonly name: string;
  /** All ways in which it can be made. */
  readonly sites: (bundle: Bundle) => readonly Site[];
}

/** What an edit does to the values of a place. */
export interface Effect {
  readonly narrows?: boolean;
  readonly widens?: boolean;
  readonly relied?: boolean;
  /** It went behind the opt-in. */
  readonly demoted?: boolean;
}

/** The verdicts of an effect, by who sends the values. */
export function verdictsOf(
  { narrows, widens, relied, demoted }: Effect,
  senders: ReadonlySet<Party>,
): Known["verdicts"] {
  if (senders.size === 0) return { "old-client-new-host": "none", "new-client-old-host": "none" };
  const breaks = (client: boolean | undefined, host: boolean | undefined): boolean =>
    (senders.has("client") && client === true) || (senders.has("host") && host === true);
  return {
    "old-client-new-host": breaks(narrows === true || demoted === true, widens)
      ? "breaking"
      : relied === true
        ? "unknown"
        : "additive",
    "new-client-old-host": breaks(false, narrows) ? "breaking" : "additive",
  };
}

/** A change of one node, if it is one of those that the edit is for. */
export type Change = (
  node: Node,
  place: Place,
  bundle: Bundle,
) =>
  | {
      readonly effect: Effect;
      readonly rules: readonly DriftRuleId[];
      readonly apply: (node: Node) => void;
      readonly experimental?: boolean;
    }
  | undefined;

/** An edit of single nodes. */
export function ofNodes(name: string, change: Change): Edit {
  return {
    name,
    sites: (bundle) => {
      const stable = stableOf(bundle);
      return placesOf(bundle).flatMap((place): Site[] => {
        if (place.isTag) return [];
        const made = change(at(bundle, place.path), place, bundle);
        if (made === undefined) return [];
        return [
          {
            about: [place.definition],
            experimental: place.experimental || made.experimental === true,
            apply: (copy) => made.apply(at(copy, place.path)),
            known: {
              verdicts: verdictsOf(made.effect, sendersOf(stable, place.definition)),
              rules: made.rules,
            },
          },
        ];
      });
    },
  };
}

/** A bundle after an edit. */
export function edited(bundle: Bundle, sites: readonly Site[]): Bundle {
  const copy = structuredClone(bundle);
  for (const site of sites) site.apply(copy);
  return copy;
}
