/**
 * The pins of the transcripts below a root, for the commands that show and change them.
 */
import { join } from "node:path";
import { knownReleases } from "../../releases/known.js";
import { type Pin, pinsOf } from "../../transcripts/staleness.js";
import { loadManifest, MANIFEST_FILE, transcriptFolders } from "../../transcripts/transcript.js";
import type { Given, Io } from "../command.js";
import { readReleaseTable } from "../drift/release-table.js";
import { text } from "../values.js";
import { type PinChange, PinChanges } from "./pin-change.js";
import { orTrouble } from "./roots.js";

/** How a pin stands; where it is not of today, with what changed since. */
export type JudgedPin = Pin & Partial<PinChange>;

/** A pin and the folder of its transcript. */
export interface PinnedFolder {
  readonly folder: string;
  readonly pin: JudgedPin;
}

/**
 * The pins of some transcripts, against a stable fingerprint.
 * @throws {TroubleError} when a manifest, a table or a bundle cannot be read
 */
export async function pinsIn(
  folders: readonly string[],
  current: string,
  given: Given,
  io: Io,
): Promise<PinnedFolder[]> {
  const named = text(given, "releases");
  const changes = new PinChanges(io, named === undefined ? undefined : readReleaseTable(named, io));
  const manifests = orTrouble(() => folders.map(loadManifest));
  const pins = pinsOf(
    manifests.map((manifest) => ({ scenario: manifest.scenario, manifest })),
    current,
    knownReleases().releases,
  );
  return Promise.all(
    pins.map(async (pin, i) => ({
      folder: folders[i]!,
      pin: pin.state === "same" ? pin : { ...pin, ...(await changes.of(pin)) },
    })),
  );
}

/** The folders of the transcripts below a root. */
export function foldersBelow(root: string): string[] {
  return orTrouble(() => transcriptFolders(root));
}

/** How a pin stands in one word: what changed since, where that can be told. */
export function standingOf({
  state,
  change,
}: JudgedPin): "same" | "additive" | "non-additive" | "undecided" | "unknown" {
  if (change === undefined || change === "undecided") return state === "different" ? "undecided" : state;
  return change;
}

/** A pin on one line. */
export function pinLine({ pin }: PinnedFolder): string {
  const { transcript, release, fingerprint } = pin;
  return `${transcript}: ${standingOf(pin)}${release === undefined ? "" : ` (release ${release})`}: ${fingerprint}\n`;
}

/** A pin on one line, and below it what keeps it from being moved. */
export function pinText(pinned: PinnedFolder): string {
  const { folder, pin } = pinned;
  const standing = standingOf(pin);
  const lines: string[] = [];
  if (standing !== "same" && standing !== "additive") {
    lines.push(...shortened(pin.because ?? []).map((reason) => `    ${reason}`));
    lines.push(`    ${join(folder, MANIFEST_FILE)}: regenerate it, or look it over and name it to repin`);
  }
  return `${pinLine(pinned)}${lines.map((line) => `${line}\n`).join("")}`;
}

/** Reasons that are told; a schema that became another has hundreds. */
const TOLD = 10;

function shortened(reasons: readonly string[]): readonly string[] {
  if (reasons.length <= TOLD) return reasons;
  return [...reasons.slice(0, TOLD), `and ${reasons.length - TOLD} more`];
}
