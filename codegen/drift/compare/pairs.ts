/**
 * The pairs of nodes that stand at one place in two versions of a protocol, and how messages come to them.
 */
import { isReference, resolve } from "../../fingerprint/term.js";
import type { Definition, Schema } from "../../model/protocol.js";
import { PARTIES, type Pair, type Party, type Step, type Use, type Via } from "../change.js";

type Definitions = ReadonlyMap<string, Definition>;

interface MutablePair extends Pair {
  readonly via: Partial<Record<Party, Via>>;
  uses: Use[];
  moreUses: boolean;
  readonly parts: { readonly pair: MutablePair; readonly step: Step }[];
  /** Told as a whole: nobody is to look into it. */
  told: boolean;
}

/** Uses that are told of a pair; that there are more is all that is known of the others. */
const TOLD = 4;

/** All pairs that were met. */
export class Pairs {
  /** What references are to, by side. */
  readonly definitions: { readonly base: Definitions; readonly head: Definitions };
  readonly #known = new Map<Schema, Map<Schema, MutablePair>>();
  readonly #roots: { readonly pair: MutablePair; readonly use: Use }[] = [];
  readonly #new: MutablePair[] = [];

  constructor(base: Definitions, head: Definitions) {
    this.definitions = { base, head };
  }

  /** The pair of two nodes: of what they refer to, where they are only references. */
  of(base: Schema, head: Schema): Pair {
    return this.#of(base, head);
  }

  /** Says that a pair is the whole of a message's part. */
  root(base: Schema, head: Schema, use: Use): void {
    this.#roots.push({ pair: this.#of(base, head), use });
  }

  /** Says that a pair is a part of another one. */
  part(whole: Pair, step: Step, base: Schema, head: Schema): Pair {
    const pair = this.#of(base, head);
    (whole as MutablePair).parts.push({ pair, step });
    return pair;
  }

  /** Says that a pair is told as a whole. */
  close(pair: Pair): void {
    (pair as MutablePair).told = true;
  }

  /** The next pair that is to be looked into. */
  next(): Pair | undefined {
    for (;;) {
      const pair = this.#new.pop();
      if (pair?.told !== true) return pair;
    }
  }

  /** Works out by which messages each pair is come to. To be called when no pair is left to be looked at. */
  trace(): void {
    for (const sender of PARTIES) this.#shortest(sender);
    const told: MutablePair[] = [];
    for (const { pair, use } of this.#roots) if (addUse(pair, use)) told.push(pair);
    for (let i = 0; i < told.length; i++) {
      const { uses, moreUses, parts } = told[i] as MutablePair;
      for (const { pair } of parts) {
        let grew = false;
        for (const use of uses) grew = addUse(pair, use) || grew;
        if (moreUses && !pair.moreUses) grew = pair.moreUses = true;
        if (grew) told.push(pair);
      }
    }
  }

  #shortest(sender: Party): void {
    const reached: MutablePair[] = [];
    for (const { pair, use } of this.#roots) {
      if (use.sender !== sender || pair.via[sender] !== undefined) continue;
      pair.via[sender] = { use, from: undefined };
      reached.push(pair);
    }
    for (let i = 0; i < reached.length; i++) {
      const from = reached[i] as MutablePair;
      const { use } = from.via[sender] as Via;
      for (const { pair, step } of from.parts) {
        if (pair.via[sender] !== undefined) continue;
        pair.via[sender] = { use, from: { pair: from, step } };
        reached.push(pair);
      }
    }
  }

  #of(base: Schema, head: Schema): MutablePair {
    const b = isReference(base) ? resolve(base, this.definitions.base) : base;
    const h = isReference(head) ? resolve(head, this.definitions.head) : head;
    let ofBase = this.#known.get(b);
    if (ofBase === undefined) this.#known.set(b, (ofBase = new Map()));
    let pair = ofBase.get(h);
    if (pair === undefined) {
      pair = { base: b, head: h, via: {}, uses: [], moreUses: false, parts: [], told: false };
      ofBase.set(h, pair);
      this.#new.push(pair);
    }
    return pair;
  }
}

function addUse(pair: MutablePair, use: Use): boolean {
  if (pair.uses.includes(use)) return false;
  if (pair.uses.length < TOLD) {
    pair.uses.push(use);
    return true;
  }
  if (pair.moreUses) return false;
  pair.moreUses = true;
  return true;
}
