/** One change as Markdown: what it is, the shapes before and after, the message that shows it, and what to do. */
import { ordered } from "../../bundle/json.js";
import { code, details, jsonBlock, plain, prose } from "../../emit/reference/markdown.js";
import { type Change, PAIRINGS, type Pairing } from "../change.js";
import { driftRules } from "../rules.js";
import { type Comparison, marksOf, pairingWords, type Standing, tellsDisagreement } from "./run.js";

/** Lines of a shape that are shown at once; of a longer one, on demand. */
const SHOWN = 30;

/** A change as a section; `level` is that of its heading. */
export function changeMarkdown(
  change: Change,
  standing: Standing,
  names: Pick<Comparison, "base" | "head">,
  level: number,
): string[] {
  const { purpose, fix } = driftRules[change.rule];
  const marks = marksOf(change).map((mark) => ` (${mark})`);
  const lines = [
    `${"#".repeat(level)} ${code(change.subject)}${marks.join("")}`,
    "",
    `${plain(purpose)} ${code(change.rule)} at ${code(change.pointer)}, change ${code(change.id)}.`,
    "",
  ];
  const reasons = PAIRINGS.filter((pairing) => matters(change, pairing)).map((pairing) => {
    const { verdict, reason } = change.pairings[pairing];
    return `- ${plain(pairingWords(pairing, names))}: **${verdict}**: ${prose(reason).join(" ")}`;
  });
  if (tellsDisagreement(change))
    reasons.push(`- Rule and evidence disagree: ${prose(change.evidence?.disagreement ?? "").join(" ")}`);
  if (reasons.length > 0) lines.push(...reasons, "");
  lines.push(...shape("Before", change.before), ...shape("After", change.after));
  if (change.witness !== undefined) {
    const { sender, use, value, refusal } = change.witness;
    const at = refusal.instanceLocation === "" ? "" : ` at ${code(refusal.instanceLocation)}`;
    lines.push(
      `The ${sender} sends, as ${use.part} of ${code(use.message)}, what is refused${at} by ${code(refusal.keyword)}:`,
      "",
      ...jsonBlock(value),
    );
  }
  if (change.verdict !== "none" && fix !== "Nothing.") lines.push(`What to do: ${plain(fix)}`, "");
  if (standing.is === "acknowledged" || standing.is === "without window") {
    const { release, reason, issue, acts } = standing.acknowledgment;
    const who = acts === "both" ? "clients and hosts" : acts;
    lines.push(
      `Acknowledged for ${code(release)} (${plain(issue)}; to act: ${who}): ${prose(reason).join(" ")}`,
      "",
    );
  }
  if (standing.is === "without window") lines.push(`It fails all the same: ${plain(standing.problem)}.`, "");
  if (standing.is === "failing") lines.push("Not acknowledged.", "");
  return lines;
}

/** That nobody is harmed goes without saying; that an old host refuses what is new does not. */
function matters({ pairings }: Change, pairing: Pairing): boolean {
  const { verdict, refusedBy } = pairings[pairing];
  return verdict === "breaking" || verdict === "unknown" || refusedBy !== undefined;
}

function shape(title: string, value: Change["before"]): string[] {
  if (value === undefined) return [];
  const block = jsonBlock(ordered(value));
  const long = JSON.stringify(value, null, 2).split("\n").length > SHOWN;
  return long ? details(title, block) : [`${title}:`, "", ...block];
}
