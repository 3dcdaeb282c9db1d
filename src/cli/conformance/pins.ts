/**
 * The pins of the transcripts below a root, for the commands that show and change them.
 */
import { knownReleases } from "../../releases/known.js";
import { type Pin, pinsOf } from "../../transcripts/staleness.js";
import { loadManifest, transcriptFolders } from "../../transcripts/transcript.js";
import { orTrouble } from "./roots.js";

/** A pin and the folder of its transcript. */
export interface PinnedFolder {
  readonly folder: string;
  readonly pin: Pin;
}

/**
 * The pins below a root, against a stable fingerprint.
 * @throws {TroubleError} when a manifest cannot be read
 */
export function pinsBelow(root: string, current: string): PinnedFolder[] {
  return orTrouble(() => {
    const folders = transcriptFolders(root);
    const releases = knownReleases().releases;
    const manifests = folders.map(loadManifest);
    const pins = pinsOf(
      manifests.map((manifest) => ({ scenario: manifest.scenario, manifest })),
      current,
      releases,
    );
    return pins.flatMap((pin, i) => {
      const folder = folders[i];
      return folder === undefined ? [] : [{ folder, pin }];
    });
  });
}

/** A pin on one line. */
export function pinLine({ transcript, state, release, fingerprint }: Pin): string {
  return `${transcript}: ${state}${release === undefined ? "" : ` (release ${release})`}: ${fingerprint}\n`;
}
