/** What the rules of nodes stand on. */
import type { Json } from "../../bundle/json.js";
import type { Schema } from "../../model/protocol.js";
import type { Difference, Effect, Isolated, Pair, Way } from "../change.js";
import type { DriftRuleId } from "../rules.js";
import type { Alternatives } from "./alternatives.js";
import { difference } from "./difference.js";
import type { Pairs } from "./pairs.js";

/** What a rule tells of a pair. What is left out: no effect, nothing relied on, nothing before or after. */
export interface Told {
  readonly kind: Difference["kind"];
  /** The node at whose place it is; `below` is added to its pointer. Of base for what is gone, else of head. */
  readonly at: Schema;
  readonly below?: string;
  readonly before?: Json;
  readonly after?: Json;
  readonly narrows?: Effect;
  readonly widens?: Effect;
  readonly relied?: boolean;
  /** The change alone made in a node of base, and alone undone in one of head. */
  readonly made?: { readonly node: Schema; readonly with: Schema };
  readonly undone?: { readonly node: Schema; readonly with: Schema };
}

/** What the rules of nodes stand on. */
export interface Context {
  readonly pairs: Pairs;
  readonly base: Alternatives;
  readonly head: Alternatives;
  /** Equal for nodes that no peer can tell apart; undefined where that would cost too much to find out. */
  digest(side: "base" | "head", node: Schema): string | undefined;
  /** Whether no peer can tell two nodes apart; false also where that would cost too much to find out. */
  same(base: Schema, head: Schema): boolean;
  tell(rule: DriftRuleId, pair: Pair, told: Told): void;
}

/** A difference of what a rule tells. */
export function differenceOf(rule: DriftRuleId, pair: Pair, told: Told): Difference {
  const { kind, at, below = "", before, after, narrows = "no", widens = "no", relied = false } = told;
  const pointer = at.pointer + below;
  const isolated: Partial<Record<Way, Isolated>> = {
    ...(told.made === undefined ? {} : { narrows: { sender: told.made.node, reader: told.made.with } }),
    ...(told.undone === undefined ? {} : { widens: { sender: told.undone.node, reader: told.undone.with } }),
  };
  return difference(rule, { kind, pointer, before, after }, { narrows, widens, relied, isolated, pair });
}
