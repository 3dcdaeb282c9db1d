/** Puts a value into the whole of a message's part, by the way that a pair is reached. */
import type { Json } from "../../bundle/json.js";
import { isJsonObject } from "../../bundle/json.js";
import type { Schema } from "../../model/protocol.js";
import type { Pair, Party, Step, Use, Via } from "../change.js";
import type { Merged, Side } from "./merged.js";
import { type Path, withPart } from "./paths.js";
import type { Pointed } from "./pointed.js";
import type { Probe } from "./probe.js";
import { maySay } from "./search.js";

/** How many parts may be around a value. Messages that nest deeper are not made: nobody could read them. */
const DEEPEST = 100;
/** In how many different wholes a value is tried; the later ones are drawn. */
export const VARIANTS = 5;
/** How many of them are drawn. */
const DRAWN = 3;

/** A whole part of a message with a place in it. */
export interface Frame {
  readonly whole: Json;
  readonly place: Path;
}

/** The nodes of a whole part, as definitions. */
export interface Roots {
  readonly sender: string;
  readonly reader: string;
}

/** The pairs through which a value is reached, the whole of the part first, each with the step that leads to it. */
export type Chain = readonly { readonly pair: Pair; readonly step: Step | undefined }[];

/** The chain to a pair; undefined where no message of a sender comes there, or it is too deep. */
export function chainTo(pair: Pair, sender: Party): Chain | undefined {
  const chain: { pair: Pair; step: Step | undefined }[] = [];
  let at: Pair | undefined = pair;
  while (at !== undefined) {
    const via: Via | undefined = at.via[sender];
    if (via === undefined || chain.length > DEEPEST) return undefined;
    chain.unshift({ pair: at, step: via.from?.step });
    at = via.from?.pair;
  }
  return chain;
}

/** The definitions of the whole part of a use, for the version that sends it. */
export function rootsOf(merged: Merged, root: Pair, use: Use, side: Side): Roots {
  const of = (one: Side): string => {
    const id = merged.add(root[one], one);
    return isStrict(merged, use, one) ? strictly(merged, id) : id;
  };
  return side === "base"
    ? { sender: of("base"), reader: of("head") }
    : { sender: of("head"), reader: of("base") };
}

function isStrict(merged: Merged, { kind, part, message }: Use, side: Side): boolean {
  if (kind !== "method" || part !== "params") return false;
  return merged.protocol(side).methods.some(({ name, strict }) => name === message && strict);
}

const stricts = new WeakMap<Merged, Map<string, string>>();

/** A definition that refuses, beside what another one does, members that this does not declare. */
function strictly(merged: Merged, id: string): string {
  let known = stricts.get(merged);
  if (known === undefined) stricts.set(merged, (known = new Map()));
  let strict = known.get(id);
  if (strict === undefined) {
    const names = new Set<string>();
    let isMap = false;
    const todo = [merged.node(id)];
    const seen = new Set<Schema>();
    for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
      if (seen.has(node)) continue;
      seen.add(node);
      isMap ||= node.additional !== undefined;
      for (const { name } of node.members ?? []) names.add(name);
      todo.push(...(node.union?.arms ?? []));
      if (node.ref !== undefined) todo.push(merged.node(node.ref));
    }
    strict = isMap
      ? id
      : merged.define({
          pointer: "",
          ref: id,
          members: [...names].map((name) => ({
            name,
            required: false,
            declared: true,
            schema: { pointer: "" },
          })),
          additional: { pointer: "", enum: { values: [], open: false, stated: true } },
        });
    known.set(id, strict);
  }
  return strict;
}

/** Makes frames: wholes of messages around a place. */
export class Frames {
  readonly #merged: Merged;
  readonly #probe: Probe;
  readonly #pointed: Pointed;
  readonly #seed: number;
  readonly #known = new Map<Pair, Map<string, Frame | undefined>>();
  readonly #holders = new Map<string, readonly Json[]>();

  constructor(merged: Merged, probe: Probe, pointed: Pointed, seed: number) {
    this.#merged = merged;
    this.#probe = probe;
    this.#pointed = pointed;
    this.#seed = seed;
  }

  /** A frame for the last pair of a chain, one of several; undefined where none is found. */
  of(chain: Chain, sender: Party, side: Side, variant: number): Frame | undefined {
    const key = `${sender} ${side} ${variant}`;
    let frame: Frame | undefined = { whole: null, place: [] };
    let from: Pair | undefined;
    for (const { pair, step } of chain) {
      let known = this.#known.get(pair);
      if (known === undefined) this.#known.set(pair, (known = new Map()));
      if (known.has(key)) frame = known.get(key);
      else {
        if (frame !== undefined && step !== undefined && from !== undefined)
          frame = this.#deeper(frame, from[side], step, side, variant);
        known.set(key, frame);
      }
      from = pair;
    }
    return frame;
  }

  #deeper(frame: Frame, holder: Schema, step: Step, side: Side, variant: number): Frame | undefined {
    if (step.to === "same") return frame;
    const id = this.#merged.add(holder, side);
    const name = step.to === "member" ? step.name : undefined;
    for (const value of this.#holdersOf(id, name, variant)) {
      const token = tokenIn(value, step, this.#merged.node(id));
      if (token === undefined) continue;
      const filled = Array.isArray(value) && value.length === 0 ? [null] : value;
      return { whole: withPart(frame.whole, frame.place, filled), place: [...frame.place, token] };
    }
    return undefined;
  }

  /** Values around a place: a small one, one with more members, then drawn ones. */
  #holdersOf(id: string, name: string | undefined, variant: number): readonly Json[] {
    const node = this.#merged.node(id);
    if (variant < VARIANTS - DRAWN) {
      const optional = variant * 3;
      const made = this.#pointed.example(node, optional);
      if (made !== undefined) return [made];
      // A node that always contains itself at this place has an end only in the value that is put there.
      const bare = name === undefined ? undefined : this.#pointed.example(without(node, name), optional);
      return bare === undefined ? [] : [bare];
    }
    let drawn = this.#holders.get(id);
    if (drawn === undefined) {
      const { values } = this.#probe.valid(id, this.#seed, 4 * DRAWN);
      drawn = [...values].sort((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
      this.#holders.set(id, drawn);
    }
    const first = variant - (VARIANTS - DRAWN);
    return [...drawn.slice(first), ...drawn.slice(0, first)];
  }
}

/** Where in a holder the next part stands; undefined where the holder has no such place. */
function tokenIn(holder: Json, step: Step, node: Schema): string | number | undefined {
  if (step.to === "items") return Array.isArray(holder) ? 0 : undefined;
  if (!isJsonObject(holder)) return undefined;
  if (step.to === "member") return step.name;
  const declared = new Set((node.members ?? []).map(({ name }) => name));
  const other = Object.keys(holder).find((name) => !declared.has(name));
  if (other !== undefined) return other;
  let name = "key";
  while (declared.has(name)) name += "_";
  return name;
}

function without(node: Schema, name: string): Schema {
  return node.members === undefined
    ? node
    : { ...node, members: node.members.filter((member) => member.name !== name) };
}

/** Whether a whole part shows a change: one side may send it, and the other refuses it. */
export function shows(merged: Merged, probe: Probe, { sender, reader }: Roots, whole: Json): boolean {
  return maySay(merged, probe, sender, reader, whole) && !probe.accepts(reader, whole);
}
