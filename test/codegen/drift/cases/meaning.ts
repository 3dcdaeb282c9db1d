/** What the table has to say, worked out of what the edits do: narrows or widens, and who sends. */
import { type Change, PAIRINGS, type Pairing, type Verdict } from "../../../../codegen/drift/change.js";
import type { Told } from "./cases.js";
import type { Place } from "./places.js";

/** A line of a cell: which rule, whom it breaks, and whether only an old host refuses it. */
export interface Line {
  readonly rule: string;
  readonly surface: string;
  readonly moved: string;
  readonly verdicts: Readonly<Record<Pairing, string>>;
}

/** The line that a rule has to get at a place. */
export function lineOf(told: Told, { sender }: Pick<Place, "sender">): Line {
  const { rule, narrows = false, widens = false, relied = false, moved, surface = "stable" } = told;
  const ofClient = sender === "client";
  // An old client breaks when its own words are refused, or when it does not take the host's new ones.
  const oldClientBreaks = ofClient ? narrows || moved === "demoted" : widens;
  const newClientBreaks = !ofClient && narrows;
  return {
    rule,
    surface,
    moved: moved ?? "",
    verdicts: {
      "old-client-new-host": oldClientBreaks ? "breaking" : relied ? "unknown" : "additive",
      "new-client-old-host": newClientBreaks
        ? "breaking"
        : ofClient && widens
          ? "additive, refused by the old host"
          : "additive",
    },
  };
}

/** The line that a change was given. */
export function lineGiven({ rule, surface, moved, pairings }: Change): Line {
  const told = (pairing: Pairing): string => {
    const { verdict, refusedBy } = pairings[pairing];
    return refusedBy === undefined ? verdict : `${verdict}, refused by the ${refusedBy.replace("-", " ")}`;
  };
  return {
    rule,
    surface,
    moved: moved ?? "",
    verdicts: {
      "old-client-new-host": told("old-client-new-host"),
      "new-client-old-host": told("new-client-old-host"),
    },
  };
}

/** What is not shown of what a change says: a witness for what is refused, values for what is taken. */
export function unproven({ pairings, evidence, witness, breaks, verdict }: Change): string[] {
  const missing: string[] = [];
  const worst: Verdict[] = [];
  for (const pairing of PAIRINGS) {
    const { verdict: given, refusedBy, reason } = pairings[pairing];
    worst.push(given);
    const isRefused = given === "breaking" || refusedBy !== undefined;
    if (reason === "") missing.push(`${pairing}: no reason`);
    if (isRefused !== (evidence?.witnesses[pairing] !== undefined))
      missing.push(`${pairing}: ${isRefused ? "no witness" : "a witness of nothing"}`);
    if (!isRefused && (evidence?.accepted[pairing] ?? 0) === 0) missing.push(`${pairing}: nothing was taken`);
    if (breaks.includes(pairing) !== (given === "breaking"))
      missing.push(`${pairing}: breaks says otherwise`);
  }
  if (!worst.includes(verdict)) missing.push("another verdict than of its pairings");
  if (breaks.length > 0 && witness === undefined) missing.push("breaking, and nothing shows it");
  return missing;
}
