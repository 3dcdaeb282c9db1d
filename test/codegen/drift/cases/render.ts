/** The table as text: a file for each thing, a block for each edit, two lines for each rule and place. */
import { type Change, PAIRINGS, type Pairing, type Witness } from "../../../../codegen/drift/change.js";
import { type Case, nameOf } from "./cases.js";
import { PLACES, type Place } from "./places.js";

const WHO: Readonly<Record<Pairing, string>> = {
  "old-client-new-host": "old client",
  "new-client-old-host": "new client",
};

/** The files of the table by name. */
export function filesOf(
  cases: readonly Case[],
  changesAt: (one: Case, place: Place) => readonly Change[],
): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const one of cases) {
    const name = `${one.thing.replaceAll(" ", "-")}.txt`;
    const lines = [nameOf(one), `  ${JSON.stringify(one.before)}`, `  ${JSON.stringify(one.after)}`];
    for (const place of PLACES) {
      const changes = changesAt(one, place);
      if (changes.length === 0) lines.push(`  ${place.name}: nothing`);
      for (const change of changes) lines.push(...linesOf(place, change));
    }
    files.set(name, `${files.get(name) ?? ""}${lines.join("\n")}\n\n`);
  }
  return files;
}

function linesOf(
  { name }: Place,
  { rule, pointer, surface, moved, verdict, pairings, evidence }: Change,
): string[] {
  const more = [moved, surface === "experimental" ? surface : undefined].filter((word) => word !== undefined);
  const about = more.length === 0 ? "" : ` (${more.join(", ")})`;
  // The names of the definitions only count the cases.
  const at = pointer.slice(pointer.indexOf("/", "/$defs/".length));
  return [
    `  ${name}: ${rule}${about} at ${at}: ${verdict}`,
    ...PAIRINGS.map((pairing) => {
      const { verdict: given, reason } = pairings[pairing];
      return `    ${WHO[pairing]}: ${given}. ${reason}${shown(evidence?.witnesses[pairing])}`;
    }),
  ];
}

function shown(witness: Witness | undefined): string {
  if (witness === undefined) return "";
  const { value, refusal } = witness;
  return ` ${JSON.stringify(value)} -> ${refusal.keyword} at "${refusal.instanceLocation}"`;
}
