/**
 * What the drift gate says of two versions of a protocol: each change, whom it breaks, and what proves it.
 *
 * `base` is the earlier version, `head` the later one. A change is looked at in two pairings: clients of `base` with
 * hosts of `head`, and clients of `head` with hosts of `base`.
 */
import type { Json } from "../bundle/json.js";
import type { Schema, Surface } from "../model/protocol.js";
import type { DriftRuleId } from "./rules.js";

/** The two sides of a protocol. */
export type Party = "client" | "host";

/** Both of them. */
export const PARTIES: readonly Party[] = ["client", "host"];

/** Who is of which version. */
export type Pairing = "old-client-new-host" | "new-client-old-host";

/** The pairings, in the order in which they are told. */
export const PAIRINGS: readonly Pairing[] = ["old-client-new-host", "new-client-old-host"];

/**
 * `none`: nothing that a peer could see. `additive`: nobody who did nothing is harmed. `unknown`: it cannot be proved
 * that nobody is. `breaking`: a message is shown that one side sends and the other refuses.
 */
export type Verdict = "none" | "additive" | "unknown" | "breaking";

/** The verdicts, from the best to the worst. */
export const VERDICTS: readonly Verdict[] = ["none", "additive", "unknown", "breaking"];

/** The worst of some verdicts. */
export function worst(verdicts: Iterable<Verdict>): Verdict {
  let found: Verdict = "none";
  for (const verdict of verdicts) if (VERDICTS.indexOf(verdict) > VERDICTS.indexOf(found)) found = verdict;
  return found;
}

/** One place at which messages carry a value of a definition. */
export interface Use {
  /** Name of the method, notification or server request; of the definition, for error data and envelopes. */
  readonly message: string;
  readonly kind: "method" | "notification" | "request" | "errorData" | "envelope";
  readonly part: "params" | "result" | "data";
  /** Who sends the value; the other one reads it. */
  readonly sender: Party;
}

/** Whether a change lets a reader refuse what it took before (narrows), or a sender say what it could not (widens). */
export type Effect = "no" | "yes" | "maybe";

/** The two ways in which a set of values changes: `base` loses some, `head` gains some. */
export type Way = "narrows" | "widens";

/** Both of them. */
export const WAYS: readonly Way[] = ["narrows", "widens"];

/** Which pairing meets what is lost or gained, by who sends it: an old sender says what is lost, a new one what is gained. */
export const MET_BY: Readonly<Record<Way, Readonly<Record<Party, Pairing>>>> = {
  narrows: { client: "old-client-new-host", host: "new-client-old-host" },
  widens: { client: "new-client-old-host", host: "old-client-new-host" },
};

/** What a sender may say, and what a reader takes, where one change is the only difference between the two. */
export interface Isolated {
  /** A node of `base` where values are lost, of `head` where they are gained. */
  readonly sender: Schema;
  /** The same node with the change alone made, or alone undone. Its references are of both sides. */
  readonly reader: Schema;
}

/** One step from a node to a part of it. `same`: the value itself, by a reference or as one of alternatives. */
export type Step =
  | { readonly to: "member"; readonly name: string }
  | { readonly to: "items" | "additional" | "same" };

/** Two nodes that stand at one place, of `base` and of `head`. */
export interface Pair {
  readonly base: Schema;
  readonly head: Schema;
  /** The shortest way by which a message of each sender comes here; none where no message does. */
  readonly via: Partial<Record<Party, Via>>;
  /** Some of the messages that come here, the nearest first; `moreUses` has at least as many others. */
  readonly uses: readonly Use[];
  readonly moreUses: boolean;
}

/** How a message comes to a pair: from the pair that contains it, or as the whole of a message's part. */
export interface Via {
  readonly use: Use;
  readonly from: { readonly pair: Pair; readonly step: Step } | undefined;
}

/** A difference, as the rules see it: no verdict yet. */
export interface Difference {
  readonly rule: DriftRuleId;
  readonly kind: "added" | "removed" | "changed";
  /** JSON Pointer of what changed, in the bundle that `side` names: of `base` for what is gone, else of `head`. */
  readonly pointer: string;
  readonly side: "base" | "head";
  /** The pointer with arms named by what tells them apart, so that it stays when they change places; else absent. */
  readonly place?: string;
  /** What changed, for people: `turn/start`, `TurnStartParams.input`. */
  readonly subject: string;
  /** What the bundle said and says, as far as the rule is about it; absent for what was or is not there. */
  readonly before?: Json;
  readonly after?: Json;
  readonly narrows: Effect;
  readonly widens: Effect;
  /** Somebody of `base` may rely on what is gone, though no message shows it. */
  readonly relied: boolean;
  /** The change alone, by the way it works; absent where it is not one of values. */
  readonly isolated?: Partial<Record<Way, Isolated>>;
  /** Where it is; absent for what is no part of a message's values. */
  readonly pair?: Pair;
  /** A message that is new or gone as a whole, and which senders it concerns. */
  readonly message?: Use & {
    /** Definition of the part, on the side that has it; absent where it has none. */
    readonly definition?: string;
    /** Whether a reader that does not know the message refuses it. Notifications are ignored instead. */
    readonly refused: boolean;
  };
}

/** A value that one side sends and the other refuses, with the frame's part in which it stands. */
export interface Witness {
  readonly pairing: Pairing;
  readonly sender: Party;
  readonly use: Use;
  /** The whole part: params, a result, error data. */
  readonly value: Json;
  /** Why the reader refuses it. */
  readonly refusal: {
    readonly instanceLocation: string;
    readonly keyword: string;
    readonly message: string;
  };
}

/** What was tried to prove a change. */
export interface Evidence {
  /** Values that a side sends and the other was shown to accept, by pairing. */
  readonly accepted: Partial<Record<Pairing, number>>;
  /** By pairing, the smallest message that was found to be refused. */
  readonly witnesses: Partial<Record<Pairing, Witness>>;
  /** Where what was found is not what the rule says: the verdict is unknown. */
  readonly disagreement?: string;
}

/** What a change means for one pairing. */
export interface PairingVerdict {
  readonly verdict: Verdict;
  /** In one sentence. */
  readonly reason: string;
  /**
   * A host of `base` refuses what a client of `head` may newly say. That breaks no one: the client knows by the
   * handshake whom it talks to, and need not say it.
   */
  readonly refusedBy?: "old-host";
}

/** A change and its verdict. */
export interface Change {
  /** Sixteen hexadecimal digits of a hash over rule, pointer, before and after: what an acknowledgment names. */
  readonly id: string;
  readonly rule: DriftRuleId;
  readonly kind: Difference["kind"];
  readonly pointer: string;
  readonly side: Difference["side"];
  readonly subject: string;
  /** `experimental`: only what is behind the opt-in changed. Such changes are told and fail nothing. */
  readonly surface: Surface;
  /** What came to or left the stable surface without coming to or leaving the protocol. */
  readonly moved?: "promoted" | "demoted";
  readonly before?: Json;
  readonly after?: Json;
  readonly uses: readonly Use[];
  readonly moreUses: boolean;
  /** The worst of both pairings. */
  readonly verdict: Verdict;
  readonly pairings: Readonly<Record<Pairing, PairingVerdict>>;
  /** The pairings that break. */
  readonly breaks: readonly Pairing[];
  /** Of the first pairing that breaks; else of the one in which an old host refuses. */
  readonly witness?: Witness;
  /** Absent where none was asked for. */
  readonly evidence?: Evidence;
}

/** Two changes that may be one. */
export interface Hint {
  readonly kind: "renamed";
  /** Pointers: in `base`, and in `head`. */
  readonly from: string;
  readonly to: string;
}

/** All that changed from one version to another. */
export interface Drift {
  /** In the order of surfaces (stable first), then of pointers. */
  readonly changes: readonly Change[];
  readonly hints: readonly Hint[];
  /** The fingerprints of the stable surfaces. Equal ones mean: no stable change. */
  readonly fingerprints: { readonly base: string; readonly head: string };
}
