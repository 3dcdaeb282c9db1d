/**
 * What can be told of two surfaces by the hashes of their parts alone, where a bundle is not at hand.
 */
import type { Fingerprint } from "../../../codegen/fingerprint/fingerprint.js";

/** The parts of a fingerprint. */
export type Parts = Fingerprint["parts"];

/** What was found, and in which parts. */
export interface PartsChange {
  readonly change: "additive" | "non-additive" | "undecided";
  readonly because: readonly string[];
}

/**
 * Whether a surface only gained methods and notifications. A part that is another now may have changed in any way.
 */
export function addedOnly(before: Parts, after: Parts): PartsChange {
  const lost: string[] = [];
  const other: string[] = [];
  for (const kind of ["methods", "notifications", "requests"] as const) {
    for (const [name, hash] of Object.entries(before[kind])) {
      if (!Object.hasOwn(after[kind], name)) lost.push(`${name} is gone`);
      else if (after[kind][name] !== hash) other.push(name);
    }
  }
  // A client of before answers a request that it does not know with an error.
  for (const name of Object.keys(after.requests))
    if (!Object.hasOwn(before.requests, name)) lost.push(`the host asks ${name}`);
  for (const name of ["errors", "capabilities", "envelopes"] as const)
    if (before[name] !== after[name]) other.push(name);
  if (lost.length > 0) return { change: "non-additive", because: lost };
  if (other.length === 0) return { change: "additive", because: [] };
  return { change: "undecided", because: [`changed, and its bundle would tell how: ${other.join(", ")}`] };
}
