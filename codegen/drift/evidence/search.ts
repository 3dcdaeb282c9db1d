/** Looks for values that one change alone lets a reader refuse, and counts those that it does not. */
import type { Json } from "../../bundle/json.js";
import type { Schema } from "../../model/protocol.js";
import type { Isolated, Way } from "../change.js";
import { type Focused, focusOn } from "./focus.js";
import type { Merged } from "./merged.js";
import { type Pointed, stretched, textLengths } from "./pointed.js";
import type { Drawn, Probe } from "./probe.js";
import { isSendable } from "./sendable.js";

/** How many refused values are enough: some may not fit into a message. */
const ENOUGH = 12;
/** How many values are drawn of one alternative. */
const PER_ARM = 4;

/** The nodes of one change and way, as definitions. */
export interface Trial {
  readonly sender: string;
  readonly reader: string;
  /** What values are drawn from. */
  readonly drawn: { readonly sender: string; readonly reader: string; readonly arms: readonly string[] };
}

/** What came of it. */
export interface Found {
  /** Values that the sender may say and the reader refuses, the smallest first. */
  readonly refused: readonly Json[];
  /** How many different values the sender may say and the reader accepts. */
  readonly accepted: number;
  /** Why less was tried than was meant to be. */
  readonly problem?: string;
}

/** Adds what is needed to try one change. */
export function trialOf(merged: Merged, pointed: Pointed, isolated: Isolated, way: Way): Trial {
  const side = way === "narrows" ? "base" : "head";
  const ids = { sender: merged.add(isolated.sender, side), reader: merged.add(isolated.reader, side) };
  const { sender, reader, arms }: Focused = focusOn(
    merged.renamed(isolated.sender, side),
    merged.renamed(isolated.reader, side),
    (node) => pointed.few(node),
  );
  const define = (node: Schema): string => merged.define(node);
  return { ...ids, drawn: { sender: define(sender), reader: define(reader), arms: arms.map(define) } };
}

/** Whether the sender may say a value: its node accepts it, and it is of what that side knows. */
export function maySay(merged: Merged, probe: Probe, sender: string, reader: string, value: Json): boolean {
  return (
    probe.accepts(sender, value) &&
    isSendable(value, merged.node(sender), merged.node(reader), merged.definitions)
  );
}

/**
 * Tries one change.
 * @param runs how many values of each kind are drawn
 */
export function search(
  trial: Trial,
  merged: Merged,
  probe: Probe,
  pointed: Pointed,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): Found {
  const refused = new Map<string, Json>();
  const accepted = new Set<string>();
  const problems: string[] = [];
  const [sender, reader] = [merged.node(trial.sender), merged.node(trial.reader)];
  const consider = (values: readonly Json[]): void => {
    for (const value of values) {
      if (refused.size >= ENOUGH) return;
      if (!probe.accepts(trial.sender, value)) continue;
      if (!isSendable(value, sender, reader, merged.definitions)) continue;
      const text = JSON.stringify(value);
      if (probe.accepts(trial.reader, value)) accepted.add(text);
      else refused.set(text, value);
    }
  };
  const draw = ({ values, problem }: Drawn): readonly Json[] => {
    if (problem !== undefined) problems.push(problem);
    consider(values);
    return values;
  };
  const steps: readonly (() => void)[] = [
    () => consider(pointed.values(merged.node(trial.drawn.sender), merged.node(trial.drawn.reader))),
    () => {
      for (const arm of trial.drawn.arms) draw(probe.valid(arm, seed, PER_ARM));
    },
    () => {
      const values = draw(probe.valid(trial.drawn.sender, seed, runs));
      const lengths = textLengths(sender, reader);
      if (lengths.length === 0 || sender.pattern === undefined) return;
      const texts = values.filter((value) => typeof value === "string").slice(0, 8);
      consider(texts.flatMap((text) => stretched(text, lengths)));
    },
    () => draw(probe.wrong(trial.drawn.reader, seed, runs, true)),
    () => draw(probe.wrong(trial.drawn.reader, seed, Math.ceil(runs / 4), false)),
    () => draw(probe.valid(trial.drawn.reader, seed + 1, Math.ceil(runs / 2))),
  ];
  for (const step of steps) if (refused.size < ENOUGH) step();
  const bySize = [...refused].sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return {
    refused: bySize.map(([, value]) => value),
    accepted: accepted.size,
    ...(problems.length === 0 ? {} : { problem: problems[0] as string }),
  };
}
