/** What changed between two releases, as a text for people to review: no values but names, shapes and witnesses. */
import { type Change, type Drift, PAIRINGS, VERDICTS, type Witness } from "../../../codegen/drift/change.js";

/** The text of a golden file. Worst changes come first, in each surface. */
export function textOfDrift(from: string, to: string, { changes, hints, fingerprints }: Drift): string {
  const lines = [
    `${from} to ${to}`,
    `stable fingerprints: ${fingerprints.base === fingerprints.head ? "equal" : "different"}`,
  ];
  for (const { from: was, to: is } of hints) lines.push(`perhaps renamed: ${was} to ${is}`);
  for (const surface of ["stable", "experimental"] as const)
    for (const verdict of [...VERDICTS].reverse()) {
      const some = changes.filter((change) => change.surface === surface && change.verdict === verdict);
      if (some.length === 0) continue;
      lines.push("", `== ${surface}, ${verdict}: ${some.length}`);
      for (const change of some) lines.push(...linesOf(change));
    }
  return `${lines.join("\n")}\n`;
}

function linesOf(change: Change): string[] {
  const { id, rule, pointer, moved, before, after, pairings, evidence, uses, moreUses } = change;
  const lines = [`${id} ${rule} ${pointer}${moved === undefined ? "" : ` (${moved})`}`];
  // The name of a definition is all that there is to say of it.
  if (rule.startsWith("definition-")) return lines;
  const tell = (label: string, text: string): void => {
    lines.push(`    ${label.padEnd(8)}${text}`);
  };
  if (before !== undefined) tell("before", JSON.stringify(before));
  if (after !== undefined) tell("after", JSON.stringify(after));
  const places = uses.map(({ sender, message, part }) => `${sender} ${message} ${part}`);
  if (places.length > 0) tell("sent", `${places.join(", ")}${moreUses ? ", ..." : ""}`);
  for (const pairing of PAIRINGS) {
    const { verdict, refusedBy } = pairings[pairing];
    const tried = (evidence?.accepted[pairing] ?? 0) > 0 ? ", values were accepted" : "";
    const refused = refusedBy === undefined ? "" : `, refused by the ${refusedBy}`;
    tell("", `${pairing}: ${verdict}${refused}${tried}`);
    const witness = evidence?.witnesses[pairing];
    if (witness !== undefined) tell("", `  ${textOfWitness(witness)}`);
  }
  if (evidence?.disagreement !== undefined) tell("doubt", evidence.disagreement);
  return lines;
}

function textOfWitness({ sender, use, value, refusal }: Witness): string {
  const { instanceLocation, keyword } = refusal;
  return `${sender} ${use.message} ${use.part} ${JSON.stringify(value)} -> ${keyword} at "${instanceLocation}"`;
}
