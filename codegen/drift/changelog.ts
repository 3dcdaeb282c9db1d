/** A fragment of a changelog: what changed from one version to another, by what it means for whom. */
import { code, details, plain } from "../emit/reference/markdown.js";
import { type Acknowledgments, NO_ACKNOWLEDGMENTS } from "./acknowledgments.js";
import type { Change, Drift, Pairing } from "./change.js";
import { gate } from "./gate.js";
import { changeMarkdown } from "./report/change-markdown.js";
import { hintWords, pairingWords, type Standing, standings } from "./report/run.js";

/** What a changelog is told besides. */
export interface ChangelogOptions {
  /** The names of the two versions: releases, where they are known. */
  readonly from: string;
  readonly to: string;
  /** The release that may be at the earliest what `to` is; absent where it is not known. */
  readonly nextVersion?: string;
  /** Where the reasons of changes come from. */
  readonly acknowledgments?: Acknowledgments;
}

/** The title of a group, and which changes it has. Each change is in one of them. */
interface Group {
  readonly title: string;
  readonly has: (change: Change) => boolean;
  /** Shown on demand: nobody has to act. */
  readonly quiet?: true;
}

/** The fragment, in Markdown; its headings start at the second level. */
export function changelogOf(drift: Drift, options: ChangelogOptions): string {
  const { from, to, nextVersion } = options;
  const names = { base: from, head: to };
  const judged = standings(gate(drift, options.acknowledgments ?? NO_ACKNOWLEDGMENTS));
  // Here no change fails: what is not acknowledged has no reason to tell, and that is all.
  const standing = (change: Change): Standing => {
    const found = judged(change);
    return found.is === "acknowledged" ? found : { is: "told" };
  };
  const lines = [`## ${plain(`From ${from} to ${to}`)}`, ""];
  if (nextVersion !== undefined) lines.push(`The next version is ${code(nextVersion)} or later.`, "");
  if (drift.changes.length === 0) lines.push("Nothing changed.", "");
  for (const { title, has, quiet } of groups(names)) {
    const changes = drift.changes.filter(has);
    if (changes.length === 0) continue;
    const sections = changes.flatMap((change) => changeMarkdown(change, standing(change), names, 4));
    const counted = `${changes.length} ${changes.length === 1 ? "change" : "changes"}`;
    lines.push(`### ${title}`, "", ...(quiet === true ? details(counted, sections) : sections));
  }
  if (drift.hints.length > 0)
    lines.push("### Perhaps renamed", "", ...drift.hints.map((hint) => `- ${plain(hintWords(hint))}`), "");
  return `${lines.join("\n").trimEnd()}\n`;
}

function groups(names: { readonly base: string; readonly head: string }): Group[] {
  const stable = (verdict: Change["verdict"]) => (change: Change) =>
    change.surface === "stable" && change.verdict === verdict;
  const breaking = (...pairings: readonly Pairing[]): Group => ({
    title: `Breaking: ${pairings.map((pairing) => plain(pairingWords(pairing, names))).join(", and ")}`,
    has: (change) =>
      stable("breaking")(change) &&
      change.breaks.length === pairings.length &&
      pairings.every((pairing) => change.breaks.includes(pairing)),
  });
  return [
    breaking("old-client-new-host", "new-client-old-host"),
    breaking("old-client-new-host"),
    breaking("new-client-old-host"),
    { title: "Not proved compatible", has: stable("unknown") },
    { title: "Additive", has: stable("additive"), quiet: true },
    { title: "Without effect on messages", has: stable("none"), quiet: true },
    { title: "Experimental", has: ({ surface }) => surface === "experimental", quiet: true },
  ];
}
